/**
 * The write barrier: before every write to memory, marks the page of 256 bytes in which the write begins. The marks are in a second
 * memory that the guest's code has no instruction for.
 *
 * A mark covers its page and the first bytes of the next one (`OVERHANG_BYTES`): a store of at most 8 bytes that begins in a page ends
 * there for any alignment, because an alignment in the code is only a hint (specification §5.4.6, §4.4.7). A restore of a marked page
 * must restore its overhang too.
 *
 * Marks are made before the write, for the address modulo 2³². The real address is not reduced (§4.4.7), but an access above 2³² traps,
 * and a mark for a write that did not happen only costs one extra page.
 */

import { Reader, Writer } from "./binary.ts";
import { type Body, FUNCTION_TYPE, type Step } from "./functions.ts";
import { EMPTY_BLOCK, type Instruction, isBulkWrite, isStore, OP } from "./instructions.ts";
import { type NumberType, TYPE } from "./sections.ts";

/** Page size as a shift: 256 bytes, because the writes of a call are scattered over its heap. */
export const MARK_SHIFT = 8;
/** Maximum bytes that a marked store reaches into the next page. */
export const OVERHANG_BYTES = 8;
/** Index of the memory that holds the marks. */
const MARKS = 1;

/** Memory argument of `i32.store8` at offset 0 of memory 1: a flag for an explicit memory index, with alignment 0 (§5.4.6). */
const STORE_MARK: readonly number[] = [OP.i32Store8, 0x40, MARKS, 0];

/**
 * Returns a step that marks the pages written by stores and bulk operations. `markRange` is the index of the function made by
 * `markRangeFunction`.
 */
export function createBarrier(markRange: number): Step {
  return {
    before(instruction, body, bytes) {
      if (isStore(instruction.opcode)) markStore(instruction, body, bytes);
      else if (isBulkWrite(instruction)) markBulk(body, markRange);
    },
  };
}

/** Marks a store's address. The operands on the stack are saved in locals and pushed again. */
function markStore(instruction: Instruction, body: Body, bytes: Uint8Array): void {
  const { code } = body;
  const type = storedType(instruction.opcode);
  const value = body.temporary("value", type);
  const address = body.temporary("address", "i32");
  code.byte(OP.localSet).unsigned(value);
  code.byte(OP.localTee).unsigned(address);
  const offset = offsetOf(instruction, bytes);
  if (offset !== 0) code.byte(OP.i32Const).signed(offset).byte(OP.i32Add);
  code.byte(OP.i32Const, MARK_SHIFT, OP.i32ShrU, OP.i32Const, 1, ...STORE_MARK);
  code.byte(OP.localGet).unsigned(address);
  code.byte(OP.localGet).unsigned(value);
}

/** Returns the type of the value that a store takes (§5.4.6). */
function storedType(opcode: number): NumberType {
  switch (opcode) {
    case 0x37: // i64.store
    case 0x3c: // i64.store8
    case 0x3d: // i64.store16
    case 0x3e: // i64.store32
      return "i64";
    case 0x38:
      return "f32";
    case 0x39:
      return "f64";
    default:
      return "i32";
  }
}

function offsetOf(instruction: Instruction, bytes: Uint8Array): number {
  const reader = new Reader(bytes, instruction.immediates);
  reader.skipInteger();
  return reader.unsigned();
}

/** Marks a bulk operation. Operands: destination, source or value, length. */
function markBulk({ code, temporary }: Body, markRange: number): void {
  const length = temporary("length", "i32");
  const middle = temporary("middle", "i32");
  const destination = temporary("address", "i32");
  code.byte(OP.localSet).unsigned(length);
  code.byte(OP.localSet).unsigned(middle);
  code.byte(OP.localTee).unsigned(destination);
  code.byte(OP.localGet).unsigned(length);
  code.byte(OP.call).unsigned(markRange);
  code.byte(OP.localGet).unsigned(destination);
  code.byte(OP.localGet).unsigned(middle);
  code.byte(OP.localGet).unsigned(length);
}

/** (address, length) → (). */
export const MARK_RANGE_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 2, TYPE.i32, TYPE.i32, 0]);

/** Returns a function that marks every page from `address` to `address + length - 1`; none if the length is 0. */
export function markRangeFunction(): Uint8Array {
  const [address, length, last] = [0, 1, 2];
  return (
    new Writer()
      .byte(1, 1, TYPE.i32)
      .byte(OP.localGet, length, OP.i32Eqz, OP.if, EMPTY_BLOCK, OP.return, OP.end)
      // last = (address + length - 1) >> shift. If this wraps, the operation traps, and the loop ends after one iteration.
      .byte(OP.localGet, address, OP.localGet, length, OP.i32Add, OP.i32Const, 1, OP.i32Sub, OP.i32Const, MARK_SHIFT, OP.i32ShrU)
      .byte(OP.localSet, last)
      .byte(OP.localGet, address, OP.i32Const, MARK_SHIFT, OP.i32ShrU, OP.localSet, address)
      .byte(OP.loop, EMPTY_BLOCK)
      .byte(OP.localGet, address, OP.i32Const, 1, ...STORE_MARK)
      .byte(OP.localGet, address, OP.i32Const, 1, OP.i32Add, OP.localTee, address, OP.localGet, last, OP.i32LeU)
      .byte(OP.brIf, 0)
      .byte(OP.end, OP.end)
      .written.slice()
  );
}
