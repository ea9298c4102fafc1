import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureOf, httpServer, netCall } from "../../support/hostile-server.ts";
import "../../support/seed.ts";

/** Spellings of loopback addresses that some parser accepts. */
const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.1.",
  "0.0.0.0",
  "0",
  "127.127.127.127",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "①②⑦.⓪.⓪.①",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "loc%61lhost",
  "ⓛocalhost",
  "127.0.0.1%2f",
  "127.0.0.1\t",
  "127.0.0.1#@example.com",
  "example.com@127.0.0.1",
];

describe("attack: loopback in disguise", () => {
  it.each(SPELLINGS)("does not reach http://%s with everything or names granted [C6.loopback]", async (host) => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const at = host.indexOf("#");
    const url = at === -1 ? `http://${host}:${server.port}/` : `http://${host.slice(0, at)}:${server.port}/${host.slice(at)}`;
    for (const net of [true, ["example.com", "*.com"], { allow: true, deny: ["10.0.0.1"] }] as const) {
      const { fetch } = netCall(net, { resolve: async () => ["127.0.0.1"] });
      expect(failureOf(await fetch(url)), url).toMatch(/^(NotCapable|TypeError): /);
    }
    expect(server.connections()).toBe(0);
  });

  it("reaches it in each spelling that is a URL, if the address is granted [C6.loopback]", async () => {
    const server = await httpServer((_request, response) => response.end("mine"));
    const { fetch, readAll } = netCall(["127.0.0.1"]);
    for (const host of ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "①②⑦.⓪.⓪.①", "[::ffff:7f00:1]"]) {
      // The mapped form is an IPv6 socket to the same address; a listener on IPv4 alone may not be there.
      if (!host.startsWith("[")) {
        expect(await fetch(`http://${host}:${server.port}/`)).toMatchObject({ ok: true, value: { status: 200 } });
        expect(new TextDecoder().decode(await readAll())).toBe("mine");
      }
    }
  });

  it("does not reach it by a numeric spelling [C6.loopback]", async () => {
    const server = await httpServer((_request, response) => response.end("secret"));
    const { fetch } = netCall(true, { resolve: async () => ["127.0.0.1"] });
    const part = (value: number): fc.Arbitrary<string> =>
      fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`, `0x0000${value.toString(16)}`);
    const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).chain(([b, c, d]) =>
      fc.oneof(
        fc.tuple(part(127), part(b), part(c), part(d)).map((parts) => parts.join(".")),
        fc.tuple(part(127), part(b), part(c * 256 + d)).map((parts) => parts.join(".")),
        fc.tuple(part(127), part(b * 65_536 + c * 256 + d)).map((parts) => parts.join(".")),
        part(127 * 2 ** 24 + b * 65_536 + c * 256 + d),
      ),
    );
    await fc.assert(
      fc.asyncProperty(address, fc.constantFrom("", "."), async (host, dot) => {
        expect(failureOf(await fetch(`http://${host}${dot}:${server.port}/`))).toMatch(/^(NotCapable|TypeError): /);
      }),
      { numRuns: 200 },
    );
    expect(server.connections()).toBe(0);
  });
});
