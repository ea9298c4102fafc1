import { describe, expect, it } from "vitest";
import type { PendingConfirmation } from "../../../../host/confirmations/pending.ts";
import { createMcpHandler, type McpHandler } from "../../../../host/doors/mcp/mod.ts";
import type { ToolResult } from "../../../../host/call/call.ts";
import { createHttpCalls } from "../../../../host/doors/http/calls.ts";
import type { HttpSession } from "../../../../host/doors/http/sessions.ts";
import { configOf, httpDoor, type HttpDoorOptions, type HttpDoorUnderTest, SseReader, TOKENS, textOf } from "../../../support/http-door.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { modernRequest } from "../../../support/mcp-client.ts";
import { hostTool } from "../../../support/tools.ts";

/** Opens a door with a tool that needs confirmation. */
async function asking(options: HttpDoorOptions = {}): Promise<{ readonly door: HttpDoorUnderTest; readonly runs: () => number }> {
  let runs = 0;
  const door = await httpDoor({ ...options, tools: [hostTool("change", { sideEffects: ["write"] }, () => ++runs)] });
  return { door, runs: () => runs };
}

async function pending(door: HttpDoorUnderTest): Promise<readonly (PendingConfirmation & { readonly turnId?: string })[]> {
  const { body } = await door.ask("/v1/confirmations", { token: TOKENS.admin });
  return body["confirmations"] as unknown as readonly PendingConfirmation[];
}

describe("confirmations over HTTP", () => {
  it("are answered once by an admin; the call then runs and its result is available by its id [E5.http, E6, E4]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    const response = await door.request("/v1/calls", { body: { tool: "change" } });
    const result = (await response.json()) as { readonly callId: string };
    expect([response.status, response.headers.get("location"), result]).toEqual([
      202,
      `/v1/calls/${result.callId}`,
      expect.objectContaining({ ok: false, status: "pending_approval" }),
    ]);
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    const answer = { token: TOKENS.admin, body: { approve: true, hash } };
    expect(runs()).toBe(0);
    expect(await door.ask(`/v1/confirmations/${requestId}`, answer)).toEqual({ status: 200, body: { outcome: "answered" } });
    await expect.poll(async () => (await door.ask(`/v1/calls/${result.callId}`)).body).toMatchObject({ ok: true, output: 1 });
    expect((await door.ask(`/v1/confirmations/${requestId}`, answer)).status).toBe(404);
    expect(runs()).toBe(1);
  });

  it("answer a repeat of the call with its result, in every form, and run the call once [E6.repeat, I4.calls]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    const body = { tool: "change", callId: "my-call-1" };
    const ask = async (fields: Readonly<Record<string, string>> = {}): Promise<readonly unknown[]> => {
      const { status, body: told } = await door.ask("/v1/calls", { body, fields });
      return [status, told["status"], told["output"]];
    };
    expect([await ask(), await ask(), await ask({ prefer: "respond-async" })]).toEqual(
      Array.from({ length: 3 }, () => [202, "pending_approval", null]),
    );
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { approve: true, hash } });
    await expect.poll(() => ask()).toEqual([200, "success", 1]);
    expect(await ask({ prefer: "respond-async" })).toEqual([200, "success", 1]);
    const stream = new SseReader(await door.request("/v1/calls", { body, fields: { accept: "text/event-stream" } }));
    expect([(await stream.next())?.event, await stream.next()]).toMatchObject(["started", { event: "result", data: { output: 1 } }]);
    const { body: session } = await door.ask("/v1/sessions", { body: {} });
    const turn = await door.ask(`/v1/sessions/${textOf(session, "sessionId")}/turns`, { body: { calls: [body] } });
    expect(turn.body).toMatchObject({ results: [{ callId: "my-call-1", output: 1 }] });
    expect(runs()).toBe(1);
  });

  it("leave a result for repeats as long as the token's calls are remembered, and report when it is gone [E6.repeat]", async () => {
    const waiting = { ok: false, callId: "x", status: "pending_approval", content: [], error: { message: "" } } as unknown as ToolResult;
    const done = { ok: true, callId: "x", status: "success", output: 1, content: [] } as unknown as ToolResult;
    let known: ToolResult | undefined;
    const host = { call: () => Promise.resolve(waiting), result: () => known, isReturning: () => Promise.resolve(false) };
    const calls = createHttpCalls({ host, platform: memoryPlatform() });
    const session = { id: "s", callerId: "c" } as HttpSession;
    const call = await calls.start(session, { tool: "t", args: {}, callId: "x" });
    await call.ended;
    const repeat = (): Promise<unknown> => calls.start(session, { tool: "t", args: {}, callId: "x" }).then(({ ended }) => ended);
    await expect(repeat()).rejects.toMatchObject({ code: "gone" });
    known = done;
    expect(await repeat()).toBe(done);
    known = undefined;
    expect([await repeat(), calls.result("x")]).toEqual([done, done]);
  });

  it("are answered under their session and turn, and under no other [E5.http]", async () => {
    const { door } = await asking();
    await using _ = door;
    const { body: session } = await door.ask("/v1/sessions", { body: {} });
    const sessionId = textOf(session, "sessionId");
    const { body: turn } = await door.ask(`/v1/sessions/${sessionId}/turns`, { body: { calls: [{ tool: "change" }] } });
    await door.ask("/v1/calls", { body: { tool: "change", args: { second: 1 } } });
    const [first, second] = await pending(door);
    expect(first).toMatchObject({ sessionId, turnId: turn["turnId"] });
    const answer = (question: PendingConfirmation | undefined, session: string, turnId: unknown): ReturnType<typeof door.ask> =>
      door.ask(`/v1/sessions/${session}/turns/${String(turnId)}/confirmations/${question?.request.requestId}`, {
        token: TOKENS.admin,
        body: { approve: true, hash: question?.request.hash },
      });
    expect((await answer(first, sessionId, "another")).status).toBe(404);
    expect((await answer(second, sessionId, "-")).status).toBe(404);
    expect((await answer(first, sessionId, turn["turnId"])).status).toBe(200);
    expect((await answer(second, second?.sessionId ?? "", "-")).status).toBe(200);
  });

  it("are refused if the answer's hash differs [E3, E5.http]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    await door.ask("/v1/calls", { body: { tool: "change" } });
    const [question] = await pending(door);
    const body = { approve: true, hash: "0".repeat(64) };
    const refused = await door.ask(`/v1/confirmations/${question?.request.requestId}`, { token: TOKENS.admin, body });
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect([runs(), (await pending(door)).length]).toEqual([0, 1]);
  });

  it("cannot be answered by the token that called, nor by a token with the scope call [E5.agent]", async () => {
    const agent = "an-agent-with-everything";
    const { door, runs } = await asking({ tokens: [await configOf("agent", agent, ["call", "admin"])] });
    await using _ = door;
    await door.ask("/v1/calls", { token: agent, body: { tool: "change" } });
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    const body = { approve: true, hash };
    expect(await door.ask(`/v1/confirmations/${requestId}`, { token: agent, body })).toMatchObject({
      status: 403,
      body: {
        detail:
          "A token cannot answer the confirmations of its own calls: answer on the console, at a terminal, or with another admin token",
      },
    });
    expect(await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.call, body })).toMatchObject({
      status: 403,
      body: { scope: "admin" },
    });
    expect((await door.ask("/v1/confirmations")).status).toBe(403);
    expect(runs()).toBe(0);
    expect((await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { ...body, approve: false } })).status).toBe(200);
    expect(runs()).toBe(0);
  });

  it("cannot be answered by the token that called through MCP either [E5.agent]", async () => {
    const agent = "an-agent-with-everything";
    let mcp: McpHandler | undefined;
    const { door, runs } = await asking({
      tokens: [await configOf("agent", agent, ["call", "admin"])],
      mounts: [{ path: "/mcp", scope: "call", fetch: (request, caller) => (mcp ??= createMcpHandler(door)).fetch(request, caller) }],
    });
    await using _ = door;
    const call = modernRequest("tools/call", { name: "change", arguments: {} }, { capabilities: {} });
    await (await door.request("/mcp", { token: agent, body: await call.text(), fields: Object.fromEntries(call.headers) })).text();
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    const answer = (token: string): ReturnType<typeof door.ask> =>
      door.ask(`/v1/confirmations/${requestId}`, { token, body: { approve: true, hash } });
    expect([(await answer(agent)).status, runs()]).toEqual([403, 0]);
    expect((await answer(TOKENS.admin)).status).toBe(200);
    await mcp?.close();
  });

  it("can be answered on the console by the user who called there [E5.http, I4.login]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    const { body } = await door.ask("/v1/login", { token: undefined, body: { code: await door.tokens.issueCode() } });
    const token = textOf(body, "token");
    expect((await door.ask("/v1/whoami", { token })).body).toEqual({ name: "console", scopes: ["admin"] });
    await door.ask("/v1/calls", { token, body: { tool: "change" } });
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    expect((await door.ask(`/v1/confirmations/${requestId}`, { token, body: { approve: true, hash } })).status).toBe(200);
    await expect.poll(runs).toBe(1);
  });

  it("are waited for if the caller requests it [E6, I4.calls]", async () => {
    const { door } = await asking();
    await using _ = door;
    const asked = door.ask("/v1/calls", { body: { tool: "change", wait: true } });
    await expect.poll(async () => (await pending(door)).length).toBe(1);
    const [question] = await pending(door);
    const { requestId, hash } = question?.request ?? {};
    await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { approve: true, hash } });
    expect(await asked).toMatchObject({ status: 200, body: { ok: true, output: 1 } });
  });
});

describe("a login", () => {
  it("accepts a code once, within ten minutes, and lasts twelve hours [I4.login]", async () => {
    await using door = await httpDoor();
    const logIn = (code: string): ReturnType<typeof door.ask> => door.ask("/v1/login", { token: undefined, body: { code } });
    const code = await door.tokens.issueCode();
    const { body } = await logIn(code);
    expect([(await logIn(code)).status, (await logIn("guess")).status]).toEqual([403, 403]);
    const late = await door.tokens.issueCode();
    door.platform.advance(10 * 60_000);
    expect((await logIn(late)).status).toBe(403);
    const token = textOf(body, "token");
    door.platform.advance(12 * 3_600_000 - 10 * 60_000 - 1);
    expect((await door.ask("/v1/whoami", { token })).status).toBe(200);
    door.platform.advance(1);
    expect((await door.ask("/v1/whoami", { token })).status).toBe(401);
  });
});
