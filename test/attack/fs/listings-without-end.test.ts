import { expect, it } from "vitest";
import { MAX_DIRECTORY_ENTRIES } from "../../../host/capabilities/files/list-directory.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

it("attack: a folder with more entries than an answer can hold [C4.listing] [B3.operationBytes]", async () => {
  const platform = memoryPlatform();
  const list = async (entries: number, operationBytes: number) => {
    for (let index = 0; index < entries; index++) platform.plant(`${WORKSPACE}/d${entries}/${"x".repeat(20)}${index}`, "");
    const { answer } = testCall({ platform, cwd: WORKSPACE, permissions: { read: ["$workspace"] }, operationBytes });
    return await answer("fs.readDir", { path: `d${entries}` });
  };
  expect(await list(100, 10_000)).toMatchObject({ ok: true });
  // An answer counts as an operation's payload too.
  expect(await list(500, 10_000)).toMatchObject({ ok: false, error: { name: "RangeError" } });
  expect(MAX_DIRECTORY_ENTRIES).toBeLessThanOrEqual(100_000);
});

it("attack: a sparse file of the largest possible size [C4.size]", async () => {
  const { answer } = testCall({
    platform: memoryPlatform({ a: "" }),
    cwd: WORKSPACE,
    permissions: { write: ["$workspace"], read: ["$workspace"] },
  });
  for (const len of [2 ** 53 - 1, 2 ** 41, 2 ** 40 + 1])
    expect(await answer("fs.truncate", { path: "a", len }), String(len)).toMatchObject({ ok: false });
  expect(await answer("fs.readFile", { path: "a" })).toMatchObject({ ok: true, bytes: new Uint8Array() });
});
