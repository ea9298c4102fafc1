/** Random operations on a folder with links of every kind: undoing the calls, newest first, restores the state before each. */

import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { JsonObject } from "../../../manifests/mod.ts";
import { toBytes } from "../../support/bridge-context.ts";
import { type UndoableCall, undoableCalls } from "../../support/undoable-calls.ts";
import { model, type Model } from "./model.ts";

/** Few names, so that operations affect the same files. */
const PATHS = [
  "a",
  "b",
  "twin",
  "d",
  "d/c",
  "d/twin",
  "d/s",
  "d/s/e",
  "empty",
  "n",
  "n/x",
  "to-a",
  "to-d",
  "to-d/c",
  "to-d/s",
  "to-twin",
  "dangling",
  "chain",
  "far",
  "made",
  "d/made",
  "deep/er",
];

interface Act {
  readonly name: string;
  readonly args: JsonObject;
  readonly contents?: string;
}

/** Groups of operations that the guest awaits together. */
type Acts = readonly (readonly Act[])[];

const path = fc.constantFrom(...PATHS);
const contents = fc.constantFrom("", "x", "one\nthree\n", "yy");
const flag = fc.boolean();
const seldom = fc.constantFrom(false, false, true);
const mode = fc.option(fc.constantFrom(0o600, 0o644, 0o755, 0o444), { nil: undefined });
const slot = fc.nat({ max: 1 });
const withMode = <T extends JsonObject>(args: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> =>
  fc.tuple(args, mode).map(([rest, said]) => (said === undefined ? rest : { ...rest, mode: said }));

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constant("fs.writeFile"),
      args: withMode(fc.record({ path, append: flag, createNew: seldom })),
      contents,
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("workspace.write"), args: fc.record({ path, append: flag }), contents }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("fs.mkdir"), args: withMode(fc.record({ path, recursive: flag })) }) },
  { weight: 3, arbitrary: fc.record({ name: fc.constant("fs.remove"), args: fc.record({ path, recursive: flag }) }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant("fs.rename"), args: fc.record({ from: path, to: path }) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("fs.copyFile"), args: fc.record({ from: path, to: path }) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("fs.truncate"), args: fc.record({ path, len: fc.constantFrom(0, 1, 9) }) }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom("fs.makeTempFile", "fs.makeTempDir"), args: fc.record({ dir: path }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constant("file.open"),
      args: withMode(
        fc.record({ slot, path, write: fc.constant(true), append: seldom, truncate: seldom, create: flag, createNew: seldom }),
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ name: fc.constant("file.write"), args: fc.record({ slot }), contents }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constant("file.truncate"), args: fc.record({ slot, len: fc.constantFrom(0, 3) }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant("file.utime"),
      args: fc.record({ slot, atimeMs: fc.constant(0), mtimeMs: fc.constantFrom(5_000, 7_000) }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ name: fc.constant("file.close"), args: fc.record({ slot }) }) },
);
const together = fc.oneof({ weight: 5, arbitrary: fc.tuple(act) }, { weight: 1, arbitrary: fc.array(act, { minLength: 2, maxLength: 3 }) });
const calls: fc.Arbitrary<readonly Acts[]> = fc.array(fc.array(together, { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 3 });

/** Creates two names for one file, links to files, folders, missing targets and each other, and unusual permissions. */
export async function plantUndoTree(workspace: string, hasFurtherNames: boolean): Promise<void> {
  const files: Readonly<Record<string, number>> = { a: 0o640, b: 0o755, twin: 0o644, "d/c": 0o600, "d/s/e": 0o664, "made.keep": 0o644 };
  for (const [at, rights] of Object.entries(files)) {
    const file = join(workspace, at);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${at}\ntwo\n`);
    await chmod(file, rights);
  }
  if (hasFurtherNames) await link(join(workspace, "twin"), join(workspace, "d/twin"));
  await mkdir(join(workspace, "empty"));
  for (const [at, rights] of Object.entries({ d: 0o775, "d/s": 0o700, empty: 0o770 })) await chmod(join(workspace, at), rights);
  const links = { "to-a": "a", "to-d": "d", "to-twin": "d/../twin", dangling: "d/made", chain: "dangling", far: "deep/er" };
  for (const [at, target] of Object.entries(links)) await symlink(target, join(workspace, at));
  for (const at of Object.keys(files)) await utimes(join(workspace, at), 1_000, 1_234.567);
}

/** Returns a line for each name below a folder: kind, mode, names of the same file, time, contents. */
export async function treeOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).filter((at) => !at.startsWith(".bascule")).toSorted();
  const first = new Map<number, string>();
  const lines: string[] = [];
  for (const at of names) {
    const file = join(folder, at);
    const info = await lstat(file);
    const rights = (info.mode & 0o7777).toString(8);
    if (info.isDirectory()) lines.push(`${at}/ ${rights}`);
    else if (info.isSymbolicLink()) lines.push(`${at} -> ${await readlink(file)}`);
    else {
      if (!first.has(info.ino)) first.set(info.ino, at);
      const same = `${info.nlink} name${info.nlink === 1 ? "" : `s, as ${first.get(info.ino) ?? ""}`}`;
      lines.push(`${at} ${rights} ${same} ${Math.round(info.mtimeMs)} ${JSON.stringify(await readFile(file, "utf8"))}`);
    }
  }
  return lines;
}

/** Runs an operation. `open` contains ids of open files by slot; an operation on a closed file does nothing. */
async function run(call: UndoableCall, { name, args, contents: text }: Act, open: Map<unknown, string>): Promise<void> {
  const { slot: at, ...rest } = args;
  const bytes = text === undefined ? undefined : toBytes(text);
  const id = open.get(at);
  if (name === "file.open") {
    if (id !== undefined) return;
    const opened = await call.answer(name, rest);
    if (opened.ok && typeof opened.value === "string") open.set(at, opened.value);
    return;
  }
  if (at !== undefined && id === undefined) return;
  if (name === "file.close") open.delete(at);
  await call.answer(name, id === undefined ? args : { ...rest, id }, bytes);
}

async function undoneIsAsBefore(all: readonly Acts[], hasFurtherNames: boolean): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "bascule-undo-")));
  try {
    const workspace = join(root, "workspace");
    await plantUndoTree(workspace, hasFurtherNames);
    const env = undoableCalls(workspace, { hasFurtherNames });
    const before: (readonly string[])[] = [];
    for (const [index, acts] of all.entries()) {
      before.push(await treeOf(workspace));
      const call = env.call(`c${index}`);
      const open = new Map<unknown, string>();
      for (const several of acts) await Promise.all(several.map((each) => run(call, each, open)));
      await call.end();
    }
    for (const [index, expected] of [...before.entries()].toReversed()) {
      const { left } = await env.undo(`c${index}`);
      const now = await treeOf(workspace);
      if (JSON.stringify([left, now]) !== JSON.stringify([[], expected]))
        throw new Error(`Undone, call ${index} leaves ${JSON.stringify(left)} and\n${differenceOf(now, expected)}`);
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function differenceOf(now: readonly string[], expected: readonly string[]): string {
  const more = now.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`);
  const less = expected.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  return [...more, ...less].join("\n");
}

export const undoModels: readonly Model[] = [
  model(
    "undo: any operations of calls on files, folders, links and second names can be undone, newest first [E8.undo-model]",
    calls,
    (all) => undoneIsAsBefore(all, true),
  ),
  model("undo: the same holds on a file system with one name per file [E8.undo-model]", calls, (all) => undoneIsAsBefore(all, false)),
];
