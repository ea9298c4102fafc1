/** The platform's HTTP server against misbehaving clients. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { serveHttp } from "../../../../host/platform/network/http-server.ts";
import type { HttpFetch, HttpServer, HttpServerLimits } from "../../../../host/platform/network/http-types.ts";

const running: HttpServer[] = [];
const defects: unknown[] = [];
const sockets: Socket[] = [];

async function serve(fetch: HttpFetch, limits: Partial<HttpServerLimits> = {}): Promise<HttpServer> {
  const server = await serveHttp({ fetch, host: "127.0.0.1", port: 0, limits, onDefect: (error) => defects.push(error) });
  running.push(server);
  return server;
}

/** Sends raw text and resolves with all output until the server closes the connection. */
function raw(server: HttpServer, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = dial(server);
    let got = "";
    socket.on("data", (piece: Uint8Array) => (got += new TextDecoder().decode(piece)));
    socket.once("close", () => resolve(got));
    socket.write(text);
  });
}

function dial(server: HttpServer): Socket {
  const socket = connect(server.port, server.host);
  socket.on("error", () => undefined);
  sockets.push(socket);
  return socket;
}

const statusOf = (answer: string): string => answer.split("\r\n", 1)[0] ?? "";

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.close(0)));
  expect(defects.splice(0)).toEqual([]);
});

describe("serveHttp()", () => {
  it("reports its address and passes requests on completely [I4.server]", async () => {
    const server = await serve(async (request) => {
      const fields = new Headers([
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["x-method", request.method],
      ]);
      return new Response(`${new URL(request.url).pathname} ${await request.text()}`, { status: 201, headers: fields });
    });
    expect(server).toMatchObject({ host: "127.0.0.1", port: expect.any(Number) });
    const answer = await fetch(`http://127.0.0.1:${server.port}/a/b?c`, { method: "POST", body: "héllo" });
    expect([answer.status, await answer.text(), answer.headers.get("x-method")]).toEqual([201, "/a/b héllo", "POST"]);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it("reports that another program listens on the port [I4.server]", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const wanted = { fetch: () => new Response(), host: "127.0.0.1", port, onDefect: () => undefined };
    await expect(serveHttp(wanted)).rejects.toMatchObject({
      name: "HttpServerError",
      code: "in_use",
      message: `Another program already listens on 127.0.0.1:${port}`,
    });
    other.close();
  });

  it("aborts the request's signal when its client disconnects [I4.server, T3]", async () => {
    let heard: (aborted: boolean) => void = () => undefined;
    const aborted = new Promise<boolean>((resolve) => (heard = resolve));
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const server = await serve(async ({ signal }) => {
      begun();
      return await new Promise<Response>((resolve) => {
        signal.addEventListener("abort", () => {
          heard(signal.aborted);
          resolve(new Response());
        });
      });
    });
    const socket = dial(server);
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    await started;
    socket.destroy();
    expect(await aborted).toBe(true);
  });

  it("cancels a response stream when its reader disconnects [I4.server]", async () => {
    let ended: () => void = () => undefined;
    const cancelled = new Promise<void>((resolve) => (ended = resolve));
    const server = await serve(() => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
        cancel: () => ended(),
      });
      return new Response(body);
    });
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, { signal: stop.signal });
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first");
    stop.abort();
    await cancelled;
  });

  it("cancels a response stream whose reader has already disconnected [I4.server]", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const server = await serve(async ({ signal }) => {
      asked.resolve(signal);
      await answer.promise;
      return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }));
    });
    const socket = dial(server);
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const signal = await asked.promise;
    const gone = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    socket.destroy();
    await gone;
    answer.resolve();
    await cancelled.promise;
  });

  it("disconnects clients that send their head or body slowly [I4.slow]", async () => {
    let gone = 0;
    const server = await serve(
      async (request) => {
        await request.text().catch(() => gone++);
        return new Response();
      },
      { headMs: 300, requestMs: 400 },
    );
    expect(statusOf(await raw(server, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "))).toBe("HTTP/1.1 408 Request Timeout");
    expect(statusOf(await raw(server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"))).toBe("HTTP/1.1 408 Request Timeout");
    await expect.poll(() => gone).toBe(1);
  });

  it.each([
    ["a head that is too large", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, "431 Request Header Fields Too Large"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "400 Bad Request"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "400 Bad Request",
    ],
    ["malformed chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n", "400 Bad Request"],
    ["no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["a host with a path", "GET / HTTP/1.1\r\nHost: a/b?\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["a target of another host", "GET http://other/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["a method of proxies", "TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "501 Not Implemented"],
    ["a length past the limit", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\nConnection: close\r\n\r\n", "413 Payload Too Large"],
    [
      "chunks past the limit",
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n28\r\n${"a".repeat(40)}\r\n`,
      "413 Payload Too Large",
    ],
  ])("refuses %s [I4.malformed]", async (_name, text, status) => {
    const served: string[] = [];
    const server = await serve(
      async (request) => {
        served.push(await request.text());
        return new Response();
      },
      { bodyBytes: 32, requestMs: 1_000 },
    );
    expect(statusOf(await raw(server, text))).toBe(`HTTP/1.1 ${status}`);
    expect(served).toEqual([]);
  });

  it("reads a target with two slashes as a path [I4.malformed]", async () => {
    const server = await serve((request) => new Response(request.url));
    expect(await raw(server, "GET //other/path HTTP/1.1\r\nHost: mine\r\nConnection: close\r\n\r\n")).toContain("http://mine//other/path");
  });

  it("limits the number of open connections [I4.flood]", async () => {
    const server = await serve(() => new Response("here"), { connections: 2, idleMs: 60_000 });
    const held = [dial(server), dial(server)];
    await Promise.all(held.map((socket) => new Promise<void>((resolve) => socket.once("connect", resolve))));
    // The server has counted both once it has answered them.
    for (const socket of held) {
      const answered = new Promise((resolve) => socket.once("data", resolve));
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await answered;
    }
    expect(await raw(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
    held[0]?.destroy();
    await expect.poll(() => raw(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toContain("here");
  });

  it("does not reveal to the client what failed [I4.server]", async () => {
    const server = await serve(() => {
      throw new Error("a secret");
    });
    const answer = await raw(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect([statusOf(answer), answer.includes("secret")]).toEqual(["HTTP/1.1 500 Internal Server Error", false]);
    expect(defects.splice(0)).toEqual([new Error("a secret")]);
  });

  it("finishes running requests when it is closed and accepts no new ones [I4.server, T5]", async () => {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    let begun = 0;
    const server = await serve(async () => {
      begun += 1;
      await held;
      return new Response("done");
    });
    const answer = raw(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    await expect.poll(() => begun).toBe(1);
    const closed = server.close(60_000);
    finish();
    expect(await answer).toContain("done");
    await closed;
    expect(await raw(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  });

  it("cuts requests that do not end within the grace period [I4.server, T5]", async () => {
    let begun = 0;
    const server = await serve(() => {
      begun += 1;
      return new Promise(() => undefined);
    });
    const answer = raw(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => begun).toBe(1);
    await server.close(0);
    expect(await answer).toBe("");
  });
});
