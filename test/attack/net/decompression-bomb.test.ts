import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { httpServer, netCall } from "../../support/hostile-server.ts";

const ZEROS = new Uint8Array(32 * 1024 * 1024);

describe("attack: a small body that decompresses to a large one", () => {
  it.each([
    ["gzip", gzipSync(ZEROS)],
    ["deflate", deflateSync(ZEROS)],
    ["br", brotliCompressSync(ZEROS)],
    ["zstd", zstdCompressSync(ZEROS)],
    ["gzip, gzip", gzipSync(gzipSync(ZEROS))],
  ])("fails in %s at a hundred times its compressed size [C6.bomb]", async (encoding, body) => {
    const server = await httpServer((_request, response) => response.setHeader("content-encoding", encoding).end(body));
    const { fetch, answer } = netCall(["127.0.0.1"]);
    await fetch(server.origin);
    let bytes = 0;
    let failure = "";
    while (failure === "") {
      const piece = await answer("net.read", { id: 1 });
      if (piece.ok) bytes += piece.bytes?.length ?? 0;
      else failure = piece.error.message;
      if (piece.ok && piece.value === true) failure = "read to its end";
    }
    expect(failure).toBe("error reading a body from connection: the body is more than 100 times larger than what was sent");
    expect(bytes).toBeLessThan(Math.max(body.length * 100, 1024 * 1024) + 65_536);
    await expect.poll(server.open).toBe(0);
  });

  it("is limited to a window of 8 MiB in zstd, whatever the sender chooses [C6.bomb]", async () => {
    const framed = (windowLog: number): Buffer =>
      // RFC 8878 §3.1.1: magic number, no optional field, the window; one last raw block of one byte.
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3, 0x09, 0x00, 0x00, 0x78]);
    for (const [windowLog, outcome] of [
      [23, "x"],
      [24, "TypeError: error reading a body from connection: the body cannot be decompressed"],
      [27, "TypeError: error reading a body from connection: the body cannot be decompressed"],
    ] as const) {
      const server = await httpServer((_request, response) => response.setHeader("content-encoding", "zstd").end(framed(windowLog)));
      const { fetch, readAll } = netCall(["127.0.0.1"]);
      await fetch(server.origin);
      const read = await readAll().then(
        (bytes) => new TextDecoder().decode(bytes),
        (error: unknown) => (error instanceof Error ? error.message : ""),
      );
      expect(read).toBe(outcome);
    }
  });

  it("is refused with more than two layers [C6.bomb]", async () => {
    const server = await httpServer((_request, response) => response.setHeader("content-encoding", "gzip, gzip, gzip").end("x"));
    const { fetch } = netCall(["127.0.0.1"]);
    expect(JSON.stringify(await fetch(server.origin))).toContain("the body has too many encodings");
    await expect.poll(server.open).toBe(0);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("fails without text if it is cut or not valid %s [C6.bomb]", async (encoding, pack) => {
    const packed = pack("x".repeat(1_000));
    for (const body of [packed.slice(0, -1), packed.slice(0, -3), Buffer.from("no such thing at all, really none")]) {
      const server = await httpServer((_request, response) => response.setHeader("content-encoding", encoding).end(body));
      const { fetch, readAll } = netCall(["127.0.0.1"]);
      await fetch(server.origin);
      await expect(readAll()).rejects.toThrow("TypeError: error reading a body from connection: the body cannot be decompressed");
    }
  });
});
