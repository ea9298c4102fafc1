/**
 * The meter: every loop iteration costs one unit of fuel, and bulk memory operations cost one unit per 64 bytes. When the fuel is used
 * up, the module calls the host, which refills it or ends the guest by throwing. Long bulk operations are split into pieces, so that the
 * host is called in between (`pieces.ts`).
 *
 * The interpreter's own loop is not metered, because QuickJS polls its interrupt handler there. The meter recognizes that loop by its
 * branch table over all of the interpreter's instructions, the only table of that size.
 */

import { Reader, Writer } from "./binary.ts";
import { type Body, FUNCTION_TYPE, type Step } from "./functions.ts";
import { BULK, EMPTY_BLOCK, type Instruction, isBulkWrite, OP } from "./instructions.ts";
import { TYPE } from "./sections.ts";

interface MeterOptions {
  /** Index of the mutable i32 global that holds the remaining fuel. */
  readonly fuel: number;
  /** Index of the function `tick`, () → (), which refills the fuel. */
  readonly tick: number;
  /** Index of the function made by `chargeFunction`. */
  readonly charge: number;
  /** Indices of the functions made by `copyInPieces` and `fillInPieces`. */
  readonly copy: number;
  readonly fill: number;
}

export interface Meter extends Step {
  /** Number of functions found so far that contain an interpreter's dispatch. */
  readonly interpreters: number;
}

/** More branch targets than any table except an interpreter's. QuickJS has about 250 instructions. */
const DISPATCH_TARGETS = 200;
/** Bytes of a bulk operation per unit of fuel, as a shift. Takes about as long as one loop iteration. */
const BULK_SHIFT = 6;

export function createMeter(options: MeterOptions): Meter {
  let interpreters = 0;
  let polled: ReadonlySet<number> = new Set();
  return {
    get interpreters() {
      return interpreters;
    },
    begin(instructions, bytes) {
      polled = loopsAroundDispatch(instructions, bytes);
      if (polled.size > 0) interpreters++;
    },
    before(instruction, body) {
      if (!isBulkWrite(instruction)) return;
      if (instruction.bulk === BULK.memoryInit) chargeInit(body, options.charge);
      else callBefore(body, instruction.bulk === BULK.memoryCopy ? options.copy : options.fill);
    },
    after(instruction, { code }) {
      if (instruction.opcode !== OP.loop || polled.has(instruction.start)) return;
      countDown(code, options, (writer) => writer.byte(OP.i32Const, 1));
    },
  };
}

/** Charges for `memory.init`. Not split: the copied data is part of the module, and so never long. */
function chargeInit({ code, temporary }: Body, charge: number): void {
  const length = temporary("length", "i32");
  code.byte(OP.localTee).unsigned(length);
  code.byte(OP.localGet).unsigned(length);
  code.byte(OP.call).unsigned(charge);
}

/** Replaces the length, the last of the three operands, with the remaining length that the function returns. */
function callBefore({ code, temporary }: Body, pieces: number): void {
  const length = temporary("length", "i32");
  const middle = temporary("middle", "i32");
  const destination = temporary("address", "i32");
  code.byte(OP.localSet).unsigned(length);
  code.byte(OP.localSet).unsigned(middle);
  code.byte(OP.localTee).unsigned(destination);
  code.byte(OP.localGet).unsigned(middle);
  for (const local of [destination, middle, length]) code.byte(OP.localGet).unsigned(local);
  code.byte(OP.call).unsigned(pieces);
}

/** Subtracts `amount` from the fuel and calls `tick` if none is left. */
function countDown(code: Writer, { fuel, tick }: Pick<MeterOptions, "fuel" | "tick">, amount: (code: Writer) => void): void {
  code.byte(OP.globalGet).unsigned(fuel);
  amount(code);
  code.byte(OP.i32Sub, OP.globalSet).unsigned(fuel);
  code.byte(OP.globalGet).unsigned(fuel);
  code.byte(OP.i32Const, 0, OP.i32LeS, OP.if, EMPTY_BLOCK, OP.call).unsigned(tick);
  code.byte(OP.end);
}

/** (length) → (). */
export const CHARGE_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 1, TYPE.i32, 0]);

/** Returns a function that charges for a bulk operation of `length` bytes: at most 2²⁶ units, so one charge never wraps. */
export function chargeFunction(options: Pick<MeterOptions, "fuel" | "tick">): Uint8Array {
  const length = 0;
  const code = new Writer().byte(0);
  countDown(code, options, (writer) => writer.byte(OP.localGet, length, OP.i32Const, BULK_SHIFT, OP.i32ShrU));
  return code.byte(OP.end).written;
}

/** Returns the start of each loop that encloses a branch table with more than `DISPATCH_TARGETS` targets. */
function loopsAroundDispatch(instructions: readonly Instruction[], bytes: Uint8Array): ReadonlySet<number> {
  const found = new Set<number>();
  const open: Instruction[] = [];
  for (const instruction of instructions) {
    const { opcode } = instruction;
    if (opcode === OP.block || opcode === OP.loop || opcode === OP.if) open.push(instruction);
    else if (opcode === OP.end) open.pop();
    else if (opcode === OP.brTable && new Reader(bytes, instruction.immediates).unsigned() > DISPATCH_TARGETS) {
      for (const around of open) if (around.opcode === OP.loop) found.add(around.start);
    }
  }
  return found;
}
