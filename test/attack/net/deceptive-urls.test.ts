import { describe, expect, it } from "vitest";
import { failureOf, httpServer, netCall } from "../../support/hostile-server.ts";

describe("attack: URLs that look like a granted host", () => {
  it.each([
    "http://granted.test@127.0.0.1:PORT/",
    "http://granted.test:80@127.0.0.1:PORT/",
    "http://granted.test%40127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#granted.test",
    "http://127.0.0.1:PORT?@granted.test/",
    "http://127.0.0.1:PORT\\@granted.test/",
    "http:\\\\127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/granted.test",
    "http:///127.0.0.1:PORT/",
    " http://127.0.0.1:PORT/",
    "ht\ntp://127.0.0.1:PORT/",
    "http://granted.test.evil.test:PORT/",
    "http://granted.testx:PORT/",
    "http://grantèd.test:PORT/",
    "http://granted。test.evil.test:PORT/",
    "HTTP://127.0.0.1:PORT/",
    "http://xn--granted-9za.test:PORT/",
  ])("does not reach another host with %s [C6.url]", async (url) => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const { fetch } = netCall([`granted.test:${server.port}`], { resolve: async () => ["127.0.0.1"] });
    expect(failureOf(await fetch(url.replace("PORT", String(server.port))))).toMatch(/^(NotCapable|TypeError): /);
    expect(server.connections()).toBe(0);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://granted.test/",
    "ws://granted.test/",
    "javascript:1",
    "unix:/run/x.sock",
    "gopher://granted.test:70/",
    "//granted.test/",
    "granted.test",
    "",
    "http://",
    "http://:80/",
    "http://[/",
  ])("refuses to fetch %j [C6.scheme]", async (url) => {
    const { fetch } = netCall(true);
    expect(failureOf(await fetch(url))).toMatch(/^TypeError: (Invalid URL|Url scheme)/);
  });

  it("connects to no port of another protocol [C6.port]", async () => {
    const { fetch } = netCall(["127.0.0.1"]);
    for (const port of [0, 22, 25, 53, 110, 143, 389, 465, 587, 993, 6667, 10080]) {
      expect(failureOf(await fetch(`http://127.0.0.1:${port}/`))).toBe(`TypeError: Fetch failed: Requests to port ${port} are blocked`);
    }
  });
});
