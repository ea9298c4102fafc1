import { expect, it } from "vitest";
import { createOpenFiles } from "../../../host/capabilities/mod.ts";
import { answerOperation } from "../../../host/capabilities/mod.ts";
import { errorName, testCall, valueOf } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

it("attack: an open file of another or an ended call is read by its identifier [B5.identity] [PB1]", async () => {
  const platform = memoryPlatform({ "a.txt": "secret of the first call" });
  const permissions = { read: ["$workspace"], write: ["$workspace"] };
  const owner = testCall({ platform, cwd: WORKSPACE, permissions });
  const id = valueOf(await owner.answer("file.open", { path: "a.txt", read: true }));
  const thief = testCall({ platform, cwd: WORKSPACE, permissions: {} });
  const context = { ...thief.context, callId: "call-2", openFiles: createOpenFiles("call-2") };
  for (const forged of [id, id.replace("call-1", "call-2"), "call-1/1", "1", "", "__proto__", "call-2/../call-1/1", `${id}\0`])
    for (const name of ["file.read", "file.stat", "file.seek", "file.truncate", "file.sync", "file.close", "file.utime"]) {
      const answer = await answerOperation(
        { name, args: { id: forged, length: 10, offset: 0, whence: 0, atimeMs: 0, mtimeMs: 0 } },
        context,
      );
      expect(errorName(answer), `${name} ${forged}`).toBeDefined();
    }
  // The thief's attempts have neither closed nor moved it.
  expect(await owner.answer("file.read", { id, length: 6 })).toMatchObject({ ok: true, bytes: new TextEncoder().encode("secret") });
  await owner.context.openFiles?.close(() => {});
  expect(errorName(await owner.answer("file.read", { id, length: 6 }))).toBeDefined();
});
