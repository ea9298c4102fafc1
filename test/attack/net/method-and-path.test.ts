import { describe, expect, it } from "vitest";
import { toBytes } from "../../support/bridge-context.ts";
import { failureOf, headOf, httpServer, netCall } from "../../support/hostile-server.ts";

const RULE = [{ host: "127.0.0.1", methods: ["GET"], paths: ["/public"] }];

describe("attack: another method or path than the granted one", () => {
  it.each(["POST", "post", "PUT", "DELETE", "HEAD", "OPTIONS", "GETS", "gEt "])(
    "refuses %s if GET is granted [C6.method]",
    async (method) => {
      const server = await httpServer((_request, response) => response.end());
      const { fetch } = netCall(RULE);
      expect(failureOf(await fetch(`${server.origin}/public`, { method }))).toMatch(
        /^(NotCapable: Requires net access|TypeError: Method is not valid)/,
      );
      expect(server.connections()).toBe(0);
    },
  );

  it.each([
    "/admin",
    "/public/../admin",
    "/public/%2e%2e/admin",
    "/public/.%2E/admin",
    "/public/..%2fadmin",
    "/public/%2e%2e%2fadmin",
    "/public\\..\\admin",
    "/publicity",
    "/Public",
    "//public/x",
    "/public/..;/../../admin",
    "/public/..;/admin",
    "/public/..;a=b/admin",
    "/public/%2e%2e;/admin",
    "/public/..%3b/admin",
    "/public/%252e%252e/admin",
    "/public/%252e%252e%252fadmin",
    "/public/%25252e%25252e%25252fadmin",
    "/public/..%255cadmin",
    "/%70ublic/%2e%2e/x",
    "",
  ])("refuses the path %s if /public is granted [C6.path]", async (path) => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall(RULE);
    expect(failureOf(await fetch(`${server.origin}${path}`))).toMatch(/^NotCapable: Requires net access/);
    expect(server.connections()).toBe(0);
  });

  it("refuses a denied path in every spelling [C6.path]", async () => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall({ allow: ["127.0.0.1"], deny: [{ host: "127.0.0.1", paths: ["/admin"] }] });
    for (const path of ["/admin;a/x", "/x/..;/admin", "/%61dmin", "/%2561dmin/x", "/x/%252e%252e/admin", "/%252561dmin"])
      expect(failureOf(await fetch(`${server.origin}${path}`)), path).toMatch(/^NotCapable: Requires net access/);
    expect(server.connections()).toBe(0);
    expect(headOf(await fetch(`${server.origin}/administration;a=b`))).toMatchObject({ status: 200 });
  });

  it("refuses a second request as the body of a GET [C6.smuggling]", async () => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall(RULE.concat([{ host: "127.0.0.1", methods: ["HEAD"], paths: ["/public"] }]));
    for (const method of ["GET", "get", "HEAD"]) {
      for (const body of ["bytes", "stream"] as const) {
        const answer = await fetch(`${server.origin}/public`, { method, body }, toBytes("DELETE /admin HTTP/1.1\r\n\r\n"));
        expect(failureOf(answer)).toBe("TypeError: Request with GET/HEAD method cannot have body.");
      }
    }
    expect(server.connections()).toBe(0);
  });

  it.each(["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"])(
    "refuses %s unless the other method is granted as well [C6.method, P8]",
    async (name) => {
      const seen: unknown[] = [];
      const server = await httpServer((request, response) => {
        seen.push([request.method, request.headers[name.toLowerCase()]]);
        if (request.url === "/to-get") response.writeHead(303, { location: "/" });
        response.end();
      });
      const { fetch } = netCall([{ host: "127.0.0.1", methods: ["GET", "OPTIONS", "POST", "PATCH"] }]);
      for (const method of ["GET", "OPTIONS"])
        expect(failureOf(await fetch(server.origin, { method, headers: [name, "PATCH"] }))).toMatch(
          /^TypeError: A header cannot override the method/,
        );
      for (const value of ["DELETE", " delete ", "PATCH, DELETE", ""])
        expect(failureOf(await fetch(server.origin, { method: "POST", headers: [name, value] }))).toMatch(
          /^NotCapable: Requires net access/,
        );
      expect(server.connections()).toBe(0);
      headOf(await fetch(`${server.origin}/to-get`, { method: "POST", headers: [name, "PATCH"] }));
      expect(seen).toEqual([
        ["POST", "PATCH"],
        ["GET", undefined],
      ]);
    },
  );

  it("checks both again at every redirect [C6.redirect]", async () => {
    const server = await httpServer((request, response) => {
      if (request.url === "/public/a") response.writeHead(302, { location: "/public/b" });
      if (request.url === "/public/b") response.writeHead(302, { location: "/admin" });
      response.end();
    });
    const { fetch } = netCall(RULE);
    expect(headOf(await fetch(`${server.origin}/public/c?q=/admin`))).toMatchObject({ status: 200 });
    expect(failureOf(await fetch(`${server.origin}/public/a`))).toMatch(/^NotCapable/);
    const rewritten = netCall([{ host: "127.0.0.1", methods: ["POST"] }]);
    expect(failureOf(await rewritten.fetch(`${server.origin}/public/b`, { method: "POST" }))).toMatch(/^NotCapable/);
  });
});
