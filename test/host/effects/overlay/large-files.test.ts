/** Dry runs that remove or replace files that have several names, or exceed the size that a dry run may hold. */

import { link, readdir, readFile, stat, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { toBytes } from "../../../support/bridge-context.ts";
import { type DiskCall, diskCall } from "../../../support/disk-call.ts";
import { overlaid } from "../../../support/overlaid.ts";

const LARGE_BYTES = 100 * 1024 * 1024;

/** `dir` holds two large sparse files, which use no space on the disk. */
async function largeCall(): Promise<DiskCall> {
  const call = await diskCall({ "dir/large": "", "dir/other": "", "small.txt": "small" });
  for (const name of ["large", "other"]) await truncate(join(call.workspace, "dir", name), LARGE_BYTES);
  return call;
}

const REMOVED = { kind: "deleted", path: "dir/large", type: "file", before: { bytes: LARGE_BYTES } };
const REPLACED = { kind: "modified", path: "dir/large", type: "file", before: { bytes: LARGE_BYTES } };

const CASES: readonly (readonly [name: string, args: JsonObject, shown: readonly object[]])[] = [
  ["fs.remove", { path: "dir/large" }, [REMOVED]],
  [
    "fs.remove",
    { path: "dir", recursive: true },
    [{ kind: "deleted", path: "dir", type: "directory" }, REMOVED, { ...REMOVED, path: "dir/other" }],
  ],
  ["workspace.delete", { path: "dir/large" }, [REMOVED]],
  ["fs.rename", { from: "dir/other", to: "dir/large" }, [REMOVED, { kind: "renamed", path: "dir/large", from: "dir/other", type: "file" }]],
  ["fs.writeFile", { path: "dir/large" }, [REPLACED]],
  ["workspace.write", { path: "dir/large" }, [REPLACED]],
  ["fs.copyFile", { from: "small.txt", to: "dir/large" }, [REPLACED]],
  ["fs.truncate", { path: "dir/large" }, [{ ...REPLACED, after: { bytes: 0 } }]],
  ["file.open", { path: "dir/large", write: true, truncate: true }, [{ ...REPLACED, after: { bytes: 0 } }]],
];

/** Names below a folder, with file sizes. */
async function sizesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.map(async (name) => {
    const info = await stat(join(folder, name));
    return info.isFile() ? `${name} ${info.size}` : name;
  });
  return (await Promise.all(lines)).toSorted();
}

describe("a dry run of files larger than it may hold", () => {
  it.each(CASES)("removes or replaces one by %s %j, and the commit does it [E8.large]", async (name, args, shown) => {
    const [direct, below] = [await largeCall(), await largeCall()];
    const dry = overlaid(below);
    const before = await sizesOf(below.workspace);
    for (const { answer } of [dry, direct]) expect(await answer(name, args, toBytes("small"))).toMatchObject({ ok: true });
    expect(await sizesOf(below.workspace)).toEqual(before);
    const { changes } = await dry.overlay.report(below.workspace, true);
    expect(changes).toMatchObject(shown);
    expect(changes).toHaveLength(shown.length);
    expect(dry.overlay.exceeded).toBeUndefined();
    expect(await dry.overlay.tree.seen.changed(below.context.platform.guarded)).toEqual([]);
    expect(await dry.commit()).toMatchObject({ ok: true });
    expect(await sizesOf(below.workspace)).toEqual(await sizesOf(direct.workspace));
  });

  it("is not committed onto a file that changed since, even if the call did not read it [E8.large]", async () => {
    const below = await largeCall();
    const dry = overlaid(below);
    expect(await dry.answer("fs.remove", { path: "dir/large" })).toMatchObject({ ok: true });
    await utimes(join(below.workspace, "dir/large"), 1_000, 2_000);
    expect(await dry.overlay.tree.seen.changed(below.context.platform.guarded)).toEqual([join(below.workspace, "dir/large")]);
  });

  it("fails to copy a missing file onto one, and leaves it as it was [E8.large]", async () => {
    const below = await largeCall();
    const dry = overlaid(below);
    expect(await dry.answer("fs.copyFile", { from: "none", to: "dir/large" })).toMatchObject({ ok: false });
    expect(await dry.answer("fs.stat", { path: "dir/large" })).toMatchObject({ value: { size: LARGE_BYTES } });
    expect((await dry.overlay.report(below.workspace, true)).changes).toEqual([]);
  });

  it("runs out of room if all of a file would be needed [E8.bounded]", async () => {
    const below = await largeCall();
    const dry = overlaid(below);
    expect(await dry.answer("fs.writeFile", { path: "dir/large", append: true }, toBytes("x"))).toMatchObject({ ok: false });
    expect(dry.overlay.exceeded).toMatchObject({ code: "resource_exhausted", details: { limit: "dryRunBytes" } });
  });

  it("commits a write to a file with two names under both [E8.names]", async () => {
    const below = await diskCall({ "a.txt": "a" });
    await link(join(below.workspace, "a.txt"), join(below.workspace, "twin"));
    const dry = overlaid(below);
    expect(await dry.answer("fs.writeFile", { path: "a.txt" }, toBytes("new"))).toMatchObject({ ok: true });
    expect(await dry.commit()).toMatchObject({ ok: true });
    expect(await readFile(join(below.workspace, "twin"), "utf8")).toBe("new");
    expect((await stat(join(below.workspace, "twin"))).nlink).toBe(2);
  });
});
