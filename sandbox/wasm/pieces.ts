/**
 * Splits long bulk operations into pieces, so that the meter is called in between. Otherwise a module could copy all of its memory with
 * one instruction, which the host cannot interrupt.
 *
 * The functions run before `memory.copy` and `memory.fill`. They charge for the operation, perform it if it is long, and then leave a
 * length of 0 to the instruction. An operation that reaches outside of memory is left to the instruction, which traps before it writes
 * anything (WebAssembly core specification §4.4.7).
 */

import { Writer } from "./binary.ts";
import { FUNCTION_TYPE } from "./functions.ts";
import { BULK, EMPTY_BLOCK, OP } from "./instructions.ts";
import { TYPE } from "./sections.ts";

/** Size of a piece. Takes about a millisecond. */
export const PIECE_BYTES: number = 4 << 20;
const MEMORY_PAGE_SHIFT = 16;

/** (destination, source or value, length) → (remaining length). */
export const PIECES_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 3, TYPE.i32, TYPE.i32, TYPE.i32, 1, TYPE.i32]);

const I32_GT_U = 0x4b;
const I64_CONST = 0x42;
const I64_GT_U = 0x56;
const I64_ADD = 0x7c;
const I64_SHL = 0x86;
const I64_EXTEND_I32_U = 0xad;
const MEMORY_SIZE = 0x3f;
const ELSE = 0x05;

const [TO, FROM, LENGTH] = [0, 1, 2];

/**
 * The function as text; `$charge` is the meter's charge function. A piece is a multiple of the bytes that one unit of fuel pays
 * for, so that all pieces together cost as much as the whole.
 *
 * ```wat
 * (func $copy (param $to i32) (param $from i32) (param $length i32) (result i32)
 *   (if (length ≤ a piece; and again if $to + $length or $from + $length are outside of memory)
 *     (then (call $charge (local.get $length)) (return (local.get $length))))
 *   (loop $pieces
 *     (call $charge (a piece))
 *     (if (i32.gt_u (local.get $to) (local.get $from))
 *       ;; The end first: the two may overlap.
 *       (then (memory.copy (the last piece of the destination) (the last piece of the source) (a piece)))
 *       (else (memory.copy (local.get $to) (local.get $from) (a piece)) ($to and $from one piece further)))
 *     (br_if $pieces (i32.gt_u (local.tee $length ($length less a piece)) (a piece))))
 *   (call $charge (local.get $length))
 *   (memory.copy (local.get $to) (local.get $from) (local.get $length))
 *   (i32.const 0))
 * ```
 */
export function copyInPieces(charge: number, pieceBytes: number): Uint8Array {
  const code = new Writer(256).byte(0);
  const piece = (): Writer => code.byte(OP.i32Const).signed(pieceBytes);
  leaveShort(code, charge, [TO, FROM], piece);
  code.byte(OP.loop, EMPTY_BLOCK);
  piece().byte(OP.call).unsigned(charge);
  code.byte(OP.localGet, TO, OP.localGet, FROM, I32_GT_U, OP.if, EMPTY_BLOCK);
  for (const address of [TO, FROM]) {
    code.byte(OP.localGet, address, OP.localGet, LENGTH, OP.i32Add);
    piece().byte(OP.i32Sub);
  }
  piece().byte(OP.prefix, BULK.memoryCopy, 0, 0, ELSE, OP.localGet, TO, OP.localGet, FROM);
  piece().byte(OP.prefix, BULK.memoryCopy, 0, 0);
  advance(code, [TO, FROM], piece);
  code.byte(OP.end);
  nextPiece(code, piece);
  code.byte(OP.localGet, LENGTH, OP.call).unsigned(charge);
  code.byte(OP.localGet, TO, OP.localGet, FROM, OP.localGet, LENGTH, OP.prefix, BULK.memoryCopy, 0, 0);
  return code.byte(OP.i32Const, 0, OP.end).written;
}

/** Like `copyInPieces`, for `memory.fill`. Always runs upwards. */
export function fillInPieces(charge: number, pieceBytes: number): Uint8Array {
  const code = new Writer(256).byte(0);
  const piece = (): Writer => code.byte(OP.i32Const).signed(pieceBytes);
  leaveShort(code, charge, [TO], piece);
  code.byte(OP.loop, EMPTY_BLOCK);
  piece().byte(OP.call).unsigned(charge);
  code.byte(OP.localGet, TO, OP.localGet, FROM);
  piece().byte(OP.prefix, BULK.memoryFill, 0);
  advance(code, [TO], piece);
  nextPiece(code, piece);
  code.byte(OP.localGet, LENGTH, OP.call).unsigned(charge);
  code.byte(OP.localGet, TO, OP.localGet, FROM, OP.localGet, LENGTH, OP.prefix, BULK.memoryFill, 0);
  return code.byte(OP.i32Const, 0, OP.end).written;
}

/** Charges for an operation that is short, as most are, or that will trap, and returns its length unchanged. */
function leaveShort(code: Writer, charge: number, addresses: readonly number[], piece: () => Writer): void {
  const leave = (): void => {
    code.byte(OP.if, EMPTY_BLOCK, OP.localGet, LENGTH, OP.call).unsigned(charge);
    code.byte(OP.localGet, LENGTH, OP.return, OP.end);
  };
  code.byte(OP.localGet, LENGTH);
  piece().byte(I32_GT_U, OP.i32Eqz);
  leave();
  for (const address of addresses) {
    code.byte(OP.localGet, address, I64_EXTEND_I32_U, OP.localGet, LENGTH, I64_EXTEND_I32_U, I64_ADD);
    code.byte(MEMORY_SIZE, 0, I64_EXTEND_I32_U, I64_CONST, MEMORY_PAGE_SHIFT, I64_SHL, I64_GT_U);
    leave();
  }
}

function advance(code: Writer, addresses: readonly number[], piece: () => Writer): void {
  for (const address of addresses) {
    code.byte(OP.localGet, address);
    piece().byte(OP.i32Add, OP.localSet, address);
  }
}

/** Ends the loop after the last whole piece. */
function nextPiece(code: Writer, piece: () => Writer): void {
  code.byte(OP.localGet, LENGTH);
  piece().byte(OP.i32Sub, OP.localTee, LENGTH);
  piece().byte(I32_GT_U, OP.brIf, 0, OP.end);
}
