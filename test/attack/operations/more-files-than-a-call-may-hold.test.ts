import { expect, it } from "vitest";
import { MAX_FILES_OF_A_CALL } from "../../../host/capabilities/files/open-files.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

it("attack: a call opens files until the host has none left [B3.files] [PB1]", async () => {
  const call = testCall({ platform: memoryPlatform({ a: "x" }), cwd: WORKSPACE, permissions: { read: ["$workspace"] } });
  const opened = await Promise.all(Array.from({ length: 500 }, () => call.answer("file.open", { path: "a", read: true })));
  expect(opened.filter(({ ok }) => ok)).toHaveLength(MAX_FILES_OF_A_CALL);
  expect(opened.at(-1)).toMatchObject({ ok: false, error: { message: expect.stringMatching(/open/) } });
  await call.context.openFiles?.close(() => {});
  expect(await call.answer("file.open", { path: "a", read: true })).toMatchObject({ ok: false });
});
