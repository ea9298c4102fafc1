import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../host/call/context.ts";
import { createHostExecutor } from "../../../host/routes/host.ts";
import { ToolError } from "../../../host/tools/tool-error.ts";
import type { Tool } from "../../../host/tools/tool.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import { executorSuite } from "../../conformance/executor.ts";
import { toExecute } from "../../support/behaviour.ts";
import { executionOf, routeOptions } from "../../support/execution.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { pluginToolOf } from "../../support/registered.ts";
import { hostTool } from "../../support/tools.ts";

function registered(
  execute: Tool["execute"],
  cancel?: Tool["cancel"],
  graceMs?: number,
): ReturnType<ReturnType<typeof createRegistry>["register"]> {
  const create = hostTool("tool", {}, execute, cancel);
  return createRegistry({ newId: () => "id" }).register(graceMs === undefined ? create : () => ({ ...create(), graceMs }));
}

executorSuite("host", () => {
  const platform = memoryPlatform();
  const options = routeOptions(platform);
  let begun = 0;
  return {
    execute: createHostExecutor(options),
    events: options.events,
    advance: platform.advance,
    begun: () => begun,
    execution: (behaviour, { args, signal, wallMs } = {}) => {
      const execute = toExecute(behaviour);
      const tool = registered((given, context) => {
        begun += 1;
        return execute(given, context);
      });
      return executionOf({
        tool,
        ...(args !== undefined && { args }),
        ...(signal && { signal }),
        ...(wallMs !== undefined && { limits: { wallMs } }),
      });
    },
  };
});

describe("createHostExecutor()", () => {
  it("creates a fresh instance for each call [R1]", async () => {
    const instances: object[] = [];
    const tool = createRegistry({ newId: () => "id" }).register(() => {
      const instance = hostTool("tool", {}, () => null)();
      instances.push(instance);
      return instance;
    });
    const execute = createHostExecutor(routeOptions(memoryPlatform()));
    const before = instances.length;
    await Promise.all([execute(executionOf({ tool })), execute(executionOf({ tool }))]);
    expect(new Set(instances.slice(before)).size).toBe(2);
  });

  it("refuses the second call of a factory that returns the same object twice [SR3.instance]", async () => {
    let runs = 0;
    const shared = hostTool("tool", {}, () => (runs += 1))();
    const tool = createRegistry({ newId: () => "id" }).register(() => shared);
    const execute = createHostExecutor(routeOptions(memoryPlatform()));
    expect(await execute(executionOf({ tool }))).toMatchObject({ ok: true, output: 1 });
    expect(await execute(executionOf({ tool }))).toMatchObject({
      ok: false,
      error: {
        code: "unavailable",
        message: 'The factory of tool "tool" returned the same object for two calls (create a new object on each call)',
      },
    });
    expect(runs).toBe(1);
  });

  it("passes a tool a frozen context with all facts of its call [D7]", async () => {
    let seen: ToolContext | undefined;
    const tool = registered((_args, context) => {
      seen = context;
      return null;
    });
    const platform = memoryPlatform();
    const call = { turnId: "turn-1", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    await createHostExecutor(routeOptions(platform))(executionOf({ tool, call, limits: { wallMs: 2_000 } }));
    expect(seen).toMatchObject({
      ...call,
      sessionId: "session-1",
      callId: "call-1",
      workspacePath: WORKSPACE,
      settings: {},
      permissions: { read: ["$workspace"], write: ["$workspace"] },
      deadline: platform.clock.now() + 2_000,
    });
    expect(Object.isFrozen(seen)).toBe(true);
    expect(Object.isFrozen(seen?.workspace)).toBe(true);
  });

  it("hides an error that a tool did not mean to show and logs it [X4]", async () => {
    const platform = memoryPlatform();
    const tool = registered(() => {
      throw new Error("password is hunter2");
    });
    const outcome = await createHostExecutor(routeOptions(platform))(executionOf({ tool }));
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "Tool failed", details: { callId: "call-1" }, visible: false },
    });
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
    expect(platform.recorded.log).toMatchObject([
      { level: "error", message: "A host tool threw", fields: { callId: "call-1", error: expect.stringContaining("hunter2") } },
    ]);
  });

  it("shows a thrown ToolError with its own code and details [X4]", async () => {
    const tool = registered(() => {
      throw new ToolError("unavailable", "The index is being rebuilt", { details: { retryAfterMs: 500 } });
    });
    expect(await createHostExecutor(routeOptions(memoryPlatform()))(executionOf({ tool }))).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: "The index is being rebuilt", details: { retryAfterMs: 500 }, visible: true },
    });
  });

  it("cancels a tool, waits for its grace period, and keeps its late result [T3]", async () => {
    const platform = memoryPlatform();
    let cancelled = 0;
    const tool = registered(
      (_args, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("half"))),
      async () => (cancelled++, true),
    );
    const stop = new AbortController();
    const running = createHostExecutor(routeOptions(platform))(executionOf({ tool, signal: stop.signal }));
    stop.abort();
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" }, partialOutput: "half" });
    expect(cancelled).toBe(1);
  });

  it("waits for a tool's own grace period, but no longer than 30 s [T3]", async () => {
    for (const [graceMs, partialOutput] of [
      [5_000, "half"],
      [60_000, undefined],
    ] as const) {
      const platform = memoryPlatform();
      let end: (value: string) => void = () => undefined;
      const tool = registered(() => new Promise<string>((resolve) => (end = resolve)), undefined, graceMs);
      const stop = new AbortController();
      const running = createHostExecutor(routeOptions(platform))(executionOf({ tool, signal: stop.signal }));
      stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
      platform.advance(graceMs === 5_000 ? 4_999 : 30_000);
      await new Promise((resolve) => setImmediate(resolve));
      end("half");
      expect((await running).partialOutput).toBe(partialOutput);
    }
  });

  it("abandons a tool that does not end, with a warning [T3]", async () => {
    const platform = memoryPlatform();
    const tool = registered(
      () => new Promise(() => {}),
      () => Promise.reject(new Error("cannot")),
    );
    let settled = false;
    const running = createHostExecutor(routeOptions(platform))(executionOf({ tool, limits: { wallMs: 100 } })).finally(
      () => (settled = true),
    );
    platform.advance(100);
    await Promise.resolve();
    platform.advance(2_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    platform.advance(3_000);
    expect(await running).toMatchObject({ ok: false, error: { code: "timeout" } });
    expect(platform.recorded.log.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "A tool's cancel threw"],
      ["warn", "A tool ignored the request to stop and was abandoned"],
    ]);
  });

  it.each<[string, unknown, object]>([
    ["a BigInt", { a: 1n }, { code: "invalid_output", message: 'Invalid output at /a: A value of type "bigint" has no JSON form' }],
    [
      "a map",
      { a: new Map() },
      { code: "invalid_output", message: "Invalid output at /a: A Map has no JSON form (Object.fromEntries makes an object of it)" },
    ],
    ["too much data", "x".repeat(2_000), { code: "resource_exhausted", details: { limit: "outputBytes", allowed: 1_000 } }],
    ["too deep a value", [[[[[1]]]]], { code: "resource_exhausted", details: { limit: "jsonDepth", allowed: 4 } }],
  ])("refuses %s as output [B3]", async (_what, output, error) => {
    const tool = registered(() => output as never);
    expect(
      await createHostExecutor(routeOptions(memoryPlatform()))(executionOf({ tool, limits: { outputBytes: 1_000, jsonDepth: 4 } })),
    ).toMatchObject({ ok: false, error });
  });

  it("reads undefined as null [X1]", async () => {
    expect(await createHostExecutor(routeOptions(memoryPlatform()))(executionOf({ tool: registered(() => undefined) }))).toMatchObject({
      ok: true,
      output: null,
    });
  });

  it("refuses a plugin's tool [O1]", async () => {
    expect(
      await createHostExecutor(routeOptions(memoryPlatform()))(executionOf({ tool: pluginToolOf("words", { name: "grep" }) })),
    ).toMatchObject({ ok: false, error: { code: "unavailable" } });
  });

  it("streams progress to the caller and as events [T4]", async () => {
    const options = routeOptions(memoryPlatform());
    const seen: unknown[] = [];
    const tool = registered((_args, { progress }) => (progress({ percent: 50 }), null));
    await createHostExecutor(options)(executionOf({ tool, call: { onProgress: (value) => seen.push(value) } }));
    expect(seen).toEqual([{ percent: 50 }]);
    expect(options.events).toMatchObject([{ type: "tool.output_delta", callId: "call-1", payload: { delta: { percent: 50 } } }]);
  });
});
