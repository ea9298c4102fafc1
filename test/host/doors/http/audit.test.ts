import { describe, expect, it } from "vitest";
import { httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";

interface Row {
  readonly number: number;
  readonly event: JsonObject;
}

const admin = { token: TOKENS.admin } as const;

async function rows(door: HttpDoorUnderTest, query: string): Promise<readonly Row[]> {
  const { status, body } = await door.ask(`/v1/audit${query}`, admin);
  expect(status).toBe(200);
  return body["events"] as unknown as readonly Row[];
}

/** Opens a door and makes three calls with two tokens, in this order: `look` by one, `fail` and `look` by the other. */
async function used(): Promise<{ readonly door: HttpDoorUnderTest; readonly ids: readonly string[]; readonly sessionId: string }> {
  const door = await httpDoor({ tools: [hostTool("look"), hostTool("fail", {}, () => Promise.reject(new Error("x")))] });
  const { body: session } = await door.ask("/v1/sessions", { body: {} });
  const sessionId = textOf(session, "sessionId");
  const ids = [];
  for (const [token, body] of [
    [TOKENS.other, { tool: "look", args: { of: "Other" } }],
    [TOKENS.call, { tool: "fail", sessionId }],
    [TOKENS.call, { tool: "look", args: { of: "mine" }, sessionId }],
  ] as const)
    ids.push(textOf((await door.ask("/v1/calls", { token, body })).body, "callId"));
  return { door, ids, sessionId };
}

describe("GET /v1/audit", () => {
  it("finds events by each parameter, and by several at once [I4.audit, AU3.search]", async () => {
    const { door, ids, sessionId } = await used();
    await using _ = door;
    const types = async (query: string): Promise<readonly unknown[]> => (await rows(door, query)).map(({ event }) => event["type"]);
    const ofCall = async (query: string): Promise<readonly unknown[]> => [
      ...new Set((await rows(door, query)).map(({ event }) => event["callId"])),
    ];
    expect(await types(`?callId=${ids[1]}`)).toEqual(["tool.called", "tool.failed"]);
    expect(await types("?type=tool.failed")).toEqual(["tool.failed"]);
    expect(await ofCall("?type=tool")).toEqual(ids);
    expect(await ofCall("?tool=look")).toEqual([ids[0], ids[2]]);
    expect(await ofCall(`?sessionId=${sessionId}&type=tool.completed`)).toEqual([ids[2]]);
    expect(await ofCall("?text=OTHER&type=tool")).toEqual([ids[0]]);
    expect(await rows(door, "?plugin=none")).toEqual([]);
    const [first] = await rows(door, `?callId=${ids[0]}`);
    const time = Number(first?.event["time"]);
    expect([(await rows(door, `?until=${time - 1}&type=tool`)).length, (await rows(door, `?since=${time + 60_000}`)).length]).toEqual([
      0, 0,
    ]);
  });

  it("returns the newest events, oldest first, and pages back without gaps or duplicates [I4.audit, AU3.search]", async () => {
    const { door } = await used();
    await using _ = door;
    const all = (await rows(door, "?limit=1000")).map(({ number }) => number);
    expect(all.length).toBeGreaterThan(6);
    expect((await rows(door, "?limit=2")).map(({ number }) => number)).toEqual(all.slice(-2));
    const paged: number[] = [];
    for (let page = await rows(door, "?limit=2"); page.length > 0; page = await rows(door, `?limit=2&before=${paged[0]}`))
      paged.unshift(...page.map(({ number }) => number));
    expect(paged).toEqual(all);
  });

  it.each([
    "limit=0",
    "limit=1001",
    "limit=1e3",
    "limit=-1",
    "limit=0x10",
    "limit=",
    "limit=1&limit=2",
    "since=yesterday",
    "before=-1",
    "type=",
    `text=${"x".repeat(257)}`,
    `callId=${"x".repeat(65)}`,
    "__proto__=1",
    "constructor=1",
    "filter[type]=tool",
  ])("refuses an invalid parameter: %s [I4.audit, I4.malformed]", async (query) => {
    await using door = await httpDoor();
    expect(await door.ask(`/v1/audit?${query}`, admin)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  it("leaves arguments, outputs and decisions out of a brief answer [I4.audit]", async () => {
    await using door = await httpDoor();
    await door.request("/v1/calls", { body: { tool: "echo", args: { text: "x" } } });
    const { body } = await door.ask("/v1/audit?type=tool.completed&brief=true", { token: TOKENS.admin });
    expect(body["events"]).toEqual([
      { number: expect.any(Number), event: expect.objectContaining({ payload: { tool: "echo", durationMs: expect.any(Number) } }) },
    ]);
  });

  it("treats every text literally, not as a pattern or database query [I4.audit]", async () => {
    const { door } = await used();
    await using _ = door;
    for (const text of ["' OR 1=1 --", "%", "l.*k", "(a+)+$", "\u0000", "\ud800", "../../etc/passwd", "%00"]) {
      const asked = new URLSearchParams({ text }).toString();
      expect([text, await rows(door, `?${asked}&type=tool`)]).toEqual([text, []]);
      expect(await rows(door, `?${asked.replace("text", "callId")}`)).toEqual([]);
    }
  });
});

describe("the other journal endpoints", () => {
  it("report whether the journal is unchanged and contains a seal [I4.audit, AU3.verify]", async () => {
    const { door } = await used();
    await using _ = door;
    const { body } = await door.ask("/v1/audit/verify", admin);
    expect(body).toMatchObject({ ok: true, problems: [], rows: expect.any(Number) });
    const seal = textOf(body["head"] as JsonObject, "seal");
    await door.ask("/v1/calls", { body: { tool: "look" } });
    expect((await door.ask(`/v1/audit/verify?head=${seal}`, admin)).body).toMatchObject({ ok: true });
    expect((await door.ask(`/v1/audit/verify?head=${"0".repeat(64)}`, admin)).body).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("expected seal")],
    });
    expect((await door.ask("/v1/audit/verify?head=", admin)).status).toBe(400);
  });

  it("rebuild a session, and return nothing for an unknown one [I4.audit, AU5]", async () => {
    const { door, ids, sessionId } = await used();
    await using _ = door;
    expect((await door.ask(`/v1/audit/sessions/${sessionId}`, admin)).body).toMatchObject({
      sessionId,
      workspace: "/workspace",
      calls: [
        { callId: ids[1], tool: "fail", status: "failed", code: "tool_failed" },
        { callId: ids[2], tool: "look", status: "completed" },
      ],
    });
    expect((await door.ask("/v1/audit/sessions/..%2f..%2fetc", admin)).body).toEqual({ sessionId: "../../etc", calls: [] });
  });

  it("need an admin token: other tokens see nothing, not even of their own sessions [I4.audit, I4.scopes]", async () => {
    const { door, sessionId } = await used();
    await using _ = door;
    for (const path of ["/v1/audit", "/v1/audit?limit=1", "/v1/audit/verify", `/v1/audit/sessions/${sessionId}`]) {
      const statuses = [undefined, TOKENS.call, TOKENS.metrics].map(async (token) => (await door.request(path, { token })).status);
      expect([path, await Promise.all(statuses)]).toEqual([path, [401, 403, 403]]);
    }
  });
});
