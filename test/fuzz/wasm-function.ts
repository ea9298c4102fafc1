/**
 * Random function bodies that are valid, rarely trap, and always terminate.
 *
 * Each maintains two of the module's globals: `budget` decreases with every loop iteration and call, and the function traps when it is
 * used up; `units` counts what the meter must charge: loop iterations, and 64 bytes each of bulk operations.
 */

import type { Random } from "./random.ts";
import { DEEPEST, EMPTY, Frame, FUNCREF, type FunctionType, type Surroundings } from "./wasm-frame.ts";
import { STORES, VALUE_TYPES, type ValueType } from "./wasm-operators.ts";
import { ValueWriter } from "./wasm-values.ts";
import { WasmWriter } from "./wasm-writer.ts";

/** Returns the body as in the code section, without its size. */
export function randomFunction(random: Random, type: FunctionType, around: Surroundings): readonly number[] {
  return new FunctionWriter(new Frame(random, type, around), type).write();
}

class FunctionWriter {
  readonly #frame: Frame;
  readonly #type: FunctionType;
  readonly #values: ValueWriter;

  constructor(frame: Frame, type: FunctionType) {
    this.#frame = frame;
    this.#type = type;
    this.#values = new ValueWriter(frame, (depth) => this.#statements(depth));
  }

  write(): readonly number[] {
    const whole = new WasmWriter(this.#frame.random).unsigned(this.#frame.groups.length);
    for (const [count, type] of this.#frame.groups) whole.unsigned(count).byte(type);
    this.#frame.labels.push(this.#type.gives);
    this.#spendBudget();
    this.#statements(0);
    this.#values.values(this.#type.gives, 0);
    this.#frame.code.byte(0x0b);
    return [...whole.bytes, ...this.#frame.code.bytes];
  }

  #spendBudget(): void {
    const { budget } = this.#frame.around;
    this.#frame.code.byte(0x23).unsigned(budget).byte(0x41).signed(1).byte(0x6b, 0x24).unsigned(budget);
    this.#frame.code.byte(0x23).unsigned(budget).byte(0x41).signed(0).byte(0x48, 0x04, EMPTY, 0x00, 0x0b);
  }

  #statements(depth: number): void {
    for (let left = this.#frame.random.between(1, 5); left > 0; left--) this.#statement(depth);
  }

  #statement(depth: number): void {
    this.#frame.left--;
    const random = this.#frame.random;
    const code = this.#frame.code;
    if (this.#frame.left < 0 || depth > DEEPEST) return this.#store(depth);
    switch (random.below(22)) {
      case 0:
      case 1:
        return this.#block(depth);
      case 2:
      case 3:
        return this.#loop(depth);
      case 4:
        return this.#if(depth);
      case 5:
        return this.#branchIf(depth);
      case 6:
        return this.#branchTable(depth);
      case 7:
        return random.oneIn(4) ? this.#branch(depth) : this.#branchIf(depth);
      case 8:
      case 9:
        return this.#call(depth);
      case 10:
        return this.#bulk(depth);
      case 11:
        return this.#setGlobal(depth);
      case 12:
        return this.#table(depth);
      case 13: {
        this.#values.value(random.pick(VALUE_TYPES), depth + 1);
        return void code.byte(0x1a);
      }
      case 14:
        return random.oneIn(40) ? void code.byte(0x00) : void code.byte(0x01);
      case 15:
      case 16: {
        const type = random.pick(VALUE_TYPES);
        this.#values.value(type, depth + 1);
        return void code.byte(0x21).unsigned(this.#frame.local(type));
      }
      default:
        return this.#store(depth);
    }
  }

  #store(depth: number): void {
    const { opcode, type, bytes } = this.#frame.random.pick(STORES);
    this.#values.address(depth, bytes);
    const atEnd = this.#values.atEnd;
    this.#values.value(type, depth + 1);
    this.#frame.code.byte(opcode);
    this.#values.memoryArgument(bytes, atEnd);
  }

  #bulk(depth: number): void {
    const random = this.#frame.random;
    const code = this.#frame.code;
    const { units, segments } = this.#frame.around;
    const kind = random.below(segments > 0 ? 3 : 2);
    if (random.oneIn(60) && segments > 0) code.byte(0xfc).unsigned(9).unsigned(random.below(segments));
    this.#values.address(depth, 5_000);
    if (kind === 0) this.#values.address(depth, 5_000);
    else if (kind === 1) this.#values.value("i32", depth + 1);
    else code.byte(0x41).signed(0);
    if (random.oneIn(60)) this.#values.value("i32", depth + 1);
    // A dropped segment, or one copied at the start, has length 0 (§4.4.7).
    else if (kind === 2) code.byte(0x41).signed(random.oneIn(4) ? random.below(8) : 0);
    else if (random.oneIn(2)) code.byte(0x41).signed(random.pick([0, 1, 2, 63, 64, 65, 1_023, 1_024, 1_025, 2_048, 5_000]));
    else {
      this.#values.value("i32", depth + 1);
      code.byte(0x41).signed(0xfff).byte(0x71);
    }
    code.byte(0x22).unsigned(this.#frame.length).byte(0x23).unsigned(units);
    code.byte(0x20).unsigned(this.#frame.length).byte(0x41).signed(6).byte(0x76, 0x6a, 0x24).unsigned(units);
    code.byte(0xfc);
    if (kind === 0) code.unsigned(10).unsigned(0).unsigned(0);
    else if (kind === 1) code.unsigned(11).unsigned(0);
    else code.unsigned(8).unsigned(random.below(segments)).unsigned(0);
  }

  #block(depth: number): void {
    this.#structured(0x02, depth);
  }

  #loop(depth: number): void {
    this.#structured(0x03, depth);
  }

  /** Writes a block or a loop, with the parameters and results of any of the types. */
  #structured(opcode: number, depth: number): void {
    const { takes, gives, number } = this.#blockType();
    this.#values.values(takes, depth + 1);
    this.#frame.code.byte(opcode);
    if (number === undefined) this.#frame.code.byte(EMPTY);
    else this.#frame.code.signed(number, 33);
    if (opcode === 0x03) this.#countRound();
    this.#values.takeAway(takes);
    this.#frame.labels.push(opcode === 0x03 ? takes : gives);
    this.#statements(depth + 1);
    if (opcode === 0x03 && this.#frame.random.oneIn(2)) this.#branchIf(depth + 1, 0);
    // A loop that only the budget or the host ends.
    else if (opcode === 0x03 && this.#frame.random.oneIn(3)) this.#branch(depth + 1, 0);
    this.#values.values(gives, depth + 1);
    this.#frame.labels.pop();
    this.#frame.code.byte(0x0b);
    this.#values.takeAway(gives);
  }

  #countRound(): void {
    const { units } = this.#frame.around;
    this.#frame.code.byte(0x23).unsigned(units).byte(0x41).signed(1).byte(0x6a, 0x24).unsigned(units);
    this.#spendBudget();
  }

  #if(depth: number): void {
    const { takes, gives, number } = this.#blockType();
    this.#values.values(takes, depth + 1);
    this.#values.value("i32", depth + 1);
    this.#frame.code.byte(0x04);
    if (number === undefined) this.#frame.code.byte(EMPTY);
    else this.#frame.code.signed(number, 33);
    this.#frame.labels.push(gives);
    this.#values.takeAway(takes);
    this.#statements(depth + 1);
    this.#values.values(gives, depth + 1);
    if (takes.length > 0 || gives.length > 0 || this.#frame.random.oneIn(2)) {
      this.#frame.code.byte(0x05);
      this.#values.takeAway(takes);
      this.#statements(depth + 1);
      this.#values.values(gives, depth + 1);
    }
    this.#frame.labels.pop();
    this.#frame.code.byte(0x0b);
    this.#values.takeAway(gives);
  }

  #blockType(): FunctionType & { readonly number: number | undefined } {
    if (this.#frame.random.oneIn(2)) return { takes: [], gives: [], number: undefined };
    const number = this.#frame.random.below(this.#frame.around.types.length);
    return { ...(this.#frame.around.types[number] ?? this.#frame.around.types[0]), number };
  }

  #branch(depth: number, label = this.#frame.random.below(this.#frame.labels.length)): void {
    this.#values.values(this.#labelAt(label), depth + 1);
    this.#frame.code.byte(0x0c).unsigned(label);
    // The rest of the block is dead code, which must still be valid.
    if (this.#frame.random.oneIn(2)) this.#store(depth + 1);
  }

  #branchIf(depth: number, label = this.#frame.random.below(this.#frame.labels.length)): void {
    const types = this.#labelAt(label);
    this.#values.values(types, depth + 1);
    this.#values.value("i32", depth + 1);
    this.#frame.code.byte(0x0d).unsigned(label);
    this.#values.takeAway(types);
  }

  #branchTable(depth: number): void {
    const random = this.#frame.random;
    const last = random.below(this.#frame.labels.length);
    const types = this.#labelAt(last);
    const same = this.#frame.labels.map((_, label) => label).filter((label) => sameTypes(this.#labelAt(label), types));
    this.#frame.code.byte(0x02, EMPTY);
    this.#frame.labels.push([]);
    this.#values.values(types, depth + 1);
    this.#values.value("i32", depth + 1);
    const targets = Array.from({ length: random.below(7) }, () => (same[random.below(same.length)] ?? last) + 1);
    this.#frame.code.byte(0x0e).unsigned(targets.length);
    for (const target of targets) this.#frame.code.unsigned(target);
    this.#frame.code.unsigned(last + 1);
    this.#frame.labels.pop();
    this.#frame.code.byte(0x0b);
  }

  #labelAt(label: number): readonly ValueType[] {
    return this.#frame.labels[this.#frame.labels.length - 1 - label] ?? [];
  }

  #call(depth: number): void {
    const { functions, types } = this.#frame.around;
    const callee = this.#frame.random.below(functions.length);
    const { gives } = this.#values.callOf(callee, types[functions[callee] ?? 0] ?? types[0], depth);
    this.#values.takeAway(gives);
  }

  #setGlobal(depth: number): void {
    const type = this.#frame.random.pick(VALUE_TYPES);
    const numbers = this.#frame.around.globals[type];
    const number = numbers[this.#frame.random.below(numbers.length)];
    if (number === undefined) return this.#store(depth);
    this.#values.value(type, depth + 1);
    this.#frame.code.byte(0x24).unsigned(number);
    return undefined;
  }

  #table(depth: number): void {
    const random = this.#frame.random;
    const code = this.#frame.code;
    const { slots, functions } = this.#frame.around;
    const callee = random.below(functions.length);
    switch (random.below(6)) {
      case 0: // table.set with a function of the slot's own type
        code.byte(0x41).signed(0).byte(0xd2).unsigned(slots[0]).byte(0x26).unsigned(0);
        return;
      case 1: // local.set of a reference
        code.byte(0xd2).unsigned(callee).byte(0x21).unsigned(this.#frame.reference);
        return;
      case 2: // table.grow, mostly refused
        code.byte(0xd0, FUNCREF).byte(0x41).signed(random.below(3)).byte(0xfc).unsigned(15).unsigned(0).byte(0x1a);
        return;
      case 3: // table.fill of nothing
        code.byte(0x41).signed(0).byte(0xd0, FUNCREF).byte(0x41).signed(0).byte(0xfc).unsigned(17).unsigned(0);
        return;
      case 4: // table.copy onto itself
        code.byte(0x41).signed(0).byte(0x41).signed(0).byte(0x41).signed(1).byte(0xfc).unsigned(14).unsigned(0).unsigned(0);
        return;
      default: // select of references
        code.byte(0x20).unsigned(this.#frame.reference).byte(0xd2).unsigned(callee);
        this.#values.value("i32", depth + 1);
        code.byte(0x1c).unsigned(1).byte(FUNCREF).byte(0xd1, 0x1a);
    }
  }
}

function sameTypes(left: readonly ValueType[], right: readonly ValueType[]): boolean {
  return left.length === right.length && left.every((type, index) => type === right[index]);
}
