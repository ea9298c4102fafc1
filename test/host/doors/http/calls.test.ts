import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { HostEvent } from "../../../../host/audit/events.ts";
import type { ToolResult } from "../../../../host/call/call.ts";
import type { HttpCalls } from "../../../../host/doors/http/calls.ts";
import type { HttpSession } from "../../../../host/doors/http/sessions.ts";
import { createHttpTurns, type HttpTurn } from "../../../../host/doors/http/turns.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import type { JsonObject, JsonValue } from "../../../../manifests/mod.ts";
import { httpDoor, SseReader, TOKENS, textOf } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";

/** Creates a tool that waits until it is cancelled, and counts how often it began and was cancelled. */
function waiting(): { readonly tool: ReturnType<typeof hostTool>; readonly begun: () => number; readonly cancelled: () => number } {
  let begun = 0;
  let cancelled = 0;
  const tool = hostTool("wait", {}, (_args, { signal }) => {
    begun += 1;
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        cancelled += 1;
        reject(new Error("cancelled"));
      });
    });
  });
  return { tool, begun: () => begun, cancelled: () => cancelled };
}

describe("POST /v1/calls", () => {
  it("answers with the result, also if the call failed [I4.calls]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat"), hostTool("fail", {}, () => Promise.reject(new Error("x")))] });
    const { ask } = door;
    expect(await ask("/v1/calls", { body: { tool: "repeat", args: { a: [1] } } })).toMatchObject({
      status: 200,
      body: { ok: true, status: "success", tool: "repeat", output: { a: [1] } },
    });
    expect(await ask("/v1/calls", { body: { tool: "fail" } })).toMatchObject({
      status: 200,
      body: { ok: false, error: { code: "tool_failed" } },
    });
    expect(await ask("/v1/calls", { body: { tool: "none" } })).toMatchObject({
      status: 200,
      body: { ok: false, error: { code: "tool_not_found" } },
    });
  });

  it("remembers fewer results if they are large in memory, even if their JSON is small [I4.bounded]", async () => {
    // At most 64 KB of JSON, because larger values are kept as bytes.
    const empty = Array.from({ length: 21_000 }, () => []);
    await using door = await httpDoor({ tools: [hostTool("large", {}, () => Promise.resolve(empty))] });
    for (let number = 0; number < 100; number++) {
      expect(await door.ask("/v1/calls", { body: { tool: "large", callId: `large-call-${number}` } })).toMatchObject({
        body: { ok: true },
      });
    }
    expect(await door.ask("/v1/calls/large-call-0")).toMatchObject({ status: 404 });
    expect(await door.ask("/v1/calls/large-call-99")).toMatchObject({ status: 200, body: { status: "success" } });
  });

  it("remembers fewer turns if their results are large, for their own session only [I4.bounded, I4.turns]", async () => {
    const large = { ok: true, callId: "x", output: "x".repeat(8 * 1024 * 1024), content: [] } as unknown as ToolResult;
    const calls = {
      start: () => Promise.resolve({ callId: "x", ended: Promise.resolve(large) }),
      result: () => undefined,
    } as unknown as HttpCalls;
    const nobody = { turn: () => expect.unreachable(), cancelTurn: () => expect.unreachable() };
    const turns = createHttpTurns(nobody, calls, memoryPlatform().random);
    const session = { id: "mine", callerId: "me" } as HttpSession;
    const taken: HttpTurn[] = [];
    for (let number = 0; number < 5; number++) {
      const turn = await turns.take(session, [{ tool: "t", args: {} }], { sequential: false, mode: "direct", parallelMutations: false });
      await turn.ended;
      taken.push(turn);
    }
    const found = taken.map(({ turnId }) => {
      try {
        return turns.get("mine", turnId) === taken.find((turn) => turn.turnId === turnId);
      } catch {
        return false;
      }
    });
    expect(found).toEqual([false, false, true, true, true]);
    expect(() => turns.get("another", taken[4]?.turnId ?? "")).toThrow("Turn not found");
  });

  it("answers at once if the client prefers it, and returns the result by the call's id later [I4.async, E6]", async () => {
    let finish: (text: string) => void = () => undefined;
    const slow = hostTool("slow", {}, () => new Promise<string>((resolve) => (finish = resolve)));
    await using door = await httpDoor({ tools: [slow] });
    const response = await door.request("/v1/calls", { body: { tool: "slow" }, fields: { prefer: "respond-async, wait=1" } });
    const { callId } = (await response.json()) as { readonly callId: string };
    const location = response.headers.get("location");
    expect([response.status, location, response.headers.get("preference-applied")]).toEqual([202, `/v1/calls/${callId}`, "respond-async"]);
    expect(await door.ask(`/v1/calls/${callId}`)).toMatchObject({ status: 200, body: { callId, status: "running", tool: "slow" } });
    await expect.poll(() => finish.name).not.toBe("finish");
    finish("done");
    await expect
      .poll(async () => (await door.ask(`/v1/calls/${callId}`)).body)
      .toMatchObject({ callId, status: "success", output: "done" });
  });

  it("runs a repeat with the same id, tool and arguments once, and refuses another call with that id [I4.calls, E6]", async () => {
    let runs = 0;
    await using door = await httpDoor({ tools: [hostTool("count", {}, () => ++runs)] });
    const body = { tool: "count", args: { a: 1, b: 2 }, callId: "mine-0001" };
    expect((await door.ask("/v1/calls", { body })).body).toMatchObject({ output: 1 });
    expect((await door.ask("/v1/calls", { body: { ...body, args: { b: 2, a: 1 } } })).body).toMatchObject({ output: 1 });
    expect(await door.ask("/v1/calls", { body: { ...body, args: { a: 2 } } })).toMatchObject({ status: 409, body: { code: "conflict" } });
    await door.host.call("count", {}, { callId: "library-1" });
    expect(await door.ask("/v1/calls", { body: { ...body, callId: "library-1" } })).toMatchObject({ status: 409 });
    expect(runs).toBe(2);
  });

  it("cancels the call once, when its client disconnects or requests it [I4.cancel, T3]", async () => {
    const { tool, begun, cancelled } = waiting();
    await using door = await httpDoor({ tools: [tool] });
    const gone = new AbortController();
    void door.request("/v1/calls", { body: { tool: "wait" }, signal: gone.signal });
    await expect.poll(begun).toBe(1);
    gone.abort();
    await expect.poll(cancelled).toBe(1);
    const { body } = await door.ask("/v1/calls", { body: { tool: "wait" }, fields: { prefer: "respond-async" } });
    const place = `/v1/calls/${textOf(body, "callId")}`;
    await expect.poll(begun).toBe(2);
    // The answer comes when the call has ended.
    expect((await door.ask(`${place}/cancel`, { method: "POST" })).body).toMatchObject({
      cancelled: true,
      result: { ok: false, error: { code: "cancelled" } },
    });
    await expect.poll(async () => (await door.ask(place)).body).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect((await door.ask(`${place}/cancel`, { method: "POST" })).body).toEqual({ cancelled: false });
  });

  it("streams progress and then the result, and cancels the call when the reader disconnects [T4, I4.stream]", async () => {
    const { tool, begun, cancelled } = waiting();
    const steps = hostTool("steps", {}, (_args, context) => {
      for (const step of ["one", "two\nevent: result"]) context.progress({ step });
      return "end";
    });
    await using door = await httpDoor({ tools: [steps, tool] });
    const fields = { accept: "text/event-stream" };
    const reader = new SseReader(await door.request("/v1/calls", { body: { tool: "steps" }, fields }));
    const frames = [];
    for (let next = await reader.next(); next !== undefined; next = await reader.next()) frames.push([next.event, next.data]);
    expect(frames).toEqual([
      ["started", { callId: expect.any(String) }],
      ["progress", { step: "one" }],
      ["progress", { step: "two\nevent: result" }],
      ["result", expect.objectContaining({ ok: true, output: "end" })],
    ]);
    const left = new SseReader(await door.request("/v1/calls", { body: { tool: "wait" }, fields }));
    await expect.poll(begun).toBe(1);
    await left.cancel();
    await expect.poll(cancelled).toBe(1);
  });

  it("streams what a tool yields, then the result [AX4.http]", async () => {
    const text = "x".repeat(100_000);
    const counts = hostTool("counts", {}, async function* (_args, context) {
      context.progress("begins");
      yield await Promise.resolve({ n: 0 });
      yield text;
      return "end";
    });
    await using door = await httpDoor({ tools: [counts] });
    const fields = { accept: "text/event-stream" };
    const reader = new SseReader(await door.request("/v1/calls", { body: { tool: "counts" }, fields }));
    const frames = [];
    for (let next = await reader.next(); next !== undefined; next = await reader.next()) frames.push([next.event, next.data]);
    expect(frames).toEqual([
      ["started", { callId: expect.any(String) }],
      ["progress", "begins"],
      ["yield", { n: 0 }],
      ["yield", text],
      ["result", expect.objectContaining({ ok: true, output: "end" })],
    ]);
    expect((await door.ask("/v1/calls", { body: { tool: "counts" } })).body).toMatchObject({ ok: true, output: "end" });
  });

  it("keeps nothing of a stream whose call is refused [I4.stream, I4.flood]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    const body = { tool: "repeat", args: {}, callId: "taken-by-me" };
    await door.ask("/v1/calls", { body });
    const timers = new Set<() => void>();
    const { after } = door.platform.clock;
    vi.spyOn(door.platform.clock, "after").mockImplementation((ms, task) => {
      const stop = after(ms, task);
      timers.add(task);
      return () => {
        timers.delete(task);
        stop();
      };
    });
    onTestFinished(() => void vi.restoreAllMocks());
    const other = await door.request("/v1/calls", { token: TOKENS.other, body, fields: { accept: "text/event-stream" } });
    expect(other.status).toBe(409);
    expect(timers.size).toBe(0);
  });

  it("uses the caller's deadline and trace context [I4.calls, T2, AU7]", async () => {
    const { tool, begun } = waiting();
    await using door = await httpDoor({ tools: [tool] });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const seen: (string | undefined)[] = [];
    const events = door.host.events[Symbol.asyncIterator]();
    const asked = door.ask("/v1/calls", { body: { tool: "wait", timeoutMs: 1_500 }, fields: { traceparent } });
    await expect.poll(begun).toBe(1);
    door.platform.advance(1_500);
    expect((await asked).body).toMatchObject({ error: { code: "timeout", message: "Tool exceeded 1.5s wall time limit" } });
    for (let next = await events.next(); next.value?.type !== "tool.failed"; next = await events.next()) seen.push(next.value?.traceparent);
    expect(seen.at(-1)).toBe(traceparent);
  });

  it("lists the tools that the session may see [I4.tools, R4]", async () => {
    const hidden = hostTool("hidden", { visibility: { roles: ["boss"] } });
    await using door = await httpDoor({ tools: [hostTool("seen", { sideEffects: ["write"] }), hidden] });
    const { body } = await door.ask("/v1/tools");
    const names = (body["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
    expect([names.includes("seen"), names.includes("hidden")]).toEqual([true, false]);
  });
});

describe("a turn", () => {
  it("runs its calls and returns their results in order [I4.turns, D4]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    const { body: session } = await door.ask("/v1/sessions", { body: {} });
    const place = `/v1/sessions/${textOf(session, "sessionId")}/turns`;
    const calls = [1, 2, 3].map((n) => ({ tool: "repeat", args: { n } }));
    for (const sequential of [false, true]) {
      const { status, body } = await door.ask(place, { body: { calls, sequential } });
      expect([status, body["status"]]).toEqual([200, "ended"]);
      expect((body["results"] as readonly { readonly output: unknown }[]).map(({ output }) => output)).toEqual([
        { n: 1 },
        { n: 2 },
        { n: 3 },
      ]);
      expect((await door.ask(`${place}/${textOf(body, "turnId")}`)).body).toEqual(body);
    }
  });

  it("is cancelled as a whole, including calls that have not begun [I4.turns, I4.cancel, T3]", async () => {
    const { tool, begun, cancelled } = waiting();
    await using door = await httpDoor({ tools: [tool] });
    const { body: session } = await door.ask("/v1/sessions", { body: { concurrency: 1 } });
    const place = `/v1/sessions/${textOf(session, "sessionId")}/turns`;
    const { status, body } = await door.ask(place, {
      body: { calls: [{ tool: "wait" }, { tool: "wait" }] },
      fields: { prefer: "respond-async" },
    });
    expect([status, body["status"]]).toEqual([202, "running"]);
    const turn = `${place}/${textOf(body, "turnId")}`;
    await expect.poll(begun).toBe(1);
    expect((await door.ask(`${turn}/cancel`, { method: "POST" })).body).toEqual({ cancelled: 2 });
    await expect
      .poll(async () => (await door.ask(turn)).body)
      .toMatchObject({ status: "ended", results: [{ error: { code: "cancelled" } }, { error: { code: "cancelled" } }] });
    expect([begun(), cancelled()]).toEqual([1, 1]);
  });
});

describe("a turn with mode chain", () => {
  it("runs its calls as steps of one chain, and reports how they ran [K6.http, AU6.http]", async () => {
    const change = hostTool("change", { sideEffects: ["write"], callers: ["direct", "chain"] });
    const never = hostTool("escalate");
    await using door = await httpDoor({
      tools: [hostTool("look"), change, never],
      project: { confirmation: { default: { write: "auto" } } },
    });
    const { body: session } = await door.ask("/v1/sessions", { body: {} });
    const place = `/v1/sessions/${textOf(session, "sessionId")}/turns`;
    const calls = [{ tool: "look" }, { tool: "look" }, { tool: "change", callId: "mine-0001" }, { tool: "escalate" }, { tool: "change" }];
    const { status, body } = await door.ask(place, { body: { mode: "chain", calls } });
    const codes = (body["results"] as readonly JsonObject[]).map(({ ok, error }) =>
      ok === true ? "ok" : textOf(error as JsonObject, "code"),
    );
    expect([status, body["status"], codes]).toEqual([200, "ended", ["ok", "ok", "ok", "permission_denied", "cancelled"]]);
    expect(body["toolChains"]).toEqual([
      expect.objectContaining({
        modeRequested: "parallel",
        modeUsed: "parallel",
        fallbackToSeq: false,
        parallelMutationsEnabled: false,
        waves: [[0, 1], [2], [3], [4]],
        steps: expect.arrayContaining([expect.objectContaining({ index: 2, callId: "mine-0001", tool: "change", ok: true })]),
      }),
    ]);
    expect((await door.ask(`${place}/${textOf(body, "turnId")}`)).body).toEqual(body);
    // Each step has a result under its id, also one that did not run, and no other call can use that id.
    const ids = body["callIds"] as readonly string[];
    expect((await door.ask(`/v1/calls/${ids[4]}`)).body).toMatchObject({ error: { code: "cancelled" } });
    expect((await door.ask(place, { body: { mode: "chain", calls } })).status).toBe(409);
    expect((await door.ask("/v1/calls", { body: { tool: "change", callId: "mine-0001" } })).status).toBe(409);
    expect((await door.ask(place, { body: { mode: "both", calls } })).status).toBe(400);
  });

  it("is cancelled as a whole: running steps and steps that have not begun [K6.http, T3]", async () => {
    const { tool, begun } = waiting();
    await using door = await httpDoor({ tools: [tool, hostTool("look")] });
    const { body: session } = await door.ask("/v1/sessions", { body: {} });
    const place = `/v1/sessions/${textOf(session, "sessionId")}/turns`;
    const { body } = await door.ask(place, {
      body: { mode: "chain", sequential: true, calls: [{ tool: "wait" }, { tool: "look" }] },
      fields: { prefer: "respond-async" },
    });
    const turn = `${place}/${textOf(body, "turnId")}`;
    await expect.poll(begun).toBe(1);
    expect((await door.ask(turn)).body).toMatchObject({ status: "running" });
    expect((await door.ask(`${turn}/cancel`, { method: "POST" })).body).toEqual({ cancelled: 1 });
    await expect
      .poll(async () => (await door.ask(turn)).body)
      .toMatchObject({ status: "ended", results: [{ error: { code: "cancelled" } }, { error: { code: "cancelled" } }] });
  });
});

describe("a call of another door", () => {
  it("is cancelled only by an admin [I4.cancel, T3.http]", async () => {
    const { tool, begun } = waiting();
    await using door = await httpDoor({ tools: [tool] });
    const call = door.host.call("wait", {}, { callId: "library-1" });
    await expect.poll(begun).toBe(1);
    const place = "/v1/calls/library-1/cancel";
    expect((await door.ask(place, { method: "POST" })).status).toBe(404);
    expect((await door.ask(place, { method: "POST", token: TOKENS.admin })).body).toMatchObject({ cancelled: true });
    expect(await call).toMatchObject({ error: { code: "cancelled" } });
    expect((await door.ask("/v1/calls/none/cancel", { method: "POST", token: TOKENS.admin })).status).toBe(404);
  });
});

describe("a call that waits for confirmation", () => {
  it("is cancelled by its caller, and its confirmation is withdrawn [I4.cancel, T3.http, E6]", async () => {
    let runs = 0;
    await using door = await httpDoor({ tools: [hostTool("change", { sideEffects: ["write"] }, () => ++runs)] });
    const { body } = await door.ask("/v1/calls", { body: { tool: "change" } });
    const place = `/v1/calls/${textOf(body, "callId")}`;
    expect((await door.ask(`${place}/cancel`, { method: "POST" })).body).toMatchObject({ cancelled: true });
    expect([door.host.confirmations.list(), (await door.ask(place)).body]).toMatchObject([[], { error: { code: "cancelled" } }]);
    expect(runs).toBe(0);
  });

  it("does not block other tokens, however many calls of one token wait [E6, I4.flood]", async () => {
    await using door = await httpDoor({
      tools: [hostTool("change", { sideEffects: ["write"] })],
      project: { server: { limits: { requests: 512 } } },
    });
    const ask = async (n: number, token: string): Promise<unknown> => {
      const { body } = await door.ask("/v1/calls", { token, body: { tool: "change", args: { n } } });
      return (body["error"] as JsonObject)["code"];
    };
    const asked: unknown[] = [];
    for (let n = 0; n < 66; n += 1) asked.push(await ask(n, TOKENS.call));
    expect(asked).toEqual([...Array.from({ length: 64 }, () => "approval_required"), "overloaded", "overloaded"]);
    expect(await ask(0, TOKENS.other)).toBe("approval_required");
  });
});

describe("a result that is too large", () => {
  it("is read in parts by the token that called, and by no other token [X6.http, I4.calls]", async () => {
    const text = "€".repeat(200_000);
    await using door = await httpDoor({ tools: [hostTool("much", {}, () => text)] });
    const { body: session } = await door.ask("/v1/sessions", { body: { resultBytes: 8_192 } });
    const { body } = await door.ask("/v1/calls", { body: { tool: "much", sessionId: session["sessionId"] } });
    const [{ handle }] = body["truncated"] as readonly [{ readonly handle: string }];
    expect((await door.ask(`/v1/results/${handle}`, { token: TOKENS.other })).status).toBe(404);
    let read = "";
    for (let offset: JsonValue | undefined = 0; typeof offset === "number";) {
      const { status, body: part } = await door.ask(`/v1/results/${handle}?offset=${offset}`);
      expect([status, part["offset"]]).toEqual([200, offset]);
      read += textOf(part, "text");
      offset = part["nextOffset"];
    }
    expect(read === text).toBe(true);
    expect((await door.ask(`/v1/results/${handle}?offset=-1`)).status).toBe(400);
    expect((await door.ask("/v1/results/none")).status).toBe(404);
  });
});

describe("GET /v1/calls/{callId}", () => {
  it("gives an admin the results of calls of any door, and another token only its own [I4.calls]", async () => {
    await using door = await httpDoor();
    const { callId } = await door.host.call("echo", { text: "x" });
    expect((await door.ask(`/v1/calls/${callId}`)).status).toBe(404);
    expect(await door.ask(`/v1/calls/${callId}`, { token: TOKENS.admin })).toMatchObject({ status: 200, body: { callId, ok: true } });
  });
});

describe("a session", () => {
  it("has at most the rights of its token [I4.sessions, T1, P3]", async () => {
    const tools = [hostTool("look"), hostTool("change", { sideEffects: ["write"] }), hostTool("extra")];
    await using door = await httpDoor({ tools, project: { confirmation: { default: { write: "auto" } } } });
    const { status, body } = await door.ask("/v1/sessions", { body: { context: { readOnly: true }, concurrency: 2, deny: ["extra"] } });
    expect([status, body]).toEqual([201, expect.objectContaining({ workspace: "/workspace", concurrency: 2, running: 0 })]);
    const sessionId = textOf(body, "sessionId");
    const codeOf = async (tool: string): Promise<unknown> => {
      const { body: result } = await door.ask("/v1/calls", { body: { tool, sessionId } });
      return result["ok"] === true ? "ok" : (result["error"] as { readonly code: string }).code;
    };
    expect([await codeOf("look"), await codeOf("change"), await codeOf("extra")]).toEqual(["ok", "permission_denied", "permission_denied"]);
    expect(await door.ask("/v1/sessions", { body: { workspace: "/" } })).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(await door.ask("/v1/sessions", { body: { workspace: "../x" } })).toMatchObject({ status: 400 });
    expect(await door.ask("/v1/sessions", { body: { deny: ["group:none"] } })).toMatchObject({ status: 400 });
  });

  it("cancels its calls when it is closed, and no longer exists [I4.sessions, T3]", async () => {
    const { tool, begun, cancelled } = waiting();
    await using door = await httpDoor({ tools: [tool] });
    const { body } = await door.ask("/v1/sessions", { body: {} });
    const sessionId = textOf(body, "sessionId");
    void door.request("/v1/calls", { body: { tool: "wait", sessionId } });
    await expect.poll(begun).toBe(1);
    expect((await door.ask(`/v1/sessions/${sessionId}/cancel`, { method: "POST" })).body).toEqual({ cancelled: 1 });
    await expect.poll(cancelled).toBe(1);
    void door.request("/v1/calls", { body: { tool: "wait", sessionId } });
    await expect.poll(begun).toBe(2);
    const events = door.host.events[Symbol.asyncIterator]();
    expect(await door.ask(`/v1/sessions/${sessionId}`, { method: "DELETE" })).toEqual({ status: 200, body: { cancelled: 1 } });
    await expect.poll(cancelled).toBe(2);
    expect((await door.ask(`/v1/sessions/${sessionId}`)).status).toBe(404);
    const told: HostEvent[] = [];
    while (told.at(-1)?.type !== "session.closed") told.push((await events.next()).value);
    expect(told).toMatchObject([
      { type: "tool.failed", sessionId },
      { type: "session.closed", sessionId },
    ]);
  });

  it("is invisible to other tokens, except an admin [I4.sessions]", async () => {
    await using door = await httpDoor();
    const { body } = await door.ask("/v1/sessions", { body: {} });
    const place = `/v1/sessions/${textOf(body, "sessionId")}`;
    expect((await door.ask(place, { token: TOKENS.other })).status).toBe(404);
    expect((await door.ask(place, { token: TOKENS.admin })).status).toBe(200);
    const listed = async (token: string): Promise<number> =>
      ((await door.ask("/v1/sessions", { token })).body["sessions"] as readonly unknown[]).length;
    // The lists include the token's default session.
    expect([await listed(TOKENS.call), await listed(TOKENS.other), await listed(TOKENS.admin)]).toEqual([2, 0, 2]);
  });
});
