/**
 * Commits the changes of a dry run to the real files (SPEC E8).
 *
 * First every path is checked against the grant, and every new content is written beside its target. Then the targets are changed one after
 * the other, each by a rename. If the operating system refuses one, the commit stops, and the result lists what was done and what was not.
 */

import type { CapabilityAct } from "../../capabilities/bridge.ts";
import { bothPaths, checkPath, hostPlace } from "../../capabilities/checked.ts";
import type { RefusalContext } from "../../capabilities/refusal.ts";
import type { MemoryNode } from "../../platform/memory/memory-tree.ts";
import { FileError, type GuardedFiles, type Random } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import type { Change } from "./change-log.ts";
import { isChanged, nodesOf, saidMode } from "./effects.ts";
import { type Staged, stageFile } from "./replace-file.ts";
import type { OverlayTree } from "./overlay-tree.ts";

/** The changes to apply, and the grant for them. */
export interface ApplyOptions {
  readonly tree: OverlayTree;
  readonly changes: readonly Change[];
  /** The real files. */
  readonly files: GuardedFiles;
  readonly random: Pick<Random, "bytes">;
  readonly context: RefusalContext;
  readonly record: (act: CapabilityAct) => void;
}

/** Absolute paths. `failed` is the change that was refused, `reason` why; `left` are the changes that were not begun. */
export type Applied =
  | { readonly ok: true; readonly done: readonly string[] }
  | {
      readonly ok: false;
      readonly done: readonly string[];
      readonly failed: string;
      readonly reason: string;
      readonly left: readonly string[];
    };

interface Step {
  readonly change: Change;
  readonly path: CheckedPath<"write">;
  readonly to?: CheckedPath<"write">;
  /** The new contents, if they are already written beside the target. */
  staged?: Staged;
}

export async function applyChanges(options: ApplyOptions): Promise<Applied> {
  const { context, record } = options;
  const steps: Step[] = [];
  for (const change of neededChanges(options)) {
    const path = proofOf(change.path, change, context);
    const to = change.kind === "rename" ? proofOf(change.to, change, context) : undefined;
    if (typeof path === "string") return { ok: false, done: [], failed: change.path, reason: path, left: [] };
    if (typeof to === "string") return { ok: false, done: [], failed: change.path, reason: to, left: [] };
    steps.push({ change, path: path.path, ...(to && { to: to.path }) });
    record(path.act);
    if (to) record(to.act);
  }

  const done: string[] = [];
  let current = steps[0]?.change.path ?? "";
  try {
    if (!steps.some(({ change }) => movesFolders(change))) {
      for (const step of steps) {
        current = step.change.path;
        if (step.change.kind === "write" && !hasOtherNames(step, options)) await stage(step, options);
      }
    }
    for (const step of steps) {
      current = step.change.path;
      await apply(step, options);
      done.push(step.change.kind === "rename" ? step.change.to : step.change.path);
    }
    return { ok: true, done: [...new Set(done)] };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    for (const { staged } of steps) await staged?.discard();
    const left = steps.slice(done.length + 1).map(({ change }) => change.path);
    return { ok: false, done: [...new Set(done)], failed: current, reason: error.message, left };
  }
}

/** Returns the changes without files and folders that the run created and removed again. */
function neededChanges({ tree, changes }: ApplyOptions): readonly Change[] {
  const here = nodesOf(tree);
  const hasRenames = changes.some(({ kind }) => kind === "rename");
  const isFleeting = (node: MemoryNode): boolean => !hasRenames && !here.has(node) && tree.originOf(node) === undefined;
  return changes.filter(({ kind, node }) => {
    const origin = tree.originOf(node);
    if (kind === "write" && node.kind === "file" && origin !== undefined) return here.has(node) && isChanged(node, origin);
    return !isFleeting(node);
  });
}

interface Proof {
  readonly path: CheckedPath<"write">;
  readonly act: CapabilityAct;
}

/** Checks that the grant allows the path, and everything below it that the change covers. Returns the proof or the refusal. */
function proofOf(path: string, change: Change, context: RefusalContext): Proof | string {
  const reach = change.kind === "rename" || (change.kind === "remove" && change.recursive) ? "below" : "place";
  const check = checkPath("write", path, context, reach);
  if (!check.ok) return check.denial.kind === "not_capable" ? check.denial.message : `cannot write "${path}"`;
  if (reach === "below" && check.partial) return `Requires write access to everything in "${path}", but a part of it is denied`;
  const place = hostPlace<"write">(path, change.kind === "remove" ? "tree" : "place");
  return { path: bothPaths(place, check.path), act: check.act };
}

function movesFolders({ kind, node }: Change): boolean {
  return node.kind === "directory" && (kind === "rename" || kind === "remove");
}

async function apply(step: Step, options: ApplyOptions): Promise<void> {
  const { change, path, to } = step;
  const { files } = options;
  switch (change.kind) {
    case "folder":
      return await files.makeDirectory(path, { recursive: false, ...modeOf(change.node) });
    case "remove":
      return await files.remove(path, { recursive: change.recursive });
    case "rename":
      return await files.rename(path, to ?? path);
    case "write": {
      if (hasOtherNames(step, options)) return await writeInto(step, options);
      await (step.staged ?? (await stage(step, options))).place(path);
      delete step.staged;
    }
  }
}

/** A replacement would leave the file's other names unchanged. */
function hasOtherNames({ change: { node } }: Step, { tree }: ApplyOptions): boolean {
  return (tree.originOf(node)?.info.links ?? 1) > 1;
}

async function writeInto({ change: { node }, path }: Step, { files }: ApplyOptions): Promise<void> {
  if (node.kind !== "file") throw new Error("Only files can be written");
  await files.writeBytes(path, node.data, { create: false, mode: node.mode });
}

async function stage(step: Step, { files, random, tree }: ApplyOptions): Promise<Staged> {
  const { node, path } = step.change;
  if (node.kind !== "file") throw new Error("Only files can be written");
  // A replaced file keeps its permissions; the umask decides those of a new one.
  const mode = tree.originOf(node) === undefined ? modeOf(node) : { mode: node.mode };
  step.staged = await stageFile(path, node.data, { files, random, ...mode });
  return step.staged;
}

function modeOf(node: MemoryNode): { readonly mode?: number } {
  const mode = saidMode(node);
  return mode === undefined ? {} : { mode };
}
