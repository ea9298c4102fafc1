import { describe, expect, it } from "vitest";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

describe("tools.call", () => {
  it("refuses every name if the call has no access to tools, whatever is granted [C9]", async () => {
    const call = testCall({ platform: memoryPlatform(), cwd: WORKSPACE, permissions: { tools: ["words.grep"] } });
    expect(await call.answer("tools.call", { name: "words.grep", args: {} })).toEqual({
      ok: false,
      error: { name: "NotSupported", message: "Tools cannot be called here (nor in a dry run)" },
    });
    expect(call.acts).toMatchObject([{ decision: "granted", permission: "tools", value: "words.grep" }]);
  });
});
