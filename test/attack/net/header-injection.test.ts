import { describe, expect, it } from "vitest";
import { failureOf, httpServer, netCall } from "../../support/hostile-server.ts";

const BAD_VALUES = ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "\x7f", "\x01", "a\u2028b", "\u010d\u010a", "\ud800"];
const BAD_NAMES = ["", "a b", "a:b", "a\r\n", "a\0", "\u00e4", "(a)", "a\tb"];

describe("attack: line ends in requests", () => {
  it.each(BAD_VALUES)("refuses the header value %j [C6.crlf]", async (value) => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin, { headers: ["x-a", value] }))).toMatch(/^TypeError: Invalid header value/);
    expect(server.connections()).toBe(0);
  });

  it.each(BAD_NAMES)("refuses the header name %j [C6.crlf]", async (name) => {
    const server = await httpServer((_request, response) => response.end());
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin, { headers: [name, "a"] }))).toMatch(/^TypeError: Invalid header name/);
    expect(server.connections()).toBe(0);
  });

  it.each(["GET / HTTP/1.1\r\nHost: x", "GET\r\n", "G T", "", "CONNECT", "TRACE", "track", "A".repeat(33)])(
    "refuses the method %j [C6.crlf]",
    async (method) => {
      const server = await httpServer((_request, response) => response.end());
      const { fetch } = netCall(["127.0.0.1"]);
      expect(failureOf(await fetch(server.origin, { method }))).toBe("TypeError: Method is not valid");
      expect(server.connections()).toBe(0);
    },
  );

  it("sends a URL's line ends encoded, or not at all [C6.crlf]", async () => {
    const urls: (string | undefined)[] = [];
    const server = await httpServer((request, response) => {
      urls.push(request.url);
      response.end();
    });
    const { fetch } = netCall(["127.0.0.1"]);
    await fetch(`${server.origin}/a\r\nX-Evil: 1`);
    await fetch(`${server.origin}/?%0d%0aX-Evil:1 \x01`);
    expect(urls).toEqual(["/aX-Evil:%201", "/?%0d%0aX-Evil:1"]);
  });
});
