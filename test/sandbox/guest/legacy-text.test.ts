import { describe, expect, it } from "vitest";
import { askBoth, askWorker } from "./oracle.ts";

/** Reduces each text of thousands of characters to one number. */
const SUM = `((text) => { let sum = 0; for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0; return [text.length, sum]; })`;

/** Encodings of one or two bytes, each tested with every second byte after every first byte from 0x80. */
const LABELS = ["big5", "euc-kr", "shift_jis", "euc-jp", "gbk", "gb18030"];

/** Returns all pairs with this first byte, each before two letters, so that a byte that is not consumed shows. */
function pairs(label: string, first: number, fatal: boolean): string {
  const decode = fatal
    ? `Array.from({ length: 256 }, (_, b) => { try { return new TextDecoder("${label}", { fatal: true }).decode(Uint8Array.of(${first}, b, 97)); } catch (e) { return e.name; } }).join()`
    : `new TextDecoder("${label}").decode(Uint8Array.from({ length: 1024 }, (_, i) => [${first}, i >> 2, 97, 98][i % 4]))`;
  return `${SUM}(${decode})`;
}

/** Decodes a stream in pieces of this many bytes. */
function cut(label: string, bytes: string, size: number): string {
  return `(() => { const d = new TextDecoder("${label}"); const bytes = Uint8Array.from(${bytes}); let text = ""; for (let at = 0; at < bytes.length; at += ${size}) text += d.decode(bytes.subarray(at, at + ${size}), { stream: true }); return text + d.decode(); })()`;
}

const JIS =
  "[97, 0x1b, 0x24, 0x42, 0x24, 0x22, 0x30, 0x21, 0x21, 0x1b, 0x28, 0x4a, 0x5c, 0x7e, 0x1b, 0x28, 0x49, 0x31, 0x60, 0x1b, 0x28, 0x42, 98, 0x0e, 0x1b, 0x1b, 0x24, 0x40, 0x21]";

describe("TextDecoder with multi-byte encodings, in a worker", { timeout: 60_000 }, () => {
  it("decodes every valid and invalid character like Deno [PB1.TextDecoder]", async () => {
    const firsts = Array.from({ length: 128 }, (_, index) => index + 128);
    const { deno, guest } = await askBoth(
      LABELS.flatMap((label) => [...firsts.map((first) => pairs(label, first, false)), pairs(label, 0xa4, true)]),
      askWorker,
    );
    expect(guest).toEqual(deno);
  });

  it("decodes three and four bytes, and modes, whole and split anywhere [PB1.TextDecoder]", async () => {
    const korean = "[0xb0, 0xa1, 0x81, 0x41, 0xc6, 0x52, 97, 0xff, 0x80, 0xa1]";
    const { deno, guest } = await askBoth(
      [
        ...[1, 2, 3, 5, 99].flatMap((size) => [
          cut("iso-2022-jp", JIS, size),
          cut("euc-kr", korean, size),
          cut("big5", "[0x88, 0x62, 0x87, 0x40, 0xa4, 0x40, 0xfe, 0xfe, 0x80, 0xa1]", size),
          cut("shift_jis", "[0x1a, 0x5c, 0x7e, 0x82, 0xa0, 0xfa, 0x40, 0x80, 0xa0, 0xfd, 0x81]", size),
          cut("euc-jp", "[0x8e, 0xb1, 0x8f, 0xb0, 0xa1, 0xa4, 0xa2, 0x8f, 0x41, 0xa4]", size),
        ]),
        ...Array.from(
          { length: 94 },
          (_, row) =>
            `${SUM}(new TextDecoder("euc-jp").decode(Uint8Array.from({ length: 94 * 3 }, (_, i) => [0x8f, ${row + 0xa1}, 0xa1 + Math.floor(i / 3)][i % 3])))`,
        ),
        ...Array.from(
          { length: 94 },
          (_, row) =>
            `${SUM}(new TextDecoder("iso-2022-jp").decode(Uint8Array.from([0x1b, 0x24, 0x42, ...Array.from({ length: 94 * 2 }, (_, i) => [${row + 0x21}, 0x21 + (i >> 1)][i % 2])])))`,
        ),
        `["korean", "ks_c_5601-1987", "cn-big5", "sjis", "windows-31j", "csISO2022JP", "x-euc-jp", "big5-hkscs"].map((label) => new TextDecoder(label).encoding)`,
        `["euc-kr", "big5"].map((label) => ${SUM}(new TextDecoder(label).decode(new Uint8Array(300_001).fill(0xb0))))`,
        `new Promise((resolve) => { const reader = new FileReader(); reader.onload = () => resolve(reader.result); reader.readAsText(new Blob([Uint8Array.of(0x81, 0x41)]), "euc-kr"); })`,
        `new Response(new Blob([Uint8Array.from(${korean})]).stream().pipeThrough(new TextDecoderStream("euc-kr")).pipeThrough(new TextEncoderStream())).text()`,
      ],
      askWorker,
    );
    expect(guest).toEqual(deno);
  });
});
