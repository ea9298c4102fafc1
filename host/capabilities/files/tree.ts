/**
 * Operations on many files of a folder: a walk, and reads in batches (SPEC AX3).
 *
 * Every folder and file is checked, recorded and given a lane as a single operation on it is. A guest that makes one operation for each of 5,000
 * files spends most of its time on the way.
 */

import type { HostAnswer, OperationError } from "../../../sandbox/mod.ts";
import type { GuardedFiles } from "../../platform/platform.ts";
import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext, CapabilityAct } from "../bridge.ts";
import { checkPath } from "../checked.ts";
import { actOn, isOver } from "./file-act.ts";
import { MAX_DIRECTORY_ENTRIES } from "./list-directory.ts";
import { operation } from "../operation.ts";

/** Contents are bytes beside the JSON: `tree.read` → the files one after the other. */
export const treeBridge: Bridge = {
  name: "tree",
  operations: {
    "tree.walk": operation({ path: "string", extensions: "texts?", hidden: "boolean?" }, ({ path, extensions, hidden = false }, context) =>
      walk(path, { extensions, hidden }, context),
    ),
    "tree.read": operation({ paths: "texts" }, ({ paths }, context, _bytes, makeRoom) => read(paths, context, makeRoom)),
  },
};

/** Files that one operation reads at a time; the lanes of the plugin bound them, too. */
const AT_ONCE = 8;
const MAX_PATHS = 1_000;
/** Contents of one answer. The guest asks again for what did not fit. */
const BATCH_BYTES = 2 * 1024 * 1024;

interface WalkOptions {
  readonly extensions: readonly string[] | undefined;
  readonly hidden: boolean;
}

type Listing = Awaited<ReturnType<GuardedFiles["list"]>>;

/** Returns the regular files below a folder, by path. Links are not followed; folders that are not granted are left out. */
async function walk(root: string, { extensions, hidden }: WalkOptions, context: BridgeContext): Promise<HostAnswer> {
  const { operationBytes } = context.limits;
  const found: string[] = [];
  let [entries, length] = [0, 0];
  let refusal: HostAnswer | undefined;
  const folders = [root];

  async function enter(folder: string): Promise<void> {
    const bounds = { maxEntries: MAX_DIRECTORY_ENTRIES - entries, maxNamesLength: operationBytes, isOver: () => isOver(context) };
    let listed: Listing = [];
    const answered = await inLane("fs.readDir", folder, context, () =>
      actOn({ access: "read", written: folder }, `walk '${root}'`, context, async (checked) => {
        listed = await context.platform.guarded.list(checked, bounds);
        return answer(null);
      }),
    );
    // Folders below may be denied, or removed meanwhile.
    if (!answered.ok && (folder === root || answered.error.code === "EFBIG" || answered.error.name === "AbortError")) refusal ??= answered;
    for (const { name, kind } of listed) {
      entries++;
      if (!hidden && name.startsWith(".")) continue;
      const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
      if (kind === "directory") folders.push(path);
      if (kind !== "file" || extensions?.some((extension) => name.endsWith(extension)) === false) continue;
      found.push(path);
      length += path.length + 3;
    }
  }

  while (folders.length > 0 && refusal === undefined && length <= operationBytes && entries < MAX_DIRECTORY_ENTRIES)
    await Promise.all(folders.splice(0, AT_ONCE).map(enter));
  if (refusal === undefined && folders.length === 0 && length <= operationBytes) return answer(found.toSorted());
  if (refusal?.ok === false && refusal.error.code !== "EFBIG") return refusal;
  const most = `${MAX_DIRECTORY_ENTRIES} entries, or ${operationBytes} bytes of paths`;
  return failure("RangeError", `Cannot walk "${root}": more than one operation can return (${most}; walk its folders)`, "EFBIG");
}

/** One file's outcome: the length of its contents, or its error. */
type Outcome = { readonly bytes: Uint8Array } | { readonly error: OperationError };

/** Answers with the lengths of the files that fitted, and their errors by index. At least one file is always answered. */
async function read(paths: readonly string[], context: BridgeContext, makeRoom: (bytes: number) => Promise<void>): Promise<HostAnswer> {
  if (paths.length > MAX_PATHS) return failure("RangeError", `At most ${MAX_PATHS} files are read by one operation`);
  const maxBytes = bodyBytes(context);
  const batchBytes = Math.min(BATCH_BYTES, maxBytes);
  const outcomes = new Map<number, Outcome>();
  let [next, total] = [0, 0];

  const plain = await readPlain(paths, batchBytes, context);

  async function readNext(): Promise<void> {
    while (next < paths.length && total < batchBytes && !isOver(context)) {
      const index = next++;
      const bytes = plain.get(index);
      const outcome = bytes === undefined ? await readOne(paths[index] ?? "", context) : { bytes };
      outcomes.set(index, outcome);
      if ("bytes" in outcome) total += outcome.bytes.length;
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  if (isOver(context)) return failure("AbortError", "The call was cancelled, or has ended");
  const [parts, lengths, errors]: [Uint8Array[], number[], (readonly [number, string, string])[]] = [[], [], []];
  let size = 0;
  for (let index = 0; index < next; index++) {
    const outcome = outcomes.get(index);
    if (outcome === undefined) break;
    if ("error" in outcome) errors.push([index, outcome.error.name, outcome.error.message.slice(0, 300)]);
    else if (index > 0 && size + outcome.bytes.length > maxBytes) break;
    else parts.push(outcome.bytes);
    const bytes = "bytes" in outcome ? outcome.bytes.length : 0;
    lengths.push(bytes);
    size += bytes;
  }
  await makeRoom(size);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return answer({ lengths: lengths.join(","), errors }, whole);
}

/** Maximum bytes of contents in an answer, which also has room for their lengths and errors. */
function bodyBytes({ limits: { operationBytes } }: BridgeContext): number {
  return operationBytes - Math.min(FACTS_BYTES, operationBytes / 2);
}

const FACTS_BYTES = 512 * 1024;

/** Reads the files that need no look at what a link leads to or how a name is spelled: most of them. */
async function readPlain(paths: readonly string[], totalBytes: number, context: BridgeContext): Promise<ReadonlyMap<number, Uint8Array>> {
  const read = new Map<number, Uint8Array>();
  const plain: { readonly index: number; readonly path: string; readonly act: CapabilityAct }[] = [];
  for (const [index, written] of context.readPlain === undefined ? [] : paths.entries()) {
    const check = checkPath("read", written, context);
    // As `permitsPlace` in host/platform/files/spelling.ts: other names of the same file are looked for only where they could matter.
    if (check.ok && check.path.permits(check.path.path, "any") && !check.path.path.includes("~"))
      plain.push({ index, path: check.path.path, act: check.act });
  }
  const limits = { fileBytes: bodyBytes(context), totalBytes };
  const contents =
    plain.length === 0
      ? []
      : await context.readPlain?.(
          plain.map(({ path }) => path),
          limits,
        );
  for (const [at, { index, act }] of plain.entries()) {
    const bytes = contents?.[at];
    if (bytes === undefined) continue;
    context.record(act);
    read.set(index, bytes);
  }
  return read;
}

async function readOne(path: string, context: BridgeContext): Promise<Outcome> {
  const maxBytes = bodyBytes(context);
  const answered = await inLane("fs.readFile", path, context, () =>
    actOn({ access: "read", written: path }, `readfile '${path}'`, context, async (checked) =>
      answer(null, await context.platform.guarded.readBytes(checked, { maxBytes })),
    ),
  );
  return answered.ok ? { bytes: answered.bytes ?? new Uint8Array() } : { error: answered.error };
}

/** Runs an act in a lane of the files, as an operation of its own would have. */
async function inLane(name: string, path: string, { acts }: BridgeContext, act: () => Promise<HostAnswer>): Promise<HostAnswer> {
  const leave = await acts.begin({ name, args: { path } });
  if (leave === undefined) return failure("AbortError", "The call was cancelled, or has ended");
  try {
    return await act();
  } finally {
    leave();
  }
}
