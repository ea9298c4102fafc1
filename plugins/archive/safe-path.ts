/** Decides which members may become files, and where: inside the requested folder, each its own file, on every file system. */

import type { Member } from "./model.ts";

const MAX_STEP_BYTES = 255;
const MAX_STEPS = 40;
/** Windows opens devices by these names, with any extension (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
const BAD_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\ufffd\\:*?"<>|]/u;

/** A member that becomes a file. */
export interface Placed {
  readonly member: Member;
  /** Path below the folder, with steps joined by "/". */
  readonly path: string;
}

/** A member that does not become a file, and why. */
export interface Unplaced {
  readonly name: string;
  readonly reason: string;
}

export interface Placement {
  readonly placed: readonly Placed[];
  /** Harmless members that are left out: links and devices. */
  readonly skipped: readonly Unplaced[];
  /** Members that are malicious or ambiguous. */
  readonly refused: readonly Unplaced[];
}

/** Sorts members into placed, skipped and refused. Folders are created with the files in them. */
export function placeMembers(members: readonly Member[]): Placement {
  const placed: Placed[] = [];
  const skipped: Unplaced[] = [];
  const refused: Unplaced[] = [];
  for (const member of members) {
    const { name, kind, unreadable } = member;
    if (kind === "folder") continue;
    if (kind !== "file") {
      skipped.push({ name, reason: kind === "link" ? "it is a link, which could lead anywhere" : "it is not a regular file" });
      continue;
    }
    const path = name.replace(/^(?:\.\/)+/u, "");
    const reason = unreadable ?? whyUnsafe(path);
    if (reason === undefined) placed.push({ member, path });
    else refused.push({ name, reason });
  }
  return { placed, skipped, refused: [...refused, ...collisionsOf(placed)] };
}

/** Returns why a path is not safely below the folder on every system; undefined if it is. */
export function whyUnsafe(path: string): string | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/u.test(path)) return "it is an absolute path";
  const steps = path.split("/");
  if (steps.includes("..")) return "it leads out of the folder";
  if (steps.some((step) => step === "" || step === ".")) return "it is a path with empty steps";
  if (BAD_CHARACTER.test(path)) return "its name has characters that some systems read differently, or that are invisible";
  if (steps.some((step) => /[. ]$/u.test(step) || DEVICE.test(step))) return "some systems read its name as another one";
  if (steps.length > MAX_STEPS) return `it is more than ${MAX_STEPS} folders deep`;
  const isLong = steps.some((step) => new TextEncoder().encode(step).length > MAX_STEP_BYTES);
  return isLong ? `its name has more than ${MAX_STEP_BYTES} bytes` : undefined;
}

/** Refuses members that collide if case and composition are ignored, and files that another member needs as a folder. */
function collisionsOf(placed: readonly Placed[]): readonly Unplaced[] {
  const files = new Map<string, string>();
  const refused: Unplaced[] = [];
  for (const { member, path } of placed) {
    const key = foldedPath(path);
    const other = files.get(key);
    if (other !== undefined) refused.push({ name: member.name, reason: `it is the same file as ${JSON.stringify(other)} on some systems` });
    files.set(key, member.name);
  }
  for (const { member, path } of placed) {
    const key = foldedPath(path);
    for (let slash = key.indexOf("/"); slash !== -1; slash = key.indexOf("/", slash + 1)) {
      const file = files.get(key.slice(0, slash));
      if (file === undefined) continue;
      refused.push({ name: member.name, reason: `it is inside ${JSON.stringify(file)}, which is a file` });
      break;
    }
  }
  return refused;
}

function foldedPath(path: string): string {
  return path.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");
}
