import { describe, expect, it } from "vitest";
import { guestContextText } from "../../../host/routes/guest-context.ts";
import { openRunRecord } from "../../../host/routes/run-record.ts";
import type { Execution } from "../../../host/tools/execution.ts";
import { createSession } from "../../../host/call/session.ts";
import { executionOf, routeOptions } from "../../support/execution.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { pluginToolOf } from "../../support/registered.ts";

const platform = memoryPlatform();
const options = routeOptions(platform);

function contextOf(execution: Execution): unknown {
  return JSON.parse(guestContextText(execution, openRunRecord(execution, options)));
}

function withSize(size: number): ReturnType<typeof pluginToolOf> {
  const settingsSchema = { type: "object", properties: { size: { type: "integer", default: size } } } as const;
  return pluginToolOf("words", { name: "run" }, { manifest: { settingsSchema } });
}

const execution = executionOf({ tool: withSize(3), limits: { wallMs: 500 } });
const told = {
  sessionId: "session-1",
  callId: "call-1",
  cwd: WORKSPACE,
  workspacePath: WORKSPACE,
  settings: { size: 3 },
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  deadline: platform.clock.now() + 500,
  limits: { timers: 1_000, pendingOperations: 64 },
};

describe("guestContextText()", () => {
  it("passes each call its own ids and the facts of its session and decision [D7]", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const second: Execution = { ...execution, call: { ...execution.call, callId: 'a"}\\', turnId: "turn-2", traceparent } };
    expect(contextOf(execution)).toEqual(told);
    expect(contextOf(second)).toEqual({ ...told, callId: 'a"}\\', turnId: "turn-2", traceparent });
    expect(contextOf(execution)).toEqual(told);
  });

  it("reveals nothing of another session, decision or plugin version, even if a policy reuses one object [D7]", () => {
    contextOf(execution);
    const { call, decision } = execution;
    const elsewhere = createSession({ id: "session-2", workspace: "/elsewhere", agentId: "agent-2" });
    expect(contextOf({ ...execution, call: { ...call, session: elsewhere } })).toEqual({
      ...told,
      sessionId: "session-2",
      agentId: "agent-2",
      cwd: "/elsewhere",
      workspacePath: "/elsewhere",
    });
    expect(contextOf({ ...execution, tool: withSize(4) })).toEqual({ ...told, settings: { size: 4 } });
    const fewer = { ...decision, limits: { ...decision.limits, timers: 7 } };
    expect(contextOf({ ...execution, decision: fewer })).toEqual({ ...told, limits: { timers: 7, pendingOperations: 64 } });
    const other = executionOf({ tool: execution.tool, permissions: { read: ["/w"] }, limits: { wallMs: 500 } });
    expect(contextOf({ ...execution, decision: other.decision })).toEqual({ ...told, permissions: { read: ["/w"] } });
    expect(contextOf(execution)).toEqual(told);
  });
});
