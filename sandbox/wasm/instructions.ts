/**
 * Finds the end of each instruction (WebAssembly core specification §5.4).
 *
 * Supports WebAssembly 1.0 with sign extension, saturating conversions, bulk memory and reference types. Anything else is rejected,
 * because an unknown instruction might write memory or loop.
 */

import { type Reader, WasmFormatError } from "./binary.ts";
import { skipValueType, skipValueTypes } from "./sections.ts";

/** Opcodes that the rewriter reads or writes (§5.4; complete list in the appendix "Index of Instructions"). */
export const OP = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Store8: 0x3a,
  i32Const: 0x41,
  i32Eqz: 0x45,
  i32LeS: 0x4c,
  i32LeU: 0x4d,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32ShrU: 0x76,
  refFunc: 0xd2,
  /** Followed by a second opcode number. */
  prefix: 0xfc,
} as const;

/** Block type without parameters and results (§5.4.1). */
export const EMPTY_BLOCK = 0x40;

/** Opcode numbers after the prefix 0xfc. */
export const BULK = { memoryInit: 8, memoryCopy: 10, memoryFill: 11 } as const;

export interface Instruction {
  readonly opcode: number;
  /** The number after the prefix 0xfc; 0 for all other instructions. */
  readonly bulk: number;
  readonly start: number;
  /** Position of the immediates. */
  readonly immediates: number;
  readonly end: number;
}

/** Reads one instruction; only the head of a structured one. @throws {WasmFormatError} if the instruction is unknown */
export function readInstruction(reader: Reader): Instruction {
  const start = reader.at;
  const opcode = reader.byte();
  const bulk = opcode === OP.prefix ? reader.unsigned() : 0;
  const immediates = reader.at;
  if (opcode === OP.prefix) skipBulkImmediates(bulk, reader);
  else skipImmediates(opcode, reader);
  return { opcode, bulk, start, immediates, end: reader.at };
}

function skipImmediates(opcode: number, reader: Reader): void {
  // Numeric instructions without immediates (§5.4.7), sign extension included.
  if (opcode >= 0x45 && opcode <= 0xc4) return;
  // Loads and stores: alignment and offset (§5.4.6).
  if (opcode >= 0x28 && opcode <= 0x3e) return skipMemoryArgument(reader);
  // Locals, globals, table.get, table.set (§5.4.4, §5.4.5).
  if (opcode >= 0x20 && opcode <= 0x26) return reader.skipInteger();
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case OP.end:
    case OP.return:
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return;
    case OP.block:
    case OP.loop:
    case OP.if:
      return skipBlockType(reader);
    case 0x0c: // br
    case OP.brIf:
    case OP.call:
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case OP.refFunc:
      return reader.skipInteger();
    case OP.brTable:
      for (let left = reader.unsigned() + 1; left > 0; left--) reader.skipInteger();
      return;
    case 0x11: // call_indirect
      reader.skipInteger();
      return reader.skipInteger();
    case 0x1c: // select with types
      skipValueTypes(reader);
      return;
    case 0x3f: // memory.size
    case 0x40: // memory.grow
      return requireFirstMemory(reader);
    case 0x43: // f32.const
      return void reader.take(4);
    case 0x44: // f64.const
      return void reader.take(8);
    default:
      throw new WasmFormatError(`Unknown instruction 0x${opcode.toString(16)} at ${reader.at - 1}`);
  }
}

/** Skips a block type: empty, a value type, or a type index as a signed integer of 33 bits, which keeps the three apart (§5.4.1). */
function skipBlockType(reader: Reader): void {
  const first = reader.peek();
  if (first === EMPTY_BLOCK || first < 0x40 || first >= 0x80) reader.skipInteger();
  else skipValueType(reader);
}

function skipBulkImmediates(bulk: number, reader: Reader): void {
  // Saturating conversions (§5.4.7).
  if (bulk <= 7) return;
  switch (bulk) {
    case BULK.memoryInit:
      reader.skipInteger();
      return requireFirstMemory(reader);
    case 9: // data.drop
    case 13: // elem.drop
    case 15: // table.grow
    case 16: // table.size
    case 17: // table.fill
      return reader.skipInteger();
    case BULK.memoryCopy:
      requireFirstMemory(reader);
      return requireFirstMemory(reader);
    case BULK.memoryFill:
      return requireFirstMemory(reader);
    case 12: // table.init
    case 14: // table.copy
      reader.skipInteger();
      return reader.skipInteger();
    default:
      throw new WasmFormatError(`Unknown instruction 0xfc ${bulk} at ${reader.at}`);
  }
}

/** Bit 6 of the alignment announces a memory index (§5.4.6). */
const HAS_MEMORY_NUMBER = 0x40;

function skipMemoryArgument(reader: Reader): void {
  if (reader.unsigned() >= HAS_MEMORY_NUMBER) throw new WasmFormatError(`The access at ${reader.at} uses a second memory`);
  reader.skipInteger();
}

function requireFirstMemory(reader: Reader): void {
  if (reader.unsigned() !== 0) throw new WasmFormatError(`The access at ${reader.at} uses a second memory`);
}

export function isLoad(opcode: number): boolean {
  return opcode >= 0x28 && opcode <= 0x35;
}

export function isStore(opcode: number): boolean {
  return opcode >= 0x36 && opcode <= 0x3e;
}

/** True for `memory.copy`, `memory.fill` and `memory.init`. Operands: destination, source or value, length. */
export function isBulkWrite({ opcode, bulk }: Instruction): boolean {
  return opcode === OP.prefix && (bulk === BULK.memoryCopy || bulk === BULK.memoryFill || bulk === BULK.memoryInit);
}
