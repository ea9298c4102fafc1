import { describe, expect, it } from "vitest";
import { Reader, WasmFormatError } from "../../../sandbox/wasm/binary.ts";
import { isBulkWrite, isLoad, isStore, readInstruction } from "../../../sandbox/wasm/instructions.ts";

/** Every instruction that the rewriter knows, with immediates of several bytes where possible. */
const KNOWN: Readonly<Record<string, readonly number[]>> = {
  unreachable: [0x00],
  block: [0x02, 0x40],
  "loop of a type number": [0x03, 0x80, 0x01],
  if: [0x04, 0x7f],
  else: [0x05],
  end: [0x0b],
  br: [0x0c, 3],
  br_if: [0x0d, 3],
  br_table: [0x0e, 2, 0, 1, 0x80, 0x01],
  return: [0x0f],
  call: [0x10, 0xff, 0x01],
  call_indirect: [0x11, 0x81, 0x00, 0],
  drop: [0x1a],
  "select of types": [0x1c, 1, 0x7f],
  "local.tee": [0x22, 0x80, 0x02],
  "global.set": [0x24, 0],
  "table.get": [0x25, 0],
  "i32.load": [0x28, 2, 0x80, 0x80, 0x04],
  "i64.store32": [0x3e, 2, 4],
  "memory.size": [0x3f, 0],
  "memory.grow": [0x40, 0],
  "i32.const": [0x41, 0xff, 0xff, 0x03],
  "i64.const": [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f],
  "f32.const": [0x43, 0x0b, 0x0b, 0x0b, 0x0b],
  "f64.const": [0x44, 1, 2, 3, 4, 5, 6, 7, 8],
  "i32.eqz": [0x45],
  "i64.extend32_s": [0xc4],
  "ref.null": [0xd0, 0x70],
  "ref.is_null": [0xd1],
  "ref.func": [0xd2, 0x80, 0x01],
  "i32.trunc_sat_f32_s": [0xfc, 0],
  "memory.init": [0xfc, 8, 1, 0],
  "data.drop": [0xfc, 9, 1],
  "memory.copy": [0xfc, 10, 0, 0],
  "memory.fill": [0xfc, 11, 0],
  "table.init": [0xfc, 12, 0, 0],
  "elem.drop": [0xfc, 13, 0],
  "table.copy": [0xfc, 14, 0, 0],
  "table.grow": [0xfc, 15, 0],
  "table.size": [0xfc, 16, 0],
  "table.fill": [0xfc, 17, 0],
};

describe("readInstruction()", () => {
  it.each(Object.entries(KNOWN))("finds the end of %s", (_name, bytes) => {
    const reader = new Reader(new Uint8Array([...bytes, 0x0b, 0x0b, 0x0b]));
    expect(readInstruction(reader).end).toBe(bytes.length);
  });

  it.each([
    ["return_call, which may form a loop", [0x12, 0]],
    ["try_table", [0x1f, 0x40, 0]],
    ["call_ref", [0x14, 0]],
    ["a vector instruction", [0xfd, 11, 0, 0]],
    ["an atomic instruction", [0xfe, 0x17, 2, 0]],
    ["an unknown bulk instruction", [0xfc, 18, 0]],
    ["a store to a second memory", [0x36, 0x42, 1, 0]],
    ["a copy from a second memory", [0xfc, 10, 0, 1]],
    ["a fill of a second memory", [0xfc, 11, 1]],
    ["growth of a second memory", [0x40, 1]],
  ])("refuses %s", (_name, bytes) => {
    expect(() => readInstruction(new Reader(new Uint8Array(bytes)))).toThrow(WasmFormatError);
  });

  it("recognizes instructions that read and write memory", () => {
    const read = (bytes: readonly number[]) => readInstruction(new Reader(new Uint8Array(bytes)));
    const opcodes = Array.from({ length: 256 }, (_, opcode) => opcode);
    expect(opcodes.filter(isLoad)).toEqual([0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35]);
    expect(opcodes.filter(isStore)).toEqual([0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e]);
    expect(Object.keys(KNOWN).filter((name) => isBulkWrite(read(KNOWN[name] ?? [])))).toEqual([
      "memory.init",
      "memory.copy",
      "memory.fill",
    ]);
  });
});
