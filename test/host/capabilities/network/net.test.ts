import { deflateRawSync, deflateSync, brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { failureOf, headOf, httpServer, netCall } from "../../../support/hostile-server.ts";
import { toBytes } from "../../../support/bridge-context.ts";

const LOOPBACK = ["127.0.0.1"];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("net.fetch", () => {
  it("sends a request and reads the response [C6, PB2.fetch]", async () => {
    const server = await httpServer((request, response) => {
      response.setHeader("X-A", ["1", "2"]).setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.statusCode = 201;
      request.setEncoding("utf8");
      let body = "";
      request.on("data", (piece: string) => (body += piece)).on("end", () => response.end(`${request.method} ${request.url} ${body}`));
    });
    const { fetch, readAll, acts } = netCall(LOOPBACK);
    const head = headOf(await fetch(`${server.origin}/a?b#c`, { method: "post", body: "bytes" }, toBytes("hello")));
    expect(head).toMatchObject({ status: 201, statusText: "Created", url: `${server.origin}/a?b`, redirected: false, hasBody: true });
    expect(head["headers"]).toEqual(expect.arrayContaining(["x-a", "1", "x-a", "2", "set-cookie", "a=1", "set-cookie", "b=2"]));
    expect(text(await readAll())).toBe("POST /a?b hello");
    expect(acts).toEqual([
      { decision: "granted", permission: "net", method: "POST", value: `127.0.0.1:${server.port}`, layer: "grant", rule: "127.0.0.1" },
    ]);
    await expect.poll(server.open).toBe(0);
  });

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (data: Uint8Array) => brotliCompressSync(gzipSync(data))],
    ["identity", (data: Uint8Array) => data],
    ["unknown", (data: Uint8Array) => data],
  ])("reads a body in %s [C6]", async (encoding, pack) => {
    const whole = toBytes("hello ".repeat(20_000));
    const server = await httpServer((_request, response) => response.setHeader("content-encoding", encoding).end(pack(whole)));
    const { fetch, readAll } = netCall(LOOPBACK);
    headOf(await fetch(server.origin));
    expect(text(await readAll())).toBe(text(whole));
  });

  it("follows redirects, and changes the method as the standard requires [C6.redirect]", async () => {
    const server = await httpServer((request, response) => {
      const [, status] = request.url?.split("/") ?? [];
      if (status !== "end") return void response.writeHead(Number(status), { location: "/end" }).end();
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (piece: string) => (body += piece));
      request.on("end", () => response.end(`${request.method} ${request.headers["content-type"] ?? "-"} ${body}`));
    });
    const { fetch, readAll } = netCall(LOOPBACK);
    const seen: string[] = [];
    for (const [status, method] of [
      [301, "POST"],
      [302, "POST"],
      [303, "PUT"],
      [307, "POST"],
      [308, "PUT"],
      [301, "PUT"],
      [303, "HEAD"],
    ] as const) {
      const bytes = method === "HEAD" ? undefined : toBytes("x");
      const head = headOf(
        await fetch(`${server.origin}/${status}`, { method, body: bytes ? "bytes" : "none", headers: ["content-type", "a/b"] }, bytes),
      );
      expect(head).toMatchObject({ redirected: true, url: `${server.origin}/end` });
      seen.push(head["hasBody"] === true ? text(await readAll()) : "no body");
    }
    expect(seen).toEqual(["GET - ", "GET - ", "GET - ", "POST a/b x", "PUT a/b x", "PUT a/b x", "no body"]);
  });

  it("does not follow redirects with manual, and fails with error [C6.redirect]", async () => {
    const server = await httpServer((_request, response) => response.writeHead(302, { location: "/end" }).end("x"));
    const { fetch, readAll } = netCall(LOOPBACK);
    expect(headOf(await fetch(server.origin, { redirect: "manual" }))).toMatchObject({ status: 302, redirected: false });
    expect(text(await readAll())).toBe("x");
    expect(failureOf(await fetch(server.origin, { redirect: "error" }))).toBe(
      "TypeError: Fetch failed: Encountered redirect while redirect mode is set to 'error'",
    );
  });

  it("streams a body both ways, each piece after the one before was taken [C6.stream]", async () => {
    const server = await httpServer((request, response) => void request.pipe(response));
    const { fetch, readAll, answer } = netCall(LOOPBACK);
    const begun = fetch(server.origin, { method: "POST", body: "stream" });
    await expect.poll(async () => (await answer("net.write", { id: 1 }, toBytes("a"))).ok).toBe(true);
    expect(await answer("net.write", { id: 1 }, toBytes("b"))).toEqual({ ok: true, value: true });
    expect(await answer("net.write", { id: 1, end: true })).toEqual({ ok: true, value: true });
    headOf(await begun);
    expect(text(await readAll())).toBe("ab");
  });

  it("reports network failures in Deno's words [C10]", async () => {
    const { fetch } = netCall([...LOOPBACK, "nowhere.test"]);
    const closed = await httpServer((request) => void request.socket.destroy());
    expect(failureOf(await fetch(`${closed.origin}/x`))).toBe(
      `error sending request for url (${closed.origin}/x): client error (SendRequest): connection closed before message completed`,
    );
    expect(failureOf(await fetch("http://nowhere.test/"))).toBe(
      "error sending request for url (http://nowhere.test/): client error (Connect): dns error: failed to lookup address information: Name or service not known",
    );
    expect(failureOf(await fetch("http://127.0.0.1:22/"))).toBe("TypeError: Fetch failed: Requests to port 22 are blocked");
    expect(failureOf(await fetch("ftp://127.0.0.1/"))).toBe("TypeError: Url scheme 'ftp' not supported");
  });

  it("refuses in Deno's words, and names the smallest grant [C10, PA6]", async () => {
    const { fetch, acts } = netCall(LOOPBACK);
    expect(failureOf(await fetch("https://example.com/x"))).toBe(
      'NotCapable: Requires net access to "example.com:443", grant it with: bascule grant words --allow-net=example.com:443',
    );
    expect(acts).toEqual([{ decision: "denied", permission: "net", method: "GET", value: "example.com:443", layer: "grant" }]);
  });
});
