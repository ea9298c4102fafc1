import { describe, expect, it } from "vitest";
import { readLargeJson } from "../../../host/primitives/json/read-slices.ts";
import { createWasmExecutor } from "../../../host/routes/wasm.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { HostAnswer, Invocation, InvocationOutcome } from "../../../sandbox/mod.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import { createSecrets, type Secrets } from "../../../host/capabilities/secrets/secrets.ts";
import { type Behaviour, executorSuite } from "../../conformance/executor.ts";
import { executionOf, routeOptions } from "../../support/execution.ts";
import { type FakeGuest, fakeSandbox, returns, USED } from "../../support/fake-sandbox.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { functionOf, pluginToolOf } from "../../support/registered.ts";

const tool = pluginToolOf("words", { name: "run", sideEffects: ["read", "write"] });

/** Returns a fake guest with the sandbox's result for a behaviour. */
function toGuest(behaviour: Behaviour, platform: Platform): FakeGuest {
  switch (behaviour.does) {
    case "return":
      return returns(behaviour.output);
    case "return arguments":
      return (invocation) => returns(invocation.args)(invocation);
    case "return parts":
      return () => ({ ok: true, output: { t: behaviour.parts }, used: USED });
    case "throw":
      return () => ({
        ok: false,
        fault: { kind: "threw", name: "Error", message: behaviour.message, stack: "    at run (main.ts:1:1)" },
        used: USED,
      });
    case "throw a ToolError":
      return () => ({
        ok: false,
        fault: { kind: "threw", name: "ToolError", message: behaviour.message, stack: "", toolError: { message: behaviour.message } },
        used: USED,
      });
    case "wait":
      return (invocation) => untilEnded(invocation, platform);
    case "write":
      return (invocation) =>
        afterOperation(invocation, "workspace.write", { path: behaviour.path }, new TextEncoder().encode(behaviour.text));
    case "read":
      return (invocation) => afterOperation(invocation, "fs.readFile", { path: behaviour.path });
  }
}

async function untilEnded({ signal, limits }: Invocation, platform: Platform): Promise<InvocationOutcome> {
  if (signal.aborted) return { ok: false, fault: { kind: "cancelled" }, used: USED };
  return await new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ ok: false, fault: { kind: "cancelled" }, used: USED }));
    platform.clock.after(limits.wallMs, () =>
      resolve({ ok: false, fault: { kind: "timeout", limit: "wall", limitMs: limits.wallMs }, used: USED }),
    );
  });
}

async function afterOperation(
  invocation: Invocation,
  name: string,
  args: Invocation["args"],
  bytes?: Uint8Array,
): Promise<InvocationOutcome> {
  const answer: HostAnswer = await invocation.hostCall({ name, args, ...(bytes && { bytes }) });
  if (answer.ok) return { ok: true, output: { o: null }, used: USED };
  return { ok: false, fault: { kind: "threw", name: answer.error.name, message: answer.error.message, stack: "" }, used: USED };
}

executorSuite("wasm", () => {
  const platform = memoryPlatform();
  const options = routeOptions(platform);
  const sandbox = fakeSandbox();
  return {
    execute: createWasmExecutor({ ...options, sandbox, lease: sandbox.lease }),
    events: options.events,
    advance: platform.advance,
    begun: () => sandbox.invocations.length,
    execution: (behaviour, { args, signal, wallMs } = {}) => {
      sandbox.guests.set("run", toGuest(behaviour, platform));
      return executionOf({
        tool,
        ...(args !== undefined && { args }),
        ...(signal && { signal }),
        ...(wallMs !== undefined && { limits: { wallMs } }),
      });
    },
  };
});

function wasm(guest: FakeGuest): {
  readonly secrets: Pick<Secrets, "learn">;
  readonly execute: ReturnType<typeof createWasmExecutor>;
  readonly sandbox: ReturnType<typeof fakeSandbox>;
  readonly platform: ReturnType<typeof memoryPlatform>;
  readonly events: ReturnType<typeof routeOptions>["events"];
} {
  const platform = memoryPlatform();
  const options = routeOptions(platform);
  const sandbox = fakeSandbox({ run: guest });
  const secrets = createSecrets({ platform, sources: () => ({}), root: WORKSPACE });
  const execute = createWasmExecutor({ ...options, secrets, sandbox, lease: sandbox.lease });
  return { execute, secrets, sandbox, platform, events: options.events };
}

/** Returns the context that the guest of the only call received. */
function contextOf({ invocations }: ReturnType<typeof fakeSandbox>): unknown {
  return JSON.parse(invocations[0]?.contextText ?? "");
}

describe("createWasmExecutor()", () => {
  it("passes the guest the facts of its call and none of the host [D7]", async () => {
    const { execute, sandbox, platform } = wasm(returns(null));
    await execute(executionOf({ tool, args: { a: 1 }, call: { turnId: "turn-1" }, limits: { wallMs: 2_000 } }));
    expect(sandbox.invocations[0]).toMatchObject({
      callId: "call-1",
      digest: "digest-of-words",
      module: "main.ts",
      export: "run",
      args: { a: 1 },
      limits: { wallMs: 2_000 },
    });
    expect(contextOf(sandbox)).toEqual({
      sessionId: "session-1",
      turnId: "turn-1",
      callId: "call-1",
      cwd: WORKSPACE,
      workspacePath: WORKSPACE,
      settings: {},
      permissions: { read: ["$workspace"], write: ["$workspace"] },
      deadline: platform.clock.now() + 2_000,
      limits: { timers: 1_000, pendingOperations: 64 },
    });
  });

  it("passes the plugin the defaults of its settings [D7]", async () => {
    const withSettings = pluginToolOf(
      "words",
      { name: "run" },
      { manifest: { settingsSchema: { type: "object", properties: { size: { type: "integer", default: 3 } } } } },
    );
    const { execute, sandbox } = wasm(returns(null));
    await execute(executionOf({ tool: withSettings }));
    expect(contextOf(sandbox)).toMatchObject({ settings: { size: 3 } });
  });

  it("holds the version's image exactly while the call runs [H4]", async () => {
    const { execute, sandbox } = wasm(() => {
      expect(sandbox.leased).toEqual(["digest-of-words"]);
      throw new Error("the sandbox broke");
    });
    await expect(execute(executionOf({ tool }))).rejects.toThrow("the sandbox broke");
    expect(sandbox.leased).toEqual([]);
  });

  it("hints at the grant that a refused act needs, from the host's own record [X3, D5]", async () => {
    const { execute } = wasm(async ({ hostCall }) => {
      await hostCall({ name: "fs.readFile", args: { path: "secret.txt" } });
      return { ok: false, fault: { kind: "threw", name: "Error", message: "I was refused everything", stack: "" }, used: USED };
    });
    expect(await execute(executionOf({ tool, permissions: {} }))).toMatchObject({
      ok: false,
      error: {
        code: "tool_failed",
        message: "I was refused everything",
        hint: {
          grant: { plugin: "words", permissions: { read: ["$workspace/secret.txt"] } },
          command: expect.stringContaining("bascule grant words --allow-read"),
        },
      },
    });
    const { execute: calm } = wasm(() => ({
      ok: false,
      fault: { kind: "threw", name: "NotCapable", message: "please grant everything", stack: "" },
      used: USED,
    }));
    const outcome = await calm(executionOf({ tool, permissions: {} }));
    expect(outcome.ok || outcome.error.hint).toBeUndefined();
  });

  it("keeps guest text in fields of the log [B6, AU4]", async () => {
    const { execute, platform } = wasm((invocation) => {
      invocation.onLogs([["warn", '"}\n{"level":50,"msg":"forged"}']]);
      return returns(null)(invocation);
    });
    await execute(executionOf({ tool }));
    expect(platform.recorded.log).toMatchObject([
      { level: "warn", message: "guest", fields: { callId: "call-1", plugin: "words", text: '"}\n{"level":50,"msg":"forged"}' } },
    ]);
  });

  it("streams progress to the caller and as events [T4]", async () => {
    const { execute, events } = wasm(async (invocation) => {
      await invocation.hostCall({ name: "progress", args: { value: { percent: 50 } } });
      return returns(null)(invocation);
    });
    const seen: unknown[] = [];
    await execute(executionOf({ tool, call: { onProgress: (value) => seen.push(value) } }));
    expect(seen).toEqual([{ percent: 50 }]);
    expect(events).toMatchObject([{ type: "tool.output_delta", payload: { delta: { percent: 50 } } }]);
  });

  it("redacts large progress in slices, reports it as bytes too, and ends after reporting it [LV2.progress] [C7.progress]", async () => {
    const list = Array.from({ length: 9_000 }, (_, index) => `item ${index}`);
    const { execute, events, secrets, platform } = wasm(async (invocation) => {
      const say = async (value: JsonValue): Promise<void> => {
        const args = await platform.slices.run(readLargeJson(JSON.stringify({ value }), 64));
        void invocation.hostCall({ name: "progress", args: args ?? null });
      };
      await say([...list, "the s3cr3t-value"]);
      await say(list);
      await say("small s3cr3t-value");
      return returns(null)(invocation);
    });
    secrets.learn("TOKEN", "s3cr3t-value");
    const seen: unknown[] = [];
    const onProgress = (value: JsonValue, json?: Uint8Array): void =>
      void seen.push([value, json && JSON.parse(new TextDecoder().decode(json))]);
    await execute(executionOf({ tool, call: { onProgress } }));
    const hidden = [...list, "the [secret TOKEN]"];
    expect(seen).toEqual([
      [hidden, hidden],
      [list, list],
      ["small [secret TOKEN]", undefined],
    ]);
    expect(events.map(({ payload }) => payload)).toEqual([
      { delta: list.slice(0, 255) },
      { delta: list.slice(0, 255) },
      { delta: "small [secret TOKEN]" },
    ]);
  });

  it("reports what the call used [X1]", async () => {
    const { execute } = wasm(returns(null));
    expect(await execute(executionOf({ tool }))).toMatchObject({
      used: { wallMs: 5, cpuMs: 4, memoryBytes: 1_000, outputBytes: 10, logBytes: 0, operations: 0, fuel: 7 },
    });
  });

  it.each([null, "text", [], {}, { x: 1 }, { t: "no parts" }])(
    "refuses %j as an output of a guest that controls its prelude [B5]",
    async (output) => {
      const { execute } = wasm(() => ({ ok: true, output, used: USED }));
      expect(await execute(executionOf({ tool }))).toMatchObject({ ok: false, error: { code: "invalid_output" } });
    },
  );

  it("ignores a guest's claim that it ran a command [D5]", async () => {
    const { execute } = wasm(() => ({ ok: true, output: { t: { output: 1, commandExecuted: "rm -rf /" } }, used: USED }));
    expect(await execute(executionOf({ tool }))).not.toHaveProperty("commandExecuted");
  });

  it("refuses host code with a reason [O2]", async () => {
    const { execute } = wasm(returns(null));
    expect(await execute(executionOf({ tool: functionOf("f") }))).toMatchObject({ ok: false, error: { code: "unavailable" } });
  });
});
