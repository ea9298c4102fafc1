/**
 * Puts back what a call changed, where it still is as the call left it (SPEC E8). Whatever somebody else has changed since, and
 * whatever cannot be told, is listed and left.
 *
 * What lies in `.bascule/undo/` is not believed: every path is checked like a tool's, against the workspace and what no tool
 * may touch.
 */

import { bothPaths, checkPath, hostPlace } from "../capabilities/checked.ts";
import type { Grant } from "../policy/grant.ts";
import { FileError, type GuardedFiles, type Random } from "../platform/platform.ts";
import type { CheckedPath } from "../platform/proof.ts";
import { stageFile } from "../overlay/replace-file.ts";
import { hashBytes, type Hasher } from "../json/json-bytes.ts";
import { isSameState, type UndoState } from "./undo-step.ts";
import type { KeptStep } from "./undo-store.ts";

/** What came of it. Paths are absolute. */
export interface Undone {
  readonly restored: readonly string[];
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

export interface UndoOptions {
  readonly files: GuardedFiles;
  readonly random: Pick<Random, "bytes">;
  readonly hasher: Hasher;
  /** What undoing may write, at most. */
  readonly grant: Grant;
  readonly workspace: string;
}

export async function undoSteps(steps: readonly KeptStep[], options: UndoOptions): Promise<Undone> {
  const restored = new Set<string>();
  const left = new Map<string, string>();
  for (const kept of steps.toReversed()) {
    const { path } = kept.step;
    try {
      const reason =
        kept.step.kind === "rename" ? await moveBack(kept.step, restored.has(kept.step.to), options) : await putBack(kept, options);
      if (reason === "restored") restored.add(path);
      else if (reason !== undefined) left.set(path, reason);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      left.set(path, error.message);
    }
  }
  return { restored: [...restored], left: Array.from(left, ([path, reason]) => ({ path, reason })) };
}

/** `restored`, why not, or undefined where there is nothing to do. */
type Outcome = "restored" | (string & {}) | undefined;

async function putBack({ step, after, contents }: KeptStep, options: UndoOptions): Promise<Outcome> {
  if (step.kind !== "place") return undefined;
  const { path, before } = step;
  const place = placeFor(path, options);
  if (place === undefined) return "it is outside of the workspace, or no tool may write it";
  const now = await stateOf(path, options);
  if (isSameState(now, before)) return undefined;
  if (before.kind === "unkept") return `what was there is not kept: ${before.reason}`;
  if (after === undefined) return "the call was ended while it changed this";
  if (!isSameState(now, after)) return "it was changed after the call";
  return await restore(place, before, { now, contents, options });
}

interface Restore {
  readonly now: UndoState;
  readonly contents: KeptStep["contents"];
  readonly options: UndoOptions;
}

async function restore(place: CheckedPath<"write">, before: UndoState, { now, contents, options }: Restore): Promise<Outcome> {
  const { files, random } = options;
  if (before.kind === "missing") {
    // A folder only if nothing is in it.
    await files.remove(place, { recursive: false });
    return "restored";
  }
  if (now.kind === "directory") return "it is a folder now";
  if (before.kind === "link") {
    if (now.kind !== "missing") await files.remove(place, { recursive: false });
    await files.makeLink(place, before.target);
    return "restored";
  }
  if (before.kind === "directory") {
    await files.makeDirectory(place, { recursive: false, mode: before.mode });
    return "restored";
  }
  const data = await contents();
  if (data === undefined || before.kind !== "file") return "what was kept of it is not there any more, or was changed";
  const staged = await stageFile(place.path, data, { files, random, mode: before.mode });
  try {
    await staged.place(place);
  } catch (error) {
    await staged.discard();
    throw error;
  }
  return "restored";
}

/** @param isOurs what is there has just been put back, so that it is another file than the one that was moved. */
async function moveBack(
  step: Extract<KeptStep["step"], { readonly kind: "rename" }>,
  isOurs: boolean,
  options: UndoOptions,
): Promise<Outcome> {
  const { path, to, device, inode } = step;
  const [source, target] = [placeFor(path, options), placeFor(to, options)];
  if (source === undefined || target === undefined) return "it is outside of the workspace, or no tool may write it";
  const { files } = options;
  const there = await infoOf(to, files);
  if (there === undefined || (!isOurs && (there.device !== device || there.inode !== inode))) {
    const back = await infoOf(path, files);
    return back?.device === device && back.inode === inode ? undefined : `what was moved to ${JSON.stringify(to)} is not there any more`;
  }
  if ((await infoOf(path, files)) !== undefined) return "something else has its name now";
  await files.rename(target, source);
  return "restored";
}

/** The proof that this very place may be written; undefined if it may not. */
function placeFor(path: string, { grant, workspace }: UndoOptions): CheckedPath<"write"> | undefined {
  const check = checkPath("write", path, { grant, cwd: workspace });
  // A rename takes along what is below, of which nothing may be denied.
  if (!check.ok || check.path.path !== path || check.partial) return undefined;
  return bothPaths(hostPlace<"write">(path), check.path);
}

/** What is larger was not kept. */
const MAX_BYTES = 256 * 1024 * 1024;

async function stateOf(path: string, { files, hasher }: UndoOptions): Promise<UndoState> {
  const info = await infoOf(path, files);
  if (info === undefined) return { kind: "missing" };
  const mode = info.mode & 0o777;
  if (info.kind === "directory") return { kind: "directory", mode };
  if (info.kind === "symlink") return { kind: "link", target: await files.readLink(hostPlace(path)) };
  if (info.kind !== "file") return { kind: "unkept", reason: "it is no regular file" };
  const bytes = await files.readBytes(hostPlace(path), { maxBytes: MAX_BYTES });
  return { kind: "file", bytes: bytes.length, sha256: await hashBytes(bytes, hasher), mode };
}

async function infoOf(path: string, files: GuardedFiles): Promise<Awaited<ReturnType<GuardedFiles["lstat"]>> | undefined> {
  try {
    return await files.lstat(hostPlace(path));
  } catch (error) {
    if (error instanceof FileError && (error.code === "not_found" || error.code === "not_a_directory")) return undefined;
    throw error;
  }
}
