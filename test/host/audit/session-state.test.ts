import { describe, expect, it } from "vitest";
import { rebuildSession, type SessionState } from "../../../host/audit/session-state.ts";
import { createHost, functionTool, type HostEvent, ToolFailed } from "../../../host/mod.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const tools = [
  functionTool(() => 1, { name: "fine", description: "Works", sideEffects: [] }),
  functionTool(() => Promise.reject(new ToolFailed("No")), { name: "fails", description: "Fails", sideEffects: [] }),
  functionTool(() => 2, { name: "asks", description: "Is asked about", sideEffects: ["write"] }),
];

function rebuilt(sessionId: string, events: readonly JsonObject[]): SessionState {
  const rebuild = rebuildSession(sessionId);
  for (const event of events) rebuild.add(event);
  return rebuild.state();
}

describe("rebuildSession()", () => {
  it("matches the result of every call, and its status at every moment before [AU5]", async () => {
    const events: JsonObject[] = [];
    // Events are JSON; their interfaces only lack an index signature.
    const publish = (event: HostEvent): void => void events.push(JSON.parse(JSON.stringify(event)) as JsonObject);
    await using host = await createHost({
      ...{ config: false, platform: memoryPlatform(), tools, builtins: false },
      policy: { rules: [{ tool: "fails", allow: true }] },
      events: { publish, store: false },
    });
    const session = host.session({ role: "guest" });
    const options = { session, turn: "turn-1" };
    const settled = [
      await host.call("fine", {}, options),
      await host.call("fails", {}, options),
      await host.call("fine", { no: "such" }, options),
      await host.call("nothing", {}, options),
      await host.call("asks", {}, { ...options, confirm: () => Promise.resolve(false) }),
    ];
    const asked = host.call("asks", {}, options);
    await expect.poll(() => host.confirmations.list().length, { timeout: 15_000 }).toBe(1);
    const request = host.confirmations.list()[0]?.request;

    const waiting = rebuilt(session.id, events).calls.at(-1);
    expect(waiting).toMatchObject({ tool: "asks", status: "waiting", requestId: request?.requestId });
    expect(waiting).not.toHaveProperty("endedAt");

    host.confirmations.answer(request?.requestId ?? "", { approve: true, hash: request?.hash ?? "" });
    const { callId } = await asked;
    await expect.poll(() => host.result(callId)?.status, { timeout: 15_000 }).toBe("success");
    settled.push(...[host.result(callId)].filter((result) => result !== undefined));
    const { calls, role } = rebuilt(session.id, events);
    expect(role).toBe("guest");
    expect(calls.map(({ callId, status, code, route, plugin }) => ({ callId, status, code, route, plugin }))).toEqual(
      settled.map((result) => ({
        callId: result.callId,
        status: result.ok ? "completed" : result.error.code === "invalid_args" ? "input_invalid" : "failed",
        code: result.ok || result.error.code === "invalid_args" ? undefined : result.error.code,
        route: result.ok || result.error.code === "tool_failed" ? "host" : undefined,
        plugin: undefined,
      })),
    );
    for (const call of calls) expect(call.endedAt, call.callId).toBeGreaterThanOrEqual(call.calledAt ?? 0);
    expect(calls.map(({ turnId, requestId }) => [turnId, requestId])).toEqual(calls.map(() => ["turn-1", undefined]));
    // Events of other sessions, and events without payload, change nothing.
    const more = [
      ...events,
      { type: "tool.called", sessionId: "another", callId: calls[0]?.callId ?? "", payload: {} },
      {},
      { sessionId: session.id },
    ];
    expect(rebuilt(session.id, more)).toEqual(rebuilt(session.id, events));
  });
});
