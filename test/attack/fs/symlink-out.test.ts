import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, toBytes } from "../../support/bridge-context.ts";
import { type DiskCall, diskCall } from "../../support/disk-call.ts";
import type { JsonValue } from "../../../manifests/mod.ts";

const LINKS = {
  file: { link: "$outside/secret.txt" },
  relative: { link: "../outside/secret.txt" },
  chain: { link: "file" },
  folder: { link: "$outside" },
  up: { link: ".." },
  dangling: { link: "$outside/made.txt" },
  "mine.txt": "mine",
} as const;

/** Every operation that takes a path, with a path through a link. */
const ACTS: readonly (readonly [string, JsonValue])[] = [
  ...["fs.readFile", "fs.stat", "fs.realPath", "workspace.read", "workspace.exists"].flatMap((name) =>
    ["file", "relative", "chain", "folder/secret.txt", "up/outside/secret.txt"].map((path) => [name, { path }] as const),
  ),
  ["fs.lstat", { path: "folder/secret.txt" }],
  ["fs.readDir", { path: "folder" }],
  ["workspace.list", { path: "folder" }],
  ...["fs.writeFile", "workspace.write"].flatMap((name) =>
    ["file", "chain", "dangling", "folder/made.txt", "up/outside/made.txt"].map((path) => [name, { path }] as const),
  ),
  ["fs.writeFile", { path: "file", append: true }],
  ["fs.writeFile", { path: "file", mode: 0o777 }],
  ["fs.truncate", { path: "file" }],
  ["fs.mkdir", { path: "folder/made" }],
  ["fs.mkdir", { path: "folder/a/b", recursive: true }],
  ["fs.remove", { path: "folder/secret.txt" }],
  ["fs.remove", { path: "folder/secret.txt", recursive: true }],
  ["workspace.delete", { path: "folder/secret.txt" }],
  ["workspace.patch", { path: "file", old: "secret", replacement: "x" }],
  ["fs.rename", { from: "folder/secret.txt", to: "stolen" }],
  ["fs.rename", { from: "mine.txt", to: "folder/given" }],
  ["fs.copyFile", { from: "file", to: "stolen" }],
  ["fs.copyFile", { from: "mine.txt", to: "file" }],
  ["fs.copyFile", { from: "mine.txt", to: "dangling" }],
  ["fs.makeTempFile", { dir: "folder" }],
  ["fs.makeTempDir", { dir: "folder" }],
];

describe("attack: a symlink in the workspace leads out of it", () => {
  it.each(ACTS)("refuses %s %j and touches nothing [C4.symlink, PA4, C10]", async (name, args) => {
    const call = await diskCall(LINKS);
    const answered = await call.answer(name, args, toBytes("evil"));
    expect(errorName(answered)).toBe("NotCapable");
    expect(JSON.stringify(answered)).not.toContain(call.outside);
    expect(call.acts.length).toBeGreaterThan(0);
    expect(call.acts.every(({ decision }) => decision === "denied")).toBe(true);
    await expectUntouched(call);
  });

  it("can inspect, move and remove the links themselves", async () => {
    const call = await diskCall(LINKS);
    expect(await call.answer("fs.lstat", { path: "file" })).toMatchObject({ ok: true, value: { isSymlink: true } });
    expect(await call.answer("fs.rename", { from: "file", to: "moved" })).toMatchObject({ ok: true });
    expect(errorName(await call.answer("fs.readFile", { path: "moved" }))).toBe("NotCapable");
    expect(await call.answer("fs.remove", { path: "moved" })).toMatchObject({ ok: true });
    expect(await call.answer("fs.remove", { path: "folder", recursive: true })).toMatchObject({ ok: true });
    await expectUntouched({ ...call, workspace: call.workspace });
  });
});

async function expectUntouched({ outside, workspace, contents }: DiskCall): Promise<void> {
  expect(await readdir(outside)).toEqual(["secret.txt"]);
  expect(await contents(join(outside, "secret.txt"))).toBe("secret");
  expect((await readdir(workspace)).includes("stolen")).toBe(false);
}
