import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { toBytes } from "../../support/bridge-context.ts";
import { failureOf, headOf, httpServer, netCall } from "../../support/hostile-server.ts";

const CONNECTION = [
  ["Host", "admin.internal"],
  ["Content-Length", "1000"],
  ["Transfer-Encoding", "chunked"],
  ["Connection", "x-forwarded, keep-alive"],
  ["Keep-Alive", "timeout=1000"],
  ["Proxy-Connection", "x"],
  ["Upgrade", "h2c"],
  ["HTTP2-Settings", "x"],
  ["Expect", "100-continue"],
  ["TE", "trailers"],
  ["Trailer", "x"],
].flat();

describe("attack: headers that control the connection", () => {
  it("are set by the host: no other host, no other length, no upgrade [C6.headers]", async () => {
    let headers: IncomingHttpHeaders = {};
    const server = await httpServer((request, response) => {
      ({ headers } = request);
      request.resume().on("end", () => response.end());
    });
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(
      await fetch(
        server.origin,
        { method: "POST", headers: [...CONNECTION, "Origin", "http://evil.test", "x-a", "b"], body: "bytes" },
        toBytes("abc"),
      ),
    );
    expect(headers).toEqual({
      accept: "*/*",
      "accept-encoding": "gzip, deflate, br, zstd",
      "accept-language": "*",
      connection: "close",
      "content-length": "3",
      host: `127.0.0.1:${server.port}`,
      origin: "http://evil.test",
      "user-agent": "bascule/0.1",
      "x-a": "b",
    });
  });

  it("request no compressed range, which could not be decompressed [C6.headers]", async () => {
    let headers: IncomingHttpHeaders = {};
    const server = await httpServer((request, response) => {
      ({ headers } = request);
      response.end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    headOf(await fetch(server.origin, { headers: ["Range", "bytes=0-9"] }));
    expect(headers).toMatchObject({ range: "bytes=0-9" });
    expect(headers).not.toHaveProperty("accept-encoding");
  });

  it("are limited in number and length [C6.headers]", async () => {
    const { fetch } = netCall(["127.0.0.1"]);
    const many = Array.from({ length: 129 }, (_, index) => [`x-${index}`, "a"]).flat();
    expect(failureOf(await fetch("http://127.0.0.1:8080/", { headers: many }))).toBe("TypeError: A request has at most 128 headers");
    expect(failureOf(await fetch("http://127.0.0.1:8080/", { headers: ["a", "b".repeat(40_000)] }))).toBe(
      "TypeError: The headers of a request have at most 32768 bytes",
    );
    expect(failureOf(await fetch("http://127.0.0.1:8080/", { headers: ["a"] }))).toBe(
      "TypeError: Headers must be alternating names and values",
    );
    expect(failureOf(await fetch(`http://127.0.0.1:8080/${"a".repeat(20_000)}`))).toBe("TypeError: A URL has at most 16384 characters");
  });
});
