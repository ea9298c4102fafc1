/** Hostile requests: from pages of other origins, through rebound names, and malformed. */

import { describe, expect, it } from "vitest";
import { httpDoor, TOKENS } from "../../support/http-door.ts";
import { hostTool } from "../../support/tools.ts";

describe("a page on another origin", () => {
  it("can neither act nor read, whatever a browser lets it send [I4.origin]", async () => {
    let runs = 0;
    await using door = await httpDoor({ tools: [hostTool("act", {}, () => ++runs)] });
    const origin = "http://127.0.0.1:3000";
    const call = { body: { tool: "act" } };
    // The worst case: the page has a token.
    const names = ["http://localhost:7420", "http://[::1]:7420", "http://127.1:7420", "http://2130706433:7420", "http://127.0.0.1.:7420"];
    for (const from of [
      origin,
      ...names,
      "https://evil.example",
      "null",
      "",
      "http://localhost:7420.evil.example",
      "file://",
      "http://127.0.0.1",
    ]) {
      const response = await door.request("/v1/calls", { ...call, fields: { origin: from } });
      expect([from, response.status, response.headers.get("access-control-allow-origin")]).toEqual([from, 403, null]);
    }
    // A form needs no CORS preflight, but sends other types.
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
    ]) {
      const response = await door.request("/v1/calls", { ...call, fields: { "content-type": type } });
      expect([type, response.status]).toEqual([type, 415]);
    }
    const preflight = await door.request("/v1/calls", {
      method: "OPTIONS",
      token: undefined,
      fields: { origin, "access-control-request-method": "POST", "access-control-request-private-network": "true" },
    });
    expect([preflight.status, [...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))]).toEqual([403, []]);
    expect(runs).toBe(0);
  });

  it("is allowed if bascule.json lists the origin, only with a token, and no other origin is [I4.origin]", async () => {
    const origin = "https://app.example.com";
    await using door = await httpDoor({ tools: [hostTool("act")], project: { server: { allowedOrigins: [origin] } } });
    const preflight = await door.request("/v1/calls", { method: "OPTIONS", token: undefined, fields: { origin } });
    expect([
      preflight.status,
      preflight.headers.get("access-control-allow-origin"),
      preflight.headers.get("access-control-allow-credentials"),
    ]).toEqual([204, origin, null]);
    const answer = await door.request("/v1/calls", { body: { tool: "act" }, fields: { origin } });
    expect([answer.status, answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([200, origin, "Origin"]);
    expect((await door.request("/v1/calls", { body: { tool: "act" }, token: undefined, fields: { origin } })).status).toBe(401);
    expect((await door.request("/v1/whoami", { fields: { origin: "https://app.example.com.evil.example" } })).status).toBe(403);
  });

  it("cannot frame, sniff or cache answers [I4.fields]", async () => {
    await using door = await httpDoor();
    for (const path of ["/healthz", "/v1/whoami", "/nothing"]) {
      const { headers } = await door.request(path);
      expect([
        headers.get("x-content-type-options"),
        headers.get("x-frame-options"),
        headers.get("referrer-policy"),
        headers.get("cache-control"),
        headers.get("cross-origin-resource-policy"),
        headers.get("content-security-policy"),
      ]).toEqual(["nosniff", "DENY", "no-referrer", "no-store", "same-origin", "default-src 'none'; frame-ancestors 'none'"]);
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe("a name that resolves to this machine", () => {
  it.each(["http://evil.example:7420", "http://evil.example", "http://127.0.0.1.evil.example:7420", "http://localhost.evil.example"])(
    "is refused for every request: %s [I4.rebinding]",
    async (origin) => {
      await using door = await httpDoor();
      for (const path of ["/healthz", "/v1/whoami", "/v1/login"]) {
        expect(await door.ask(path, { origin })).toMatchObject({ status: 421, body: { code: "misdirected" } });
      }
    },
  );

  it("is served if it is this machine's, an IP address, or listed [I4.rebinding]", async () => {
    await using door = await httpDoor({ project: { server: { allowedHosts: ["tools.example.com"] } } });
    for (const origin of ["http://localhost:7420", "http://[::1]:7420", "http://192.0.2.1:7420", "http://tools.example.com"]) {
      expect((await door.ask("/healthz", { origin })).status).toBe(200);
    }
    expect((await door.ask("/healthz", { origin: "http://other.example.com" })).status).toBe(421);
  });
});

describe("an invalid body", () => {
  it.each<[string, unknown, number]>([
    ["no JSON", "{", 400],
    ["a list", [], 400],
    ["null", "null", 400],
    ["an unknown member", { tool: "echo", tol: 1 }, 400],
    ["a tool that is not a string", { tool: 1 }, 400],
    ["no tool", {}, 400],
    ["a deadline of zero", { tool: "echo", timeoutMs: 0 }, 400],
    ["an id that is too short", { tool: "echo", callId: "x" }, 400],
    ["a million levels", `{"tool":"echo","args":${"[".repeat(1_000_000)}`, 400],
    ["a million levels of objects", `{"tool":"echo","args":${'{"a":'.repeat(500_000)}`, 400],
    ["more than the limit", { tool: "echo", args: "x".repeat(5 * 1024 * 1024) }, 413],
  ])("is refused: %s [I4.malformed]", async (_name, body, status) => {
    await using door = await httpDoor();
    const answer = await door.ask("/v1/calls", { body });
    expect(answer).toMatchObject({ status, body: { title: expect.any(String), detail: expect.any(String) } });
  });

  it("is reported with the place of each error [I4.malformed]", async () => {
    await using door = await httpDoor();
    const { body } = await door.ask("/v1/calls", { body: { tool: 1, extra: true } });
    expect(body).toEqual({
      type: "about:blank",
      title: "The request is invalid",
      status: 400,
      code: "invalid_request",
      detail: expect.stringContaining("(and 1 more)"),
      errors: [
        { pointer: "/tool", message: expect.any(String), keyword: "type" },
        { pointer: "/extra", message: expect.any(String), keyword: "additionalProperties" },
      ],
    });
    expect((await door.request("/v1/calls", { body: { tool: 1 } })).headers.get("content-type")).toBe("application/problem+json");
  });

  it("is refused if compressed, in another encoding, or not UTF-8 [I4.malformed]", async () => {
    await using door = await httpDoor();
    expect((await door.ask("/v1/calls", { body: { tool: "echo" }, fields: { "content-encoding": "gzip" } })).status).toBe(415);
    const bytes = new Uint8Array([0x7b, 0xff, 0x7d]);
    const request = new Request("http://127.0.0.1:7420/v1/calls", {
      method: "POST",
      body: bytes,
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKENS.call}` },
    });
    expect((await door.platform.http.request(request)).status).toBe(400);
  });

  it("cannot set a prototype [I4.malformed]", async () => {
    await using door = await httpDoor({ tools: [hostTool("keys", {}, (args) => Object.keys(args as object))] });
    const { body } = await door.ask("/v1/calls", { body: '{"tool":"keys","args":{"__proto__":{"polluted":1},"a":1}}' });
    expect([body["output"], ({} as Record<string, unknown>)["polluted"]]).toEqual([["a"], undefined]);
    expect((await door.ask("/v1/calls", { body: '{"tool":"keys","__proto__":{"args":1}}' })).status).toBe(400);
  });

  it("is refused with unknown methods and parameters [I4.malformed]", async () => {
    await using door = await httpDoor();
    const wrong = await door.request("/v1/calls", { method: "DELETE" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await door.ask("/v1/none")).status).toBe(404);
    expect((await door.ask("/v1/tools?x=1")).status).toBe(400);
    expect((await door.ask("/v1/tools?sessionId=a&sessionId=b")).status).toBe(400);
    expect((await door.ask("/v1/calls/../../etc/passwd")).status).toBe(404);
  });
});
