import { describe, expect, it } from "vitest";
import { failureOf, netCall, rawServer } from "../../support/hostile-server.ts";

describe("attack: a body without end", () => {
  it("is read only as far as the guest asks [C6.credit]", async () => {
    let sent = 0;
    const server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const go = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(65_536))) sent += 65_536;
        if (!socket.destroyed) socket.once("drain", go);
      };
      go();
    });
    const { fetch, answer, close } = netCall(["127.0.0.1"]);
    await fetch(server.origin);
    expect((await answer("net.read", { id: 1 })).ok).toBe(true);
    // Waits until nothing moves: the kernel's buffers are full, and the host's are small.
    let before = -1;
    await expect
      .poll(
        () => {
          const still = sent === before;
          before = sent;
          return still;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    close();
    await expect.poll(server.open).toBe(0);
  });

  it("ends at the bound [C6.size]", async () => {
    const server = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const go = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(65_536)));
        if (!socket.destroyed) socket.once("drain", go);
      };
      go();
    });
    const { fetch, readAll } = netCall(["127.0.0.1"], { limits: { bodyBytes: 1_000_000 } });
    await fetch(server.origin);
    await expect(readAll()).rejects.toThrow("TypeError: error reading a body from connection: the body is larger than 1000000 bytes");
    await expect.poll(server.open).toBe(0);
  });

  it("arrives in pieces no larger than an operation [B3]", async () => {
    const server = await rawServer((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(10_000)}`));
    const { fetch, answer } = netCall(["127.0.0.1"], { operationBytes: 700 });
    await fetch(server.origin);
    const first = await answer("net.read", { id: 1 });
    expect(first).toMatchObject({ ok: true, value: false });
    expect(first.ok && first.bytes?.length).toBe(700);
  });

  it("times out if it never begins [C6.time]", async () => {
    const server = await rawServer((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
    const { fetch, readAll } = netCall(["127.0.0.1"], { limits: { idleMs: 50 } });
    await fetch(server.origin);
    await expect(readAll()).rejects.toThrow("the next piece of the body did not arrive in time");
    await expect.poll(server.open).toBe(0);
  });

  it("times out if the server never answers [C6.time]", async () => {
    const server = await rawServer(() => undefined);
    const { fetch } = netCall(["127.0.0.1"], { limits: { headMs: 50 } });
    expect(failureOf(await fetch(server.origin))).toMatch(/the server did not answer in time$/);
    await expect.poll(server.open).toBe(0);
  });
});
