import { describe, expect, it } from "vitest";
import { netCall, rawServer } from "../../support/hostile-server.ts";

describe("attack: a server that does not read the body", () => {
  it("blocks the writer, and makes the host hold no more of the body than fits [C6.credit]", async () => {
    const server = await rawServer((socket) => void socket.pause());
    const { fetch, answer, close } = netCall(["127.0.0.1"]);
    const pending = fetch(server.origin, { method: "POST", body: "stream" });
    await expect.poll(server.connections).toBe(1);
    let written = 0;
    const piece = new Uint8Array(262_144);
    const writing = (async () => {
      for (;;) {
        const wrote = await answer("net.write", { id: 1 }, piece);
        if (!wrote.ok || wrote.value !== true) return;
        written += piece.length;
      }
    })();
    let before = -1;
    await expect
      .poll(
        () => {
          const still = written === before;
          before = written;
          return still && written > 0;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    close();
    await writing;
    expect(await pending).toMatchObject({ ok: false, error: { name: "AbortError" } });
  });

  it("cannot be sent more than the bound [C6.size]", async () => {
    const server = await rawServer((socket) => void socket.resume());
    const { fetch, answer } = netCall(["127.0.0.1"], { operationBytes: 64 * 1024 * 1024 });
    const pending = fetch(server.origin, { method: "POST", body: "stream" });
    await expect.poll(server.connections).toBe(1);
    const half = new Uint8Array(33 * 1024 * 1024);
    expect(await answer("net.write", { id: 1 }, half)).toEqual({ ok: true, value: true });
    expect(await answer("net.write", { id: 1 }, half)).toMatchObject({
      ok: false,
      error: { message: "The body of a request has at most 67108864 bytes" },
    });
    expect(await pending).toMatchObject({ ok: false });
    await expect.poll(server.open).toBe(0);
  });
});
