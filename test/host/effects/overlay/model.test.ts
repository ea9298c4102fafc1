import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../manifests/mod.ts";
import type { HostAnswer } from "../../../../sandbox/mod.ts";
import { toBytes } from "../../../support/bridge-context.ts";
import { type DiskCall, diskCall } from "../../../support/disk-call.ts";
import { overlaid } from "../../../support/overlaid.ts";
import "../../../support/seed.ts";

/** Few names, so that acts collide. Links lead to files, folders, nowhere, outside, and to each other. */
const PATHS = [
  "a.txt",
  "b.txt",
  "dir",
  "dir/c.txt",
  "dir/sub",
  "dir/sub/d.txt",
  "new",
  "new/x",
  "to-a",
  "to-dir",
  "to-dir/c.txt",
  "to-dir/y",
];
const STRANGE = [
  "nowhere",
  "out",
  "out/secret.txt",
  "loop",
  "a.txt/below",
  "locked",
  "locked/f.txt",
  "dir/../b.txt",
  ".",
  "proc",
  "/dev/null",
];
const FILES = {
  "a.txt": "one\ntwo\n",
  "b.txt": "b",
  "dir/c.txt": "c",
  "dir/sub/d.txt": "d",
  "locked/f.txt": "f",
  "to-a": { link: "a.txt" },
  "to-dir": { link: "dir" },
  nowhere: { link: "not-there" },
  out: { link: "$outside" },
  loop: { link: "loop" },
  proc: { link: "/proc/self" },
};

interface Act {
  readonly name: string;
  readonly args: JsonObject;
  readonly contents?: string;
}

const path = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PATHS) }, { weight: 1, arbitrary: fc.constantFrom(...STRANGE) });
const contents = fc.constantFrom("", "x", "one\nthree\n", "yy");
const flag = fc.boolean();
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ name: fc.constant("fs.readFile"), args: fc.record({ path }) }),
  fc.record({
    name: fc.constant("fs.writeFile"),
    args: fc.record({ path, append: flag, create: flag, createNew: fc.constantFrom(false, false, true) }),
    contents,
  }),
  fc.record({ name: fc.constantFrom("fs.readDir", "fs.stat", "fs.lstat", "fs.realPath"), args: fc.record({ path }) }),
  fc.record({ name: fc.constant("fs.mkdir"), args: fc.record({ path, recursive: flag }) }),
  fc.record({ name: fc.constant("fs.remove"), args: fc.record({ path, recursive: flag }) }),
  fc.record({ name: fc.constantFrom("fs.rename", "fs.copyFile"), args: fc.record({ from: path, to: path }) }),
  fc.record({ name: fc.constant("fs.truncate"), args: fc.record({ path, len: fc.constantFrom(0, 1, 9) }) }),
  fc.record({ name: fc.constant("workspace.patch"), args: fc.record({ path, old: fc.constantFrom("one", "x"), replacement: contents }) }),
  fc.record({ name: fc.constant("workspace.read"), args: fc.record({ path, offset: fc.constant(1), length: fc.constant(2) }) }),
  fc.record({ name: fc.constantFrom("workspace.exists", "workspace.list", "workspace.delete"), args: fc.record({ path }) }),
  fc.record({
    name: fc.constant("open"),
    args: fc.record({ path, write: flag, append: flag, truncate: flag, create: flag, createNew: fc.constantFrom(false, false, true) }),
    contents,
  }),
);

/** Times differ, and the order of a folder's entries is unspecified. */
function comparable(answer: HostAnswer, { workspace }: DiskCall): unknown {
  // Unspecified: which of two bad names is reported first, if one is missing and the other is below a file.
  if (!answer.ok && / rename '/.test(answer.error.message) && ["ENOENT", "ENOTDIR"].includes(answer.error.code ?? ""))
    return "nothing there";
  if (!answer.ok) return { ...answer.error, message: answer.error.message.replaceAll(workspace, "") };
  const { value, bytes } = answer;
  const shown = Array.isArray(value)
    ? value.map((item: JsonValue) => JSON.stringify(item)).toSorted()
    : isJsonObject(value) && "mtimeMs" in value
      ? { ...value, mtimeMs: 0, atimeMs: 0, birthtimeMs: 0, size: value["isFile"] === true ? value["size"] : 0 }
      : typeof value === "string"
        ? value.replace(workspace, "")
        : value;
  return { value: shown, bytes: bytes && new TextDecoder().decode(bytes) };
}

type Answer = DiskCall["answer"];

/** One act. Opening covers the whole life of a file handle. */
async function run(answer: Answer, { name, args, contents: text }: Act, call: DiskCall): Promise<unknown> {
  const bytes = text === undefined ? undefined : toBytes(text);
  if (name !== "open") return comparable(await answer(name, args, bytes), call);
  const opened = await answer("file.open", { ...args, read: true });
  if (!opened.ok) return comparable(opened, call);
  const id = opened.value;
  const answers = [
    await answer("file.read", { id, length: 3 }),
    await answer("file.write", { id }, bytes),
    await answer("file.seek", { id, offset: 1, whence: 0 }),
    await answer("file.read", { id, length: 30 }),
    await answer("file.truncate", { id, len: 4 }),
    await answer("file.stat", { id }),
    await answer("file.close", { id }),
  ];
  return answers.map((each) => comparable(each, call));
}

/** Lists everything below a folder, without following links. */
async function tree(folder: string, at = ""): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const name of (await readdir(join(folder, at))).toSorted()) {
    const path = join(at, name);
    const stats = await lstat(join(folder, path));
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) lines.push(`${path}/ ${mode}`, ...(await tree(folder, path)));
    else if (stats.isSymbolicLink()) lines.push(`${path} -> ${(await readlink(join(folder, path))).replace(/.*\/outside/, "outside")}`);
    else lines.push(`${path} ${mode} ${await readFile(join(folder, path), "utf8")}`);
  }
  return lines;
}

const PERMISSIONS = { read: ["$workspace"], write: { allow: ["$workspace"], deny: ["$workspace/locked"] } };

describe("a dry run", () => {
  it("answers every act as the disk does, changes nothing, and commits the same result as a run [E8.overlay]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
        const direct = await diskCall(FILES, PERMISSIONS);
        const below = await diskCall(FILES, PERMISSIONS);
        const dry = overlaid(below);
        const before = await tree(below.workspace);
        for (const each of acts) expect(await run(dry.answer, each, below)).toEqual(await run(direct.answer, each, direct));
        expect(await tree(below.workspace)).toEqual(before);
        expect(await dry.overlay.tree.seen.changed(below.context.platform.guarded)).toEqual([]);
        expect(await dry.commit()).toMatchObject({ ok: true });
        expect(await tree(below.workspace)).toEqual(await tree(direct.workspace));
        expect(await tree(below.outside)).toEqual(["secret.txt 644 secret"]);
      }),
      { numRuns: 20 },
    );
  });
});
