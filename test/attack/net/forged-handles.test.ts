import { describe, expect, it } from "vitest";
import { answerOperation } from "../../../host/capabilities/mod.ts";
import type { HttpResponse } from "../../../host/platform/network/network-types.ts";
import { testCall, toBytes } from "../../support/bridge-context.ts";
import { failureOf, headOf, httpServer, netCall, rawServer } from "../../support/hostile-server.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

describe("attack: numbers of requests that do not exist, or belong to another call", () => {
  it("find nothing [C6.handles, B5]", async () => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const [mine, other] = [netCall(["127.0.0.1"]), netCall(["127.0.0.1"])];
    headOf(await other.fetch(server.origin));
    for (const id of [0, 1, 2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(failureOf(await mine.answer("net.read", { id }))).toBe("BadResource: Bad resource ID");
      expect(failureOf(await mine.answer("net.write", { id }, toBytes("x")))).toBe("BadResource: Bad resource ID");
      expect(await mine.answer("net.close", { id })).toEqual({ ok: true, value: null });
    }
    expect(new TextDecoder().decode(await other.readAll())).toBe("secret");
  });

  it("cannot be used twice, nor read or written concurrently [C6.handles]", async () => {
    const server = await httpServer(() => undefined);
    const { answer } = netCall(["127.0.0.1"]);
    const options = { id: 7, url: server.origin, method: "POST", headers: [], redirect: "follow", body: "stream" };
    const first = answer("net.fetch", options);
    await expect.poll(server.connections).toBe(1);
    expect(failureOf(await answer("net.fetch", options))).toMatch(/^TypeError: Cannot begin request 7: its number is in use/);
    expect(failureOf(await answer("net.read", { id: 7 }))).toBe("BadResource: Bad resource ID");
    // The other end does not read: one of them waits for room.
    const writes = Array.from({ length: 200 }, () => answer("net.write", { id: 7 }, new Uint8Array(500_000)));
    expect((await Promise.race(writes.slice(1))).ok).toBe(false);
    await answer("net.close", { id: 7 });
    expect(failureOf(await first)).toBe("AbortError: The request was aborted");
    await Promise.all(writes);
    expect(failureOf(await answer("net.write", { id: 7 }, toBytes("x")))).toBe("BadResource: Bad resource ID");
  });

  it("are read one piece at a time: of two concurrent readers one is refused [C6.handles]", async () => {
    const server = await rawServer((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"));
    const { fetch, answer } = netCall(["127.0.0.1"]);
    headOf(await fetch(server.origin));
    const first = answer("net.read", { id: 1 });
    expect(failureOf(await answer("net.read", { id: 1 }))).toBe("Busy: The body is being read");
    await answer("net.close", { id: 1 });
    expect((await first).ok).toBe(false);
  });

  it("keep no response that arrives after the call [C6.close, B4]", async () => {
    const { context, answer } = testCall({ platform: memoryPlatform(), cwd: WORKSPACE, permissions: { net: true } });
    let closed = 0;
    const exchange = async (): Promise<HttpResponse> => {
      // Between the response and those who wait for it.
      context.exchanges.closeAll();
      return { status: 200, statusText: "", fields: [], read: async () => undefined, close: () => void closed++ };
    };
    const network = { ...context.platform.network, exchange };
    const args = { id: 1, url: "http://example.com/", method: "GET", headers: [], redirect: "follow", body: "none" };
    await answerOperation({ name: "net.fetch", args }, { ...context, platform: { ...context.platform, network } });
    expect(closed).toBe(1);
    expect(failureOf(await answer("net.read", { id: 1 }))).toBe("BadResource: Bad resource ID");
  });

  it("are closed at the end of the call, and none is opened after it [C6.handles, B4]", async () => {
    const server = await httpServer((_request, response) => void response.write("x"));
    const { fetch, readAll, close } = netCall(["127.0.0.1"]);
    headOf(await fetch(server.origin));
    const reading = readAll().catch((error: unknown) => String(error));
    close();
    expect(await reading).toMatch(/AbortError|BadResource|closed/);
    expect(failureOf(await fetch(server.origin))).toMatch(/^TypeError: Cannot begin request/);
    await expect.poll(server.open).toBe(0);
  });

  it("are limited to 64 [C6.concurrency]", async () => {
    const server = await httpServer(() => undefined);
    const { fetch } = netCall(["127.0.0.1"]);
    const begun = Array.from({ length: 65 }, () => fetch(server.origin));
    expect(failureOf(await Promise.race(begun))).toMatch(/too many are open \(at most 64 at once/);
    await expect.poll(server.connections).toBe(32);
    expect(server.connections()).toBe(32);
  });
});
