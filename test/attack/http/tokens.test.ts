/** Callers without a token, with another caller's token, or with too few scopes. */

import { describe, expect, it } from "vitest";
import { configOf, httpDoor, TOKENS, textOf } from "../../support/http-door.ts";
import { hostTool } from "../../support/tools.ts";

describe("a token", () => {
  it.each([
    "",
    "Bearer",
    "Bearer ",
    `Basic ${TOKENS.call}`,
    `bearer${TOKENS.call}`,
    `Bearer ${TOKENS.call}x`,
    `Bearer ${TOKENS.call.slice(0, -1)}`,
  ])("is not accepted as %j [I4.token]", async (authorization) => {
    await using door = await httpDoor();
    const response = await door.request("/v1/whoami", { token: undefined, fields: { authorization } });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="bascule"']);
  });

  it("is not accepted as its hash, in the URL or in a cookie [I4.token]", async () => {
    await using door = await httpDoor();
    const { sha256 } = await configOf("call", TOKENS.call, ["call"]);
    expect((await door.request("/v1/whoami", { token: sha256 })).status).toBe(401);
    expect((await door.request(`/v1/whoami?token=${TOKENS.call}`, { token: undefined })).status).toBe(401);
    expect((await door.request("/v1/whoami", { token: undefined, fields: { cookie: `token=${TOKENS.call}` } })).status).toBe(401);
  });

  it("gives no access to another token's sessions, calls, turns and events [I4.token]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    const mine = textOf((await door.ask("/v1/sessions", { body: {} })).body, "sessionId");
    const call = textOf((await door.ask("/v1/calls", { body: { tool: "repeat", callId: "call-of-mine" } })).body, "callId");
    const turn = textOf((await door.ask(`/v1/sessions/${mine}/turns`, { body: { calls: [{ tool: "repeat" }] } })).body, "turnId");
    const other = { token: TOKENS.other };
    const asked = [
      await door.ask(`/v1/sessions/${mine}`, other),
      await door.ask(`/v1/sessions/${mine}`, { ...other, method: "DELETE" }),
      await door.ask(`/v1/sessions/${mine}/cancel`, { ...other, method: "POST" }),
      await door.ask(`/v1/sessions/${mine}/turns`, { ...other, body: { calls: [{ tool: "repeat" }] } }),
      await door.ask(`/v1/sessions/${mine}/turns/${turn}`, other),
      await door.ask(`/v1/sessions/${mine}/turns/${turn}/cancel`, { ...other, method: "POST" }),
      await door.ask("/v1/calls", { ...other, body: { tool: "repeat", sessionId: mine } }),
      await door.ask(`/v1/tools?sessionId=${mine}`, other),
      await door.ask(`/v1/calls/${call}`, other),
      await door.ask(`/v1/calls/${call}/cancel`, { ...other, method: "POST" }),
      await door.ask(`/v1/events?sessionId=${mine}`, other),
    ];
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 404));
    // Repeating the call does not return its result either.
    expect((await door.ask("/v1/calls", { ...other, body: { tool: "repeat", callId: call } })).status).toBe(409);
  });

  it("cannot widen its sessions; neither can an admin's, which calls only in its own [I4.token, T1]", async () => {
    const tools = [hostTool("seen"), hostTool("boss-only", { visibility: { roles: ["boss"] } })];
    const worker = "token-of-a-worker";
    await using door = await httpDoor({ tools, tokens: [await configOf("worker", worker, ["call"], "worker")] });
    const { body } = await door.ask("/v1/sessions", { token: worker, body: { role: "boss" } });
    const call = { tool: "boss-only", sessionId: body["sessionId"] };
    expect((await door.ask("/v1/calls", { token: worker, body: call })).body).toMatchObject({ error: { code: "tool_not_found" } });
    expect((await door.ask("/v1/calls", { token: TOKENS.admin, body: call })).status).toBe(404);
  });
});

describe("a flood", () => {
  it("of sessions, requests and streams ends at the limits and does not affect other tokens [I4.flood]", async () => {
    let finish: () => void = () => undefined;
    const held = new Promise<null>((resolve) => (finish = () => resolve(null)));
    const limits = { sessions: 3, requests: 8, streams: 1 };
    await using door = await httpDoor({ tools: [hostTool("hold", {}, () => held)], project: { server: { limits } } });
    const opened = [];
    for (let n = 0; n < 5; n += 1) opened.push(await door.ask("/v1/sessions", { body: {} }));
    expect(opened.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
    await door.ask(`/v1/sessions/${textOf(opened[0]?.body, "sessionId")}`, { method: "DELETE" });
    expect((await door.ask("/v1/sessions", { body: {} })).status).toBe(201);

    const first = await door.request("/v1/events");
    expect([first.status, (await door.request("/v1/events")).status]).toEqual([200, 429]);
    await first.body?.cancel();

    // One token gets a quarter of the requests; other tokens have their own share.
    const running = [1, 2].map((n) => door.ask("/v1/calls", { body: { tool: "hold", args: { n } } }));
    await expect.poll(async () => (await door.request("/healthz")).status).toBe(429);
    expect((await door.request("/healthz", { token: TOKENS.other })).status).toBe(200);
    finish();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await door.request("/healthz")).status).toBe(200);
  });
});
