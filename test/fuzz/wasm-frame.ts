/** State shared by the parts of a random function: its module, its locals, its open labels, and the code so far. */

import type { Random } from "./random.ts";
import { TYPE_BYTE, VALUE_TYPES, type ValueType } from "./wasm-operators.ts";
import { WasmWriter } from "./wasm-writer.ts";

export interface FunctionType {
  readonly takes: readonly ValueType[];
  readonly gives: readonly ValueType[];
}

/** The parts of the module that a body may refer to. */
export interface Surroundings {
  readonly types: readonly [FunctionType, ...FunctionType[]];
  /** Type indices of all functions, imported ones first. */
  readonly functions: readonly [number, ...number[]];
  /** Indices of mutable globals, by type. */
  readonly globals: Readonly<Record<ValueType, readonly number[]>>;
  readonly budget: number;
  readonly units: number;
  /** Functions in the initial table, by slot. */
  readonly slots: readonly [number, ...number[]];
  readonly segments: number;
  readonly memoryBytes: number;
}

export const EMPTY = 0x40;
export const FUNCREF = 0x70;
export const DEEPEST = 4;

export class Frame {
  readonly random: Random;
  readonly around: Surroundings;
  readonly code: WasmWriter;
  readonly locals: ValueType[];
  readonly groups: (readonly [count: number, type: number])[] = [];
  /** The generator's own locals: lengths, floats before NaN is removed, a function. */
  readonly length: number;
  readonly float: Readonly<Record<"f32" | "f64", number>>;
  readonly reference: number;
  /** Operand types of a branch to each open label, the innermost last. */
  readonly labels: (readonly ValueType[])[] = [];
  /** Remaining size of the function, roughly in instructions. */
  left: number;

  constructor(random: Random, type: FunctionType, around: Surroundings) {
    this.random = random;
    this.around = around;
    this.code = new WasmWriter(random);
    this.locals = [...type.takes];
    for (let left = random.below(4); left > 0; left--) this.#declare(random.below(4), random.pick(VALUE_TYPES));
    for (const declared of VALUE_TYPES) this.#declare(1, declared);
    this.length = this.#declare(1, "i32");
    this.float = { f32: this.#declare(1, "f32"), f64: this.#declare(1, "f64") };
    this.groups.push([1, FUNCREF]);
    this.reference = this.locals.length;
    this.left = random.between(5, 120);
  }

  /** Returns a local of the type, except the generator's own. */
  local(type: ValueType): number {
    const own = [this.length, this.float.f32, this.float.f64];
    const numbers = this.locals.flatMap((local, number) => (local === type && !own.includes(number) ? [number] : []));
    return numbers[this.random.below(numbers.length)] ?? 0;
  }

  #declare(count: number, type: ValueType): number {
    const number = this.locals.length;
    this.groups.push([count, TYPE_BYTE[type]]);
    for (let left = count; left > 0; left--) this.locals.push(type);
    return number;
  }
}
