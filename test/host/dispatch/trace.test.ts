import { describe, expect, it } from "vitest";
import type { EventDraft } from "../../../host/audit/events.ts";
import { deniedByPolicy, toolFailed } from "../../../host/call/errors.ts";
import { openTrace, type Trace } from "../../../host/dispatch/trace.ts";
import type { ToolCall } from "../../../host/call/call.ts";
import { executionOf } from "../../support/execution.ts";
import { functionOf } from "../../support/registered.ts";

function open(call: Partial<ToolCall> = {}): { readonly trace: Trace; readonly drafts: EventDraft[]; readonly defects: string[] } {
  const drafts: EventDraft[] = [];
  const defects: string[] = [];
  let now = 0;
  const trace = openTrace(
    { ...executionOf({ tool: functionOf("say"), call }).call },
    {
      emit: (draft) => void drafts.push(draft),
      now: () => (now += 5),
      redact: (value) => (JSON.stringify(value).includes("secret") ? "redacted" : value),
      keep: () => "0123",
      onDefect: (message) => void defects.push(message),
    },
  );
  return { trace, drafts, defects };
}

describe("openTrace()", () => {
  it("ends once: later endings change neither result nor events [AU2]", () => {
    const { trace, drafts, defects } = open();
    const first = trace.refuse({ stage: "run", error: toolFailed("no") });
    expect(trace.complete({ ok: true, output: 1, used: { wallMs: 1 }, filesModified: [] })).toBe(first);
    expect(trace.refuse({ stage: "gate", error: toolFailed("denied") })).toBe(first);
    expect(trace.crash(new Error("late"))).toBe(first);
    expect(drafts.map(({ type }) => type)).toEqual(["tool.failed"]);
    expect(defects).toEqual(["A call crashed"]);
  });

  it("includes error class, duration and partial output in the failed event [AU1]", () => {
    const { trace, drafts } = open({ turnId: "t1", traceparent: "00-aa-bb-01" });
    trace.found(functionOf("say"));
    trace.refuse({ stage: "run", error: toolFailed("no"), outcome: { used: { wallMs: 1 }, filesModified: [], partialOutput: "half" } });
    expect(drafts).toEqual([
      {
        type: "tool.failed",
        sessionId: "session-1",
        callId: "call-1",
        turnId: "t1",
        traceparent: "00-aa-bb-01",
        payload: {
          tool: "say",
          code: "tool_failed",
          errorClass: "execution_error",
          message: "no",
          durationMs: expect.any(Number),
          partialOutput: "half",
        },
      },
    ]);
  });

  it("shows redacted arguments in result and event [X1, AU4]", () => {
    const { trace, drafts } = open({ args: { password: "secret" } });
    expect(trace.refuse({ stage: "gate", error: deniedByPolicy("say") }).arguments).toBe("redacted");
    expect(drafts[0]?.payload).toMatchObject({ arguments: "redacted" });
  });

  it("has every field of a result if the tool did not run [X1]", () => {
    const { trace } = open();
    expect(trace.refuse({ stage: "run", error: toolFailed("no") })).toMatchObject({
      limitsUsed: { wallMs: 0 },
      durationMs: 5,
      requiresApproval: false,
      content: [],
      filesModified: [],
      metadata: {},
    });
  });
});
