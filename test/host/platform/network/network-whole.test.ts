import { PassThrough, pipeline, Readable } from "node:stream";
import { brotliCompressSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type DecoderSteps, decodeBrotli, decodeZstd } from "../../../../host/platform/network/network-whole.ts";
import { seededBytes } from "../../../support/seed.ts";

async function decode(steps: DecoderSteps, body: Uint8Array, pieceBytes = 1_000): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += pieceBytes) pieces.push(body.subarray(at, at + pieceBytes));
  const end = new PassThrough();
  pipeline([Readable.from(pieces, { objectMode: false }), ...steps, end], () => undefined);
  const out: Buffer[] = [];
  try {
    for await (const piece of end) out.push(Buffer.from(piece as Uint8Array));
  } catch {
    // The decoder's own message differs between runtimes.
    return undefined;
  }
  return Buffer.concat(out);
}

const BODIES: readonly (readonly [string, Buffer])[] = [
  ["one byte", Buffer.from("x")],
  ["repetitive data", Buffer.from("hello ".repeat(2_000))],
  ["incompressible data", Buffer.from(seededBytes(300))],
  ["the ending of zstd itself", Buffer.alloc(64, 7)],
];

describe.each([
  ["br", brotliCompressSync, decodeBrotli],
  ["zstd", zstdCompressSync, decodeZstd],
] as const)("a body in %s", (_name, pack, decoder) => {
  it.each(BODIES)("is read if it is complete: %s [C6.whole]", async (_what, body) => {
    const packed = pack(body);
    for (const pieceBytes of [1, 7, 100_000]) expect(await decode(decoder(), packed, pieceBytes)).toEqual(body);
  });

  it.each(BODIES)("fails if it is cut anywhere: %s [C6.whole]", async (_what, body) => {
    const packed = pack(body);
    const taken: number[] = [];
    for (let length = 1; length < packed.length; length++) {
      if ((await decode(decoder(), packed.subarray(0, length))) !== undefined) taken.push(length);
    }
    expect(taken).toEqual([]);
  });

  it("is read as empty if it has no bytes [C6.whole]", async () => {
    expect(await decode(decoder(), Buffer.alloc(0))).toEqual(Buffer.alloc(0));
  });
});
