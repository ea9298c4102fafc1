/**
 * Generates the restore function: copies the clean bytes of every marked page and clears its mark.
 *
 * Marks, clean bytes and the table that locates them are in the second memory (`SHADOW`), so that a restore is always a single call into
 * WebAssembly. The host fills the table and the bytes (`image/shadow.ts`).
 */

import { MARK_SHIFT } from "./barrier.ts";
import { Writer } from "./binary.ts";
import { FUNCTION_TYPE } from "./functions.ts";
import { EMPTY_BLOCK, OP } from "./instructions.ts";
import { TYPE } from "./sections.ts";

const PAGE_BYTES = 1 << MARK_SHIFT;
/** Size of a WebAssembly page, 64 KB, as a shift. */
const MEMORY_PAGE_SHIFT = 16;

/** Layout of the second memory. */
export const SHADOW: { readonly memory: number; readonly marksBytes: number; readonly origin: number; readonly table: number } = {
  /** Index of the second memory in a rewritten module. */
  memory: 1,
  /** Size of the marks, which begin at 0: one byte for each page of 4 GiB, so that no address is out of range. */
  marksBytes: 2 ** (32 - MARK_SHIFT),
  /** Start of the clean bytes, and base of the table's offsets. A page of zeros comes first, so that offset 0 means zeros. */
  origin: 2 ** (32 - MARK_SHIFT),
  /** Start of the table: for each page the offset of its clean bytes, as u32. */
  table: 2 ** (32 - MARK_SHIFT) + PAGE_BYTES,
};

/** () → (). */
export const RESTORE_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 0, 0]);

/** Opcodes of the vector proposal, after their prefix (§5.4.8). */
const VECTOR = 0xfd;
const V128 = { load: 0x00, store: 0x0b, const: 0x0c, or: 0x50, anyTrue: 0x53 } as const;
const V128_BYTES = 16;
/**
 * Numbers of marks tested together: first a block, then a group, because most marks are clean. A multiple of the 256 marks of a memory
 * page.
 */
const BLOCK = 256;
const GROUP = 64;
const I64_BYTES = 8;

const I64 = { load: 0x29, store: 0x37, const: 0x42, eqz: 0x50, ctz: 0x7a, sub: 0x7d, and: 0x83 } as const;
const I32_LOAD = 0x28;
const I32_SHL = 0x74;
const I32_LT_U = 0x49;
const I32_WRAP_I64 = 0xa7;
const BRANCH = 0x0c;
const MEMORY_SIZE = 0x3f;

/**
 * The function as text:
 *
 * ```wat
 * (func $restore (local $at i32) (local $end i32) (local $next i32) (local $page i32) (local $from i32) (local $to i32) (local $marks i64)
 *   (local.set $end (i32.shl (memory.size 0) (i32.const 8)))          ;; pages of this module's kind
 *   (loop $blocks
 *     (local.set $next (i32.add (local.get $at) (i32.const 256)))
 *     (if (v128.any_true (the 256 marks at $at, or-ed))
 *       (then (loop $groups
 *         (if (v128.any_true (the 64 marks at $at, or-ed))
 *           (then (8 times, for the 8 marks at $at + 8 × n:
 *             (local.set $marks (i64.load 1 …)) (i64.store 1 … (i64.const 0))
 *             (block $done (loop $marked                                   ;; each mark is one bit
 *               (br_if $done (i64.eqz (local.get $marks)))
 *               $page = $at + 8 × n + ctz($marks) / 8;  $marks &= $marks - 1
 *               copy the page, and the overhang of the page after it
 *               (br $marked))))))
 *         (br_if $groups (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $next))))))
 *     (br_if $blocks (i32.lt_u (local.tee $at (local.get $next)) (local.get $end)))))
 * ```
 */
export function restoreFunction(): Uint8Array {
  const [at, end, next, page, from, to, marks] = [0, 1, 2, 3, 4, 5, 6];
  const code = new Writer(4_096).byte(2, 6, TYPE.i32, 1, TYPE.i64);
  const shadow = (offset: number, align: number): void => void code.byte(0x40 | align, SHADOW.memory).unsigned(offset);
  const guest = (offset: number, align: number): void => void code.byte(align).unsigned(offset);

  code.byte(MEMORY_SIZE, 0, OP.i32Const, MEMORY_PAGE_SHIFT - MARK_SHIFT, I32_SHL, OP.localSet, end);
  code.byte(OP.loop, EMPTY_BLOCK);
  code.byte(OP.localGet, at, OP.i32Const).signed(BLOCK).byte(OP.i32Add, OP.localSet, next);
  anyMark(BLOCK);
  code.byte(OP.if, EMPTY_BLOCK, OP.loop, EMPTY_BLOCK);
  anyMark(GROUP);
  code.byte(OP.if, EMPTY_BLOCK);
  for (let offset = 0; offset < GROUP; offset += I64_BYTES) {
    code.byte(OP.localGet, at, I64.load);
    shadow(offset, 0);
    code.byte(OP.localSet, marks, OP.localGet, at, I64.const, 0, I64.store);
    shadow(offset, 0);
    code.byte(OP.block, EMPTY_BLOCK, OP.loop, EMPTY_BLOCK);
    code.byte(OP.localGet, marks, I64.eqz, OP.brIf, 1);
    // page = at + offset + ctz(marks) / 8
    code.byte(OP.localGet, at, OP.localGet, marks, I64.ctz, I32_WRAP_I64, OP.i32Const, 3, OP.i32ShrU, OP.i32Add);
    code.byte(OP.i32Const).signed(offset).byte(OP.i32Add, OP.localSet, page);
    code.byte(OP.localGet, marks, OP.localGet, marks, I64.const, 1, I64.sub, I64.and, OP.localSet, marks);
    copyPage();
    code.byte(BRANCH, 0, OP.end, OP.end);
  }
  code.byte(OP.end);
  code.byte(OP.localGet, at, OP.i32Const).signed(GROUP).byte(OP.i32Add, OP.localTee, at, OP.localGet, next, I32_LT_U, OP.brIf, 0);
  code.byte(OP.end, OP.end);
  code.byte(OP.localGet, next, OP.localTee, at, OP.localGet, end, I32_LT_U, OP.brIf, 0);
  return code.byte(OP.end, OP.end).written.slice();

  function anyMark(count: number): void {
    for (let offset = 0; offset < count; offset += V128_BYTES) {
      code.byte(OP.localGet, at, VECTOR, V128.load);
      shadow(offset, 0);
      if (offset > 0) code.byte(VECTOR, V128.or);
    }
    code.byte(VECTOR, V128.anyTrue);
  }

  function copyPage(): void {
    tableEntry(0);
    code.byte(OP.localSet, from, OP.localGet, page, OP.i32Const, MARK_SHIFT, I32_SHL, OP.localSet, to);
    for (let offset = 0; offset < PAGE_BYTES; offset += V128_BYTES) {
      code.byte(OP.localGet, to, OP.localGet, from, VECTOR, V128.load);
      shadow(SHADOW.origin + offset, 0);
      code.byte(VECTOR, V128.store);
      guest(offset, 0);
    }
    // The last page of memory has no page to overhang into.
    code.byte(OP.localGet, page, OP.i32Const, 1, OP.i32Add, OP.localGet, end, I32_LT_U, OP.if, EMPTY_BLOCK);
    code.byte(OP.localGet, to);
    tableEntry(4);
    // The overhang is one i64 (`OVERHANG_BYTES`).
    code.byte(I64.load);
    shadow(SHADOW.origin, 0);
    code.byte(I64.store);
    guest(PAGE_BYTES, 0);
    code.byte(OP.end);
  }

  function tableEntry(offset: number): void {
    code.byte(OP.localGet, page, OP.i32Const, 2, I32_SHL, I32_LOAD);
    shadow(SHADOW.table + offset, 0);
  }
}
