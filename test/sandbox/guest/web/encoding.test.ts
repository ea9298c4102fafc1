import { describe, expect, it } from "vitest";
import { askBoth } from "../oracle.ts";

const ENCODE = [
  `new TextEncoder().encode()`,
  `new TextEncoder().encode("aé€😀")`,
  `new TextEncoder().encode("a\\0b")`,
  `new TextEncoder().encode("\\ud800x\\udc00")`,
  `new TextEncoder().encode(12)`,
  `new TextEncoder().encode("x".repeat(100_000)).length`,
  `new TextEncoder().encodeInto("aé€😀", new Uint8Array(3))`,
  `new TextEncoder().encodeInto("aé€😀", new Uint8Array(9))`,
  `new TextEncoder().encodeInto("aé€😀z", new Uint8Array(20))`,
  `new TextEncoder().encodeInto("\\ud800", new Uint8Array(2))`,
  `(() => { const gone = new Uint8Array(3); structuredClone(gone.buffer, { transfer: [gone.buffer] }); return new TextEncoder().encodeInto("a", gone); })()`,
  `(() => { const b = new Uint8Array(8); new TextEncoder().encodeInto("h\\0é", b.subarray(2)); return b })()`,
  `new TextEncoder().encodeInto("a", new Uint16Array(3))`,
  `TextEncoder.prototype.encode.call({}, "a")`,
];

const DECODE = [
  `new TextDecoder().decode()`,
  `new TextDecoder().decode(new Uint8Array([97, 0, 98]))`,
  `new TextDecoder().decode(new Uint8Array([0xc3, 0xa9, 0xff, 0x61]))`,
  `new TextDecoder().decode(new Uint8Array([0xe2, 0x82]))`,
  `new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))`,
  `new TextDecoder("utf8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))`,
  `new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([0xff]))`,
  `new TextDecoder("latin1").encoding`,
  `new TextDecoder("latin1").decode(new Uint8Array([0x80, 0xe9]))`,
  `new TextDecoder("utf-16le").decode(new Uint8Array([0x61, 0, 0x3d, 0xd8, 0, 0xde]))`,
  `new TextDecoder("utf-16be").decode(new Uint8Array([0, 0x61]))`,
  `new TextDecoder("gbk").decode(new Uint8Array([0xc4, 0xe3]))`,
  `new TextDecoder("shift_jis").decode(new Uint8Array([0x82, 0xa0]))`,
  `new TextDecoder(" UTF-8\\t").encoding`,
  `new TextDecoder("nope")`,
  `new TextDecoder().decode(new Uint8Array([1, 97, 98]).subarray(1))`,
  `new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1))`,
  `new TextDecoder().decode(new Uint8Array([97]).buffer)`,
  `new TextDecoder().decode(new Uint16Array([0x6261]))`,
  `new TextDecoder().decode("text")`,
  `new TextDecoder().decode({})`,
];

/** Decodes a stream of chunks with one decoder, then ends it. */
function stream(label: string, chunks: string, options = "{}"): string {
  return `(() => { const d = new TextDecoder("${label}", ${options}); const out = ${chunks}.map((c) => d.decode(new Uint8Array(c), { stream: true })); out.push(d.decode()); out.push(d.decode(new Uint8Array([97]))); return out })()`;
}

const STREAMS = [
  stream("utf-8", "[[0xe2], [0x82], [0xac, 0x61]]"),
  stream("utf-8", "[[0xf0, 0x9f], [0x98], [0x80], [0xf0]]"),
  stream("utf-8", "[[0xef], [0xbb], [0xbf, 0x61], [0xef, 0xbb, 0xbf]]"),
  stream("utf-8", "[[0xef], [0xbb], [0xbf, 0x61]]", "{ ignoreBOM: true }"),
  stream("utf-8", "[[0xff, 0xe2], [0x28]]"),
  stream("utf-8", "[[0xe2, 0x82], [0x28]]", "{ fatal: true }"),
  stream("utf-8", "[[], [0x61], []]"),
  stream("utf-16le", "[[0x61], [0, 0x3d], [0xd8], [0, 0xde]]"),
  stream("utf-16le", "[[0xff], [0xfe, 0x61], [0]]"),
  stream("gb18030", "[[0x84], [0x31, 0xa4], [0x37, 0x61]]"),
  stream("shift_jis", "[[0x82], [0xa0, 0x82]]"),
  stream("euc-kr", "[[0xb0], [0xa1]]"),
  stream("iso-2022-jp", "[[0x1b, 0x24, 0x42, 0x24], [0x22], [0x1b, 0x28, 0x42, 0x61]]"),
];

describe("TextEncoder and TextDecoder", () => {
  it("encode like Deno, with U+0000 and lone surrogates [PB1.encoding] [B5]", async () => {
    const { deno, guest } = await askBoth(ENCODE);
    expect(guest).toEqual(deno);
  });

  it("decode every label, buffer and error like Deno [PB1.encoding]", async () => {
    const { deno, guest } = await askBoth(DECODE);
    expect(guest).toEqual(deno);
  });

  it("decode streams with characters that are split anywhere [PB1.encoding]", async () => {
    const { deno, guest } = await askBoth(STREAMS);
    expect(guest).toEqual(deno);
  });
});
