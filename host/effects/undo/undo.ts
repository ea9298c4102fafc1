/**
 * Puts back what a call changed, where it is still as the call left it (SPEC E8). Changes made by others since, and unknown states, are
 * listed and left.
 *
 * The contents of `.bascule/undo/` are hostile: every path is checked like a tool's, against the workspace and the protected paths.
 */

import { bothPaths, checkPath, hostPlace } from "../../capabilities/checked.ts";
import type { Grant } from "../../call/grant.ts";
import { orUndefined, unlessMissing } from "../../platform/or-undefined.ts";
import { FileError, type GuardedFiles, type Random } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import { besideOf, stageFile } from "../overlay/replace-file.ts";
import { hashBytes, type Hasher } from "../../primitives/json/json-bytes.ts";
import { fileIdOf, type FileState, type HeldState, isSameState, type UndoState } from "./undo-step.ts";
import type { KeptStep } from "./undo-store.ts";

/** The result of an undo. Paths are absolute. */
export interface Undone {
  readonly restored: readonly string[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

export interface UndoOptions {
  readonly files: GuardedFiles;
  readonly random: Pick<Random, "bytes">;
  readonly hasher: Hasher;
  /** The most that an undo may write. */
  readonly grant: Grant;
  readonly workspace: string;
  /** Also restores paths that are not as the call left them. */
  readonly force?: boolean;
  /** Entries that an undo created again, new identity by old. This function adds to it; later undos use it to recognise moved entries. */
  readonly renewed: Map<string, string>;
  /** The host was terminated while the call ran, so the last states after changes may be missing. */
  readonly wasKilled?: boolean;
}

export async function undoSteps(steps: readonly KeptStep[], options: UndoOptions): Promise<Undone> {
  const restored = new Set<string>();
  const left = new Map<string, string>();
  for (const kept of steps.toReversed()) {
    const { path } = kept.step;
    try {
      const reason = await (kept.step.kind === "rename" ? moveBack(kept.step, kept.after, options) : putBack(kept, options));
      if (reason === "restored") restored.add(path);
      else if (reason !== undefined) left.set(path, reason);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      left.set(path, error.message);
    }
  }
  return { restored: [...restored], left: Array.from(left, ([path, reason]) => ({ path, reason })) };
}

/** `restored`, the reason why not, or undefined if there is nothing to do. */
type Outcome = "restored" | (string & {}) | undefined;

async function putBack(kept: KeptStep, options: UndoOptions): Promise<Outcome> {
  const { step, after } = kept;
  if (step.kind !== "place") return undefined;
  const { path, before } = step;
  const place = placeFor(path, options);
  if (place === undefined) return "it is outside of the workspace, or protected from tools";
  if (before.kind === "held" && (await isHeld(before, path, options))) return undefined;
  const now = await stateOf(path, options);
  const spot: Spot = { place, now, kept, options, isOther: step.inPlace === true && !(await isThat(before, path, options)) };
  if (isSameState(now, before)) return (await putBackFacts(spot, false)) ? "restored" : undefined;
  if (before.kind === "unkept") return `its previous contents are not kept: ${before.reason}`;
  if (options.force !== true) {
    if (after === undefined) return "the call was terminated while it changed this";
    if (after.kind === "unkept" || now.kind === "unkept")
      return `it could not be compared with what the call left: ${unkeptReason(after, now)}`;
    if (!isSameState(now, after))
      return `it was changed after the call${options.wasKilled === true ? ", or by it when it was terminated" : ""}`;
  }
  return await restore(spot);
}

/** A path, its present state, and the step to put back there. */
interface Spot {
  readonly place: CheckedPath<"write">;
  readonly now: UndoState;
  readonly kept: KeptStep;
  readonly options: UndoOptions;
  /** The call wrote into a file whose name now belongs to another file, which may have further names elsewhere. */
  readonly isOther: boolean;
}

async function restore(spot: Spot): Promise<Outcome> {
  const { place, now, kept, options } = spot;
  const { step } = kept;
  if (step.kind !== "place") return undefined;
  const { before, inPlace } = step;
  const { files } = options;
  if (before.kind === "file") return await restoreFile(spot, before, inPlace === true && !spot.isOther);
  // Only an empty folder is removed.
  if (now.kind !== "missing" && (before.kind !== "held" || now.kind === "directory")) await files.remove(place, { recursive: false });
  switch (before.kind) {
    case "missing":
      return "restored";
    case "link":
      await files.makeLink(place, before.target);
      await noteRenewed(before.fileId, place.path, options);
      return "restored";
    case "directory":
      await files.makeDirectory(place, { recursive: false });
      // Set separately, because the umask applies to what is created.
      await files.setFacts(place, { mode: before.mode });
      await noteRenewed(before.fileId, place.path, options);
      return "restored";
    case "held":
      return await restoreHeld(spot, before);
    case "unkept":
      return `its previous contents are not kept: ${before.reason}`;
  }
}

/** If the call wrote into the file, writes into it too, so that all its names get the contents back and its identity stays. */
async function restoreFile(spot: Spot, before: FileState, isInPlace: boolean): Promise<Outcome> {
  const { place, now, kept, options } = spot;
  const { files } = options;
  const data = await kept.contents();
  if (data === undefined) return GONE;
  if (isInPlace && now.kind === "file") {
    if ((now.mode & OWNER_WRITES) === 0) await files.setFacts(place, { mode: now.mode | OWNER_WRITES });
    await files.writeBytes(place, data, { create: false });
    await putBackFacts(spot, true);
    return "restored";
  }
  if (now.kind === "directory") await files.remove(place, { recursive: false });
  await replace(place, data, before, options);
  await noteRenewed(before.fileId, place.path, options);
  return before.names === undefined ? "restored" : `it was restored as a separate file: it was one file with ${before.names} names`;
}

/** Links the held file to its name again, or copies it if that fails. */
async function restoreHeld({ place, kept, options }: Spot, before: HeldState): Promise<Outcome> {
  const { files, random } = options;
  if (!(await isHeld(before, kept.heldAt, options))) return GONE;
  const beside = besideOf(place.path, random);
  const from = hostPlace<"read">(kept.heldAt);
  if (!(await triedToName(from, beside, files))) {
    const [data, { mode, modifiedMs }] = [await kept.contents(), await files.lstat(from)];
    if (data === undefined) return GONE;
    await replace(place, data, { mode: mode & MODE_BITS, modifiedMs }, options);
    await noteRenewed(fileIdOf(before), place.path, options);
    return "restored";
  }
  try {
    await files.rename(beside, place);
  } catch (error) {
    await files.remove(beside, { recursive: false });
    throw error;
  }
  return "restored";
}

const GONE = "its kept contents are missing or were changed";

/** Returns false if the file system does not support hard links, or the undo folder is on another file system. */
async function triedToName(from: CheckedPath<"read">, to: CheckedPath<"write">, files: GuardedFiles): Promise<boolean> {
  return (await orUndefined(files.addName(from, to).then(() => true))) ?? false;
}

async function replace(
  place: CheckedPath<"write">,
  data: Uint8Array,
  { mode, modifiedMs }: Pick<FileState, "mode" | "modifiedMs">,
  { files, random }: UndoOptions,
): Promise<void> {
  const staged = await stageFile(place.path, data, { files, random, mode });
  try {
    await staged.place(place);
  } catch (error) {
    await staged.discard();
    throw error;
  }
  if (modifiedMs !== undefined) await files.setFacts(place, { modifiedMs });
}

/**
 * Resets permissions and times that are still as the call left them, and those that the undo itself changed.
 *
 * @param isWritten the undo has just written the file
 * @returns whether there was anything to reset
 */
async function putBackFacts({ place, now, kept: { step, after }, options, isOther }: Spot, isWritten: boolean): Promise<boolean> {
  const { files, force } = options;
  if (step.kind !== "place" || isOther) return false;
  const { before } = step;
  if ((before.kind !== "file" && before.kind !== "directory") || before.kind !== now.kind) return false;
  const left = after?.kind === now.kind ? after : undefined;
  const mode = force === true || left?.mode === now.mode ? before.mode : now.mode;
  const facts: { mode?: number; modifiedMs?: number } = mode === now.mode && !isWritten ? {} : { mode };
  if (before.kind === "file" && now.kind === "file" && before.modifiedMs !== undefined) {
    const isLeft = force === true || (left?.kind === "file" && isSameTime(left.modifiedMs, now.modifiedMs));
    if (isWritten || (isLeft && !isSameTime(before.modifiedMs, now.modifiedMs))) facts.modifiedMs = before.modifiedMs;
  }
  if (Object.keys(facts).length === 0) return false;
  await files.setFacts(place, facts);
  return true;
}

/** Tolerates rounding: times pass through fractions of seconds. */
function isSameTime(left: number | undefined, right: number | undefined): boolean {
  return left !== undefined && right !== undefined && Math.abs(left - right) < 0.01;
}

async function isHeld({ device, inode }: HeldState, path: string, { files }: UndoOptions): Promise<boolean> {
  const info = await infoOf(path, files);
  return info?.kind === "file" && info.device === device && info.inode === inode;
}

async function moveBack(
  { path, to, ...moved }: Extract<KeptStep["step"], { readonly kind: "rename" }>,
  after: UndoState | undefined,
  options: UndoOptions,
): Promise<Outcome> {
  // The rename failed.
  if (after !== undefined) return undefined;
  const [source, target] = [placeFor(path, options), placeFor(to, options)];
  if (source === undefined || target === undefined) return "it is outside of the workspace, or protected from tools";
  const { files, renewed } = options;
  const isIt = (info: Awaited<ReturnType<typeof infoOf>>): boolean =>
    info !== undefined && isSameFile(fileIdOf(moved), fileIdOf(info), renewed);
  const there = await infoOf(path, files);
  if (!isIt(await infoOf(to, files))) return isIt(there) ? undefined : `what was moved to ${JSON.stringify(to)} is not there any more`;
  if (there !== undefined) return "something else has its name now";
  await files.rename(target, source);
  return "restored";
}

async function isThat(before: UndoState, path: string, { files, renewed }: UndoOptions): Promise<boolean> {
  const info = await infoOf(path, files);
  const wanted = "fileId" in before ? before.fileId : undefined;
  return wanted !== undefined && info !== undefined && isSameFile(wanted, fileIdOf(info), renewed);
}

/** Returns whether it is that file, or the one that an undo created in its place. */
function isSameFile(wanted: string, found: string, renewed: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let id: string | undefined = wanted; id !== undefined && !seen.has(id); id = renewed.get(id)) {
    if (id === found) return true;
    seen.add(id);
  }
  return false;
}

async function noteRenewed(fileId: string | undefined, path: string, { files, renewed }: UndoOptions): Promise<void> {
  const info = await infoOf(path, files);
  if (fileId !== undefined && info !== undefined) renewed.set(fileId, fileIdOf(info));
}

/** Returns the proof that exactly this path may be written, or undefined. */
function placeFor(path: string, { grant, workspace }: UndoOptions): CheckedPath<"write"> | undefined {
  const check = checkPath("write", path, { grant, cwd: workspace });
  // A rename moves everything below, so nothing below may be denied.
  if (!check.ok || check.path.path !== path || check.partial) return undefined;
  return bothPaths(hostPlace<"write">(path), check.path);
}

/** Larger files were not kept. */
const MAX_BYTES = 256 * 1024 * 1024;
const MODE_BITS = 0o777;
const OWNER_WRITES = 0o200;

async function stateOf(path: string, { files, hasher }: UndoOptions): Promise<UndoState> {
  const info = await infoOf(path, files);
  if (info === undefined) return { kind: "missing" };
  const mode = info.mode & MODE_BITS;
  if (info.kind === "directory") return { kind: "directory", mode };
  if (info.kind === "symlink") return { kind: "link", target: await files.readLink(hostPlace(path)) };
  if (info.kind !== "file") return { kind: "unkept", reason: "it is not a regular file" };
  if (info.size > MAX_BYTES) return { kind: "unkept", reason: `it holds more than ${MAX_BYTES} bytes` };
  const bytes = await files.readBytes(hostPlace(path), { maxBytes: MAX_BYTES });
  return { kind: "file", bytes: bytes.length, sha256: await hashBytes(bytes, hasher), mode, modifiedMs: info.modifiedMs };
}

function unkeptReason(...states: readonly UndoState[]): string {
  return states.find((state) => state.kind === "unkept")?.reason ?? "";
}

async function infoOf(path: string, files: GuardedFiles): Promise<Awaited<ReturnType<GuardedFiles["lstat"]>> | undefined> {
  return await files.lstat(hostPlace(path)).catch(unlessMissing(undefined));
}
