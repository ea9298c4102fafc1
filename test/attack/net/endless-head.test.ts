import { describe, expect, it } from "vitest";
import { failureOf, headOf, netCall, rawServer } from "../../support/hostile-server.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";

describe("attack: a response head without end", () => {
  it("ends at 64 KiB, whatever it consists of [C6.head]", async () => {
    const floods: readonly ((write: (text: string) => boolean) => boolean)[] = [
      (write) => write(`X-A: ${"a".repeat(1_000)}\r\n`),
      (write) => write("a".repeat(10_000)),
      (write) => write("Set-Cookie: a=b\r\n".repeat(100)),
    ];
    for (const flood of floods) {
      let sent = 0;
      const server = await rawServer((socket) => {
        socket.write(HEAD);
        const write = (text: string): boolean => ((sent += text.length), socket.write(text));
        const go = (): void => {
          while (!socket.destroyed && flood(write)) if (sent > 50_000_000) return;
          if (!socket.destroyed) socket.once("drain", go);
        };
        go();
      });
      const { fetch } = netCall(["127.0.0.1"]);
      expect(failureOf(await fetch(server.origin))).toMatch(
        /client error \(SendRequest\): the head of the answer (is too large|has too many fields)$/,
      );
      expect(sent).toBeLessThan(50_000_000);
      await expect.poll(server.open).toBe(0);
    }
  });

  it("is refused with too many fields, and read with many [C6.head]", async () => {
    const answer = (fields: number): string => `${HEAD}${Array.from({ length: fields }, (_, at) => `x${at}: ${at}\r\n`).join("")}\r\n`;
    const { fetch } = netCall(["127.0.0.1"]);
    const many = await rawServer((socket) => socket.end(answer(256)));
    expect(headOf(await fetch(many.origin))["headers"]).toHaveLength(512);
    const large = await rawServer((socket) => socket.end(`${HEAD}x-large: ${"a".repeat(60_000)}\r\n\r\n`));
    expect(headOf(await fetch(large.origin))["headers"]).toEqual(["x-large", "a".repeat(60_000)]);
    const more = await rawServer((socket) => socket.end(answer(257)));
    expect(failureOf(await fetch(more.origin))).toMatch(/has too many fields$/);
  });

  it("is refused with one huge cookie [C6.head]", async () => {
    const server = await rawServer((socket) => socket.end(`${HEAD}Set-Cookie: a=${"b".repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`));
    const { fetch } = netCall(["127.0.0.1"]);
    expect(failureOf(await fetch(server.origin))).toMatch(/is too large$/);
  });
});
