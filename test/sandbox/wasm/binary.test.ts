import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Reader, WasmFormatError, Writer } from "../../../sandbox/wasm/binary.ts";

describe("Writer and Reader", () => {
  it("read back every unsigned 32-bit integer, in the fewest bytes", () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff_ffff }), (value) => {
        const { written } = new Writer(1).unsigned(value);
        expect(new Reader(written).unsigned()).toBe(value);
        expect(written.length).toBe(Math.max(1, Math.ceil(value.toString(2).length / 7)));
      }),
    );
  });

  it("write every signed 32-bit integer as §5.2.2 decodes it", () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        const { written } = new Writer().signed(value);
        expect(decodeSigned(written)).toBe(value);
        const reader = new Reader(written);
        reader.skipInteger();
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  it("accept integers that are longer than necessary", () => {
    expect(new Reader(new Uint8Array([0x83, 0x80, 0x00])).unsigned()).toBe(3);
  });

  it.each([
    ["an unterminated value", [0x80, 0x80], (reader: Reader) => reader.unsigned()],
    ["more than 32 bits", [0xff, 0xff, 0xff, 0xff, 0x1f], (reader: Reader) => reader.unsigned()],
    ["six bytes", [0x80, 0x80, 0x80, 0x80, 0x80, 0x00], (reader: Reader) => reader.unsigned()],
    ["more than 64 bits", Array<number>(11).fill(0x80), (reader: Reader) => reader.skipInteger()],
    ["bytes past the end", [5, 1, 2], (reader: Reader) => reader.name()],
  ] as const)("refuse %s", (_what, bytes, read) => {
    expect(() => read(new Reader(new Uint8Array(bytes)))).toThrow(WasmFormatError);
  });

  it("never read past the end of a part", () => {
    const reader = new Reader(new Uint8Array([1, 2, 3]), 0, 1);
    expect(reader.byte()).toBe(1);
    expect(() => reader.byte()).toThrow(WasmFormatError);
  });

  it("refuse to write anything but unsigned integers", () => {
    expect(() => new Writer().unsigned(-1)).toThrow(RangeError);
    expect(() => new Writer().unsigned(2 ** 32)).toThrow(RangeError);
  });
});

function decodeSigned(bytes: Uint8Array): number {
  let value = 0n;
  for (const [index, byte] of bytes.entries()) value |= BigInt(byte & 0x7f) << BigInt(7 * index);
  return Number(BigInt.asIntN(7 * bytes.length, value));
}
