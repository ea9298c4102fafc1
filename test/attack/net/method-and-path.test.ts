import { describe, expect, it } from "vitest";
import { failureOf, headOf, httpServer, netCall } from "../../support/hostile-server.ts";

const RULE = [{ host: "127.0.0.1", methods: ["GET"], paths: ["/public"] }];

describe("attack: another method, or another path, than the granted one", () => {
  it.each(["POST", "post", "PUT", "DELETE", "HEAD", "OPTIONS", "GETS", "gEt "])(
    "refuses %s where GET is granted [C6.method]",
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
    "/%70ublic/%2e%2e/x",
    "",
  ])("refuses the path %s where /public is granted [C6.path]", async (path) => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall(RULE);
    expect(failureOf(await fetch(`${server.origin}${path}`))).toMatch(/^NotCapable: Requires net access/);
    expect(server.connections()).toBe(0);
  });

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
