import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { zlibCodec } from "../../../host/platform/zlib-codec.ts";
import { startGuest } from "./engine.ts";
import { askBoth } from "./oracle.ts";

const PIPE = `const through = async (bytes, stream, cut = bytes.length) => {
  const writer = stream.writable.getWriter();
  const written = (async () => { for (let at = 0; at < bytes.length || at === 0; at += cut) await writer.write(bytes.slice(at, at + cut)); await writer.close(); })();
  written.catch(() => {});
  const parts = [];
  const reader = stream.readable.getReader();
  for (;;) { const { value, done } = await reader.read(); if (done) break; parts.push(...value); }
  return new Uint8Array(parts);
};`;
const inside = (body: string): string => `(async () => { ${PIPE} ${body} })()`;
const text = (bytes: Uint8Array): string => `new Uint8Array([${[...bytes].join()}])`;

const FORMATS = ["gzip", "deflate", "deflate-raw"] as const;
const SAMPLE = new TextEncoder().encode("the same, the same, the same; and something else".repeat(4));
const COMPRESSED = { gzip: gzipSync(SAMPLE), deflate: deflateSync(SAMPLE), "deflate-raw": deflateRawSync(SAMPLE) };

const ROUND_TRIPS = FORMATS.flatMap((format) => [
  inside(`return through(await through(${text(SAMPLE)}, new CompressionStream("${format}"), 7), new DecompressionStream("${format}"), 5)`),
  inside(`return through(${text(COMPRESSED[format])}, new DecompressionStream("${format}"))`),
  inside(`return through(${text(COMPRESSED[format])}, new DecompressionStream("${format}"), 1)`),
  // Compressed data with a trailing byte, and data that is not compressed.
  inside(`return through(${text(new Uint8Array([...COMPRESSED[format], 1]))}, new DecompressionStream("${format}"))`),
  inside(`return through(new Uint8Array([255, 255, 255, 255, 1, 2]), new DecompressionStream("${format}"))`),
]);
const MISUSES = [
  inside(`return new CompressionStream("nope")`),
  inside(`return new CompressionStream()`),
  inside(
    `return through(["text"], { __proto__: new CompressionStream("gzip"), writable: { getWriter: () => ({ write() { throw new TypeError("x") }, close() {} }) } })`,
  ),
  inside(
    `const s = new CompressionStream("gzip"); s.readable.getReader().read().catch(() => {}); return s.writable.getWriter().write("text")`,
  ),
];

describe("CompressionStream and DecompressionStream", () => {
  it("compress and decompress, whole or in pieces, and refuse broken data, as in Deno [PB2.compression]", async () => {
    const { deno, guest } = await askBoth([...ROUND_TRIPS, ...MISUSES]);
    expect(guest).toEqual(deno);
  });

  it("refuse data that ends too early, which Deno accepts if the format has no checksum [PB2.compression]", async () => {
    const guest = await startGuest({
      source: `${PIPE} export const tool = async ({ format, bytes }) => through(new Uint8Array(bytes), new DecompressionStream(format)).then(() => "whole", (error) => [error.name, error.message])`,
    });
    for (const format of FORMATS) {
      const bytes = [...COMPRESSED[format].subarray(0, -3)];
      expect(guest.output({ args: { format, bytes } })).toEqual(["TypeError", `corrupt ${format} stream`]);
    }
    guest.dispose();
  });

  it("enqueue available data before the input ends [PB2.compression]", async () => {
    const half = COMPRESSED.gzip.subarray(0, -12);
    const guest = await startGuest({
      source: `export async function tool() { const s = new DecompressionStream("gzip"); s.writable.getWriter().write(${text(half)}); const { value } = await s.readable.getReader().read(); return value.length > 0 }`,
    });
    expect(guest.output()).toBe(true);
    guest.dispose();
  });

  it("end a zip bomb at the limit, in every format [PB2.compression] [B3]", async () => {
    const bomb = new Uint8Array(33 * 1024 * 1024);
    const bombs = { gzip: gzipSync(bomb), deflate: deflateSync(bomb), "deflate-raw": deflateRawSync(bomb) };
    const guest = await startGuest({
      source: `export async function tool({ format, base64 }) {
        const s = new DecompressionStream(format);
        const w = s.writable.getWriter();
        w.write(Uint8Array.fromBase64(base64)).catch(() => {});
        w.close().catch(() => {});
        try { await s.readable.getReader().read(); return "read" } catch (error) { return [error.name, error.message] }
      }`,
    });
    for (const format of FORMATS) {
      expect(guest.output({ args: { format, base64: bombs[format].toString("base64") } })).toEqual([
        "RangeError",
        "Cannot decompress more than 33554432 bytes (split the data)",
      ]);
    }
    guest.dispose();
  });
});

describe("zlibCodec", () => {
  it("accepts exactly one stream if it must be whole [PB2.compression]", () => {
    const twice = new Uint8Array([...COMPRESSED.gzip, ...COMPRESSED.gzip]);
    const options = { final: true, maximumBytes: 1_000 };
    expect(zlibCodec.decompress("gzip", twice, options)).toEqual({ ok: false, why: "corrupt" });
    expect(zlibCodec.decompress("gzip", COMPRESSED.gzip, options)).toEqual({ ok: true, bytes: SAMPLE });
    expect(zlibCodec.decompress("gzip", new Uint8Array(0), options)).toEqual({ ok: false, why: "corrupt" });
    expect(zlibCodec.decompress("deflate", COMPRESSED.deflate, { final: true, maximumBytes: 10 })).toEqual({ ok: false, why: "too-large" });
  });
});
