import { describe, expect, it } from "vitest";
import { createMicrovmExecutor } from "../../../host/routes/microvm.ts";
import { executionOf } from "../../support/execution.ts";
import { functionOf, pluginToolOf } from "../../support/registered.ts";

describe("createMicrovmExecutor()", () => {
  it.each([
    ["a plugin's tool", pluginToolOf("words", { name: "run" })],
    ["a function", functionOf("run")],
  ])("runs nothing, cancelled or not, and names the missing route: %s [O4]", async (_name, tool) => {
    for (const signal of [new AbortController().signal, AbortSignal.abort()])
      expect(await createMicrovmExecutor()(executionOf({ tool, signal }))).toEqual({
        ok: false,
        error: {
          code: "unavailable",
          message: expect.stringMatching(
            /is unavailable: its route is "microvm".*cannot run micro virtual machines.*set its route to "wasm"/,
          ),
          visible: true,
        },
        used: { wallMs: 0 },
        filesModified: [],
      });
  });
});
