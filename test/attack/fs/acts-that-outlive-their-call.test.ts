import { readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { answerOperation, type BridgeContext } from "../../../host/capabilities/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

/** The two ways in which a call stops waiting for an act. */
const ENDS: readonly (readonly [string, (context: BridgeContext) => { readonly context: BridgeContext; readonly end: () => unknown }])[] = [
  ["the call has ended", (context) => ({ context, end: () => context.openFiles?.close(() => undefined) })],
  [
    "it is cancelled",
    (context) => {
      const cancel = new AbortController();
      return { context: { ...context, signal: cancel.signal }, end: () => cancel.abort() };
    },
  ],
];

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await nextTurn();
}

describe("attack: acts that continue after their call", () => {
  it.each(ENDS)("a copy of a giant file ends when %s [T3.files, C4.size]", async (_, begin) => {
    const call = await diskCall({ giant: "" });
    await truncate(join(call.workspace, "giant"), 2 ** 30);
    const { context, end } = begin(call.context);
    const copying = answerOperation({ name: "fs.copyFile", args: { from: "giant", to: "copy" } }, context);
    const sizeOfCopy = async (): Promise<number> => (await stat(join(call.workspace, "copy")).catch(() => ({ size: 0 }))).size;
    await until(async () => (await sizeOfCopy()) > 0);
    end();
    expect(await copying).toMatchObject({ ok: false, error: { name: "Interrupted", code: "EINTR" } });
    expect(await sizeOfCopy()).toBeLessThan(2 ** 30);
  });

  it.each(ENDS)("a removal of many files ends when %s [T3.files, C4.remove]", async (_, begin) => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_entry, index) => [`tree/${index}`, ""]));
    const call = await diskCall(files);
    const { context, end } = begin(call.context);
    const removing = answerOperation({ name: "fs.remove", args: { path: "tree", recursive: true } }, context);
    const left = async (): Promise<number> => (await readdir(join(call.workspace, "tree")).catch(() => [])).length;
    await until(async () => (await left()) < 300);
    end();
    expect(await removing).toMatchObject({ ok: false, error: { name: "Interrupted" } });
    expect(await left()).toBeGreaterThan(0);
  });
});

describe("attack: listings of the largest size that an answer may have", () => {
  it("stop before they are gathered, if the names alone are too long for an answer [C4.listing, B3.operationBytes]", async () => {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`long/${"x".repeat(200)}${index}`, ""]));
    const call = await diskCall(files);
    const context = { ...call.context, limits: { operationBytes: 10_000 } };
    for (const name of ["fs.readDir", "workspace.list"])
      expect(await answerOperation({ name, args: { path: "long" } }, context)).toMatchObject({
        ok: false,
        error: { name: "RangeError", message: expect.stringContaining(`Cannot list "long"`) },
      });
  });

  it("are gathered a few at a time, even if many are requested at once [C4.listing, B1]", async () => {
    const platform = memoryPlatform({ "d/a": "" });
    let now = 0;
    let most = 0;
    const guarded: typeof platform.guarded = {
      ...platform.guarded,
      async list(path, options) {
        most = Math.max(most, ++now);
        await nextTurn();
        now--;
        return await platform.guarded.list(path, options);
      },
    };
    const { answer } = testCall({ platform: { ...platform, guarded }, cwd: WORKSPACE, permissions: { read: ["$workspace"] } });
    const asked = Array.from({ length: 64 }, (_, index) => answer(index % 2 === 0 ? "fs.readDir" : "workspace.list", { path: "d" }));
    expect((await Promise.all(asked)).every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(4);
  });
});
