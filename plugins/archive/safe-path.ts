/** Which members may become files, and where: inside the folder that was asked for, each its own file, on every file system. */

import type { Member } from "./archive.ts";

const MAX_STEP_BYTES = 255;
const MAX_STEPS = 40;
/** Windows opens devices by these names, with any ending (learn.microsoft.com, "Naming Files, Paths, and Namespaces"). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
const BAD_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\ufffd\\:*?"<>|]/u;

/** A member that becomes a file. */
export interface Placed {
  readonly member: Member;
  /** Below the folder, steps joined by "/". */
  readonly path: string;
}

/** A member that becomes none, and why. */
export interface Unplaced {
  readonly name: string;
  readonly reason: string;
}

export interface Placement {
  readonly placed: readonly Placed[];
  /** Left out without harm: links and devices. */
  readonly skipped: readonly Unplaced[];
  /** Whoever made these meant harm, or nobody knows what they meant. */
  readonly refused: readonly Unplaced[];
}

/** Says of each member what may become of it. Folders appear with the files in them. */
export function placeMembers(members: readonly Member[]): Placement {
  const placed: Placed[] = [];
  const skipped: Unplaced[] = [];
  const refused: Unplaced[] = [];
  for (const member of members) {
    const { name, kind, unreadable } = member;
    if (kind === "folder") continue;
    if (kind !== "file") {
      skipped.push({ name, reason: kind === "link" ? "it is a link, which could lead anywhere" : "it is no ordinary file" });
      continue;
    }
    const path = name.replace(/^(?:\.\/)+/u, "");
    const reason = unreadable ?? whyUnsafe(path);
    if (reason === undefined) placed.push({ member, path });
    else refused.push({ name, reason });
  }
  return { placed, skipped, refused: [...refused, ...collisionsOf(placed)] };
}

/** Undefined if it is a path below the folder, for every system. */
export function whyUnsafe(path: string): string | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/u.test(path)) return "it is an absolute path";
  const steps = path.split("/");
  if (steps.includes("..")) return "it leads out of the folder";
  if (steps.some((step) => step === "" || step === ".")) return "it is a path with empty steps";
  if (BAD_CHARACTER.test(path)) return "it has characters in its name that some systems read in another way, or nobody sees";
  if (steps.some((step) => /[. ]$/u.test(step) || DEVICE.test(step))) return "it has a name that some systems read as another";
  if (steps.length > MAX_STEPS) return `it lies more than ${MAX_STEPS} folders deep`;
  const isLong = steps.some((step) => new TextEncoder().encode(step).length > MAX_STEP_BYTES);
  return isLong ? `it has a name of more than ${MAX_STEP_BYTES} bytes` : undefined;
}

/** Two that are one file where case and composition do not count; a file that would have to be a folder, too. */
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
      refused.push({ name: member.name, reason: `it lies in ${JSON.stringify(file)}, which is a file` });
      break;
    }
  }
  return refused;
}

function foldedPath(path: string): string {
  return path.normalize("NFKC").toLowerCase().toUpperCase().normalize("NFKC");
}
