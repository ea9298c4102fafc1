import { describe, expect, it } from "vitest";
import { httpServer, netCall, rawServer } from "../../support/hostile-server.ts";

describe("attack: a call that ends half way through a request", () => {
  it("leaves no connection, at any stage [C6.close, T3]", async () => {
    const silent = await rawServer(() => undefined);
    const half = await rawServer((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    const flood = await httpServer((_request, response) => void response.write("x".repeat(10_000_000)));
    const cancel = new AbortController();
    const { fetch } = netCall(["127.0.0.1"], { signal: cancel.signal });
    const pending = fetch(silent.origin);
    await fetch(half.origin);
    await fetch(flood.origin);
    await expect.poll(silent.open).toBe(1);
    cancel.abort();
    expect(await pending).toMatchObject({ ok: false, error: { name: "AbortError" } });
    for (const server of [silent, half, flood]) await expect.poll(server.open).toBe(0);
  });

  it("does not connect when its name is resolved too late [C6.close]", async () => {
    const server = await httpServer((_request, response) => response.end());
    let found: (addresses: string[]) => void = () => undefined;
    const { fetch, close } = netCall(["late.test", "127.0.0.1"], { resolve: () => new Promise((resolve) => (found = resolve)) });
    const pending = fetch(`http://late.test:${server.port}/`);
    await new Promise((resolve) => setImmediate(resolve));
    close();
    found(["127.0.0.1"]);
    expect(await pending).toMatchObject({ ok: false, error: { name: "AbortError" } });
    expect(server.connections()).toBe(0);
  });

  it("does not wait for a name forever [C6.time]", async () => {
    const { fetch } = netCall(["late.test"], { resolve: () => new Promise(() => undefined), limits: { connectMs: 50 } });
    expect(JSON.stringify(await fetch("http://late.test/"))).toContain("the connection took too long");
  });
});
