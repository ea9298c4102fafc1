import { describe, expect, it } from "vitest";
import { headOf, httpServer, netCall } from "../../support/hostile-server.ts";

describe("attack: authority in the machine's environment", () => {
  it("uses no proxy of the environment [C6.ambient]", async () => {
    // Requests, not connections: a program that used this port before may still connect to it.
    const proxied: (string | undefined)[] = [];
    const proxy = await httpServer((request, response) => {
      proxied.push(request.url);
      response.end("proxied");
    });
    const server = await httpServer((_request, response) => response.end("direct"));
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    try {
      for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : proxy.origin;
      const { fetch, readAll } = netCall(["127.0.0.1"]);
      headOf(await fetch(server.origin));
      expect(new TextDecoder().decode(await readAll())).toBe("direct");
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = before[index];
      }
    }
    expect(proxied).toEqual([]);
  });

  it("keeps no cookies, shares no connections, sends no referrer [C6.ambient]", async () => {
    const seen: unknown[] = [];
    const server = await httpServer((request, response) => {
      seen.push([request.headers.cookie, request.headers.referer, request.headers.authorization]);
      response.setHeader("set-cookie", "session=1").end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(await fetch(server.origin));
    headOf(await fetch(server.origin));
    expect(seen).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
    expect(server.connections()).toBe(2);
  });

  it("does not change the embedding program's fetch on import [C6.ambient]", async () => {
    const server = await httpServer((_request, response) => response.end());
    const dispatchers = (): unknown[] =>
      Object.getOwnPropertySymbols(globalThis).filter((symbol) => String(symbol).includes("undici.globalDispatcher"));
    const before = dispatchers();
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(await fetch(server.origin));
    expect(dispatchers()).toEqual(before);
  });
});
