/** Random code that pushes a value: constants, locals, operators, loads, blocks, calls. */

import { DEEPEST, type Frame, type FunctionType } from "./wasm-frame.ts";
import { LOADS, OPERATORS, TYPE_BYTE, type ValueType } from "./wasm-operators.ts";

export class ValueWriter {
  /** True if the last address is near the end of memory, where an offset would exceed it. */
  atEnd = false;
  readonly #frame: Frame;
  /** Writes the statements inside a block. */
  readonly #statements: (depth: number) => void;

  constructor(frame: Frame, statements: (depth: number) => void) {
    this.#frame = frame;
    this.#statements = statements;
  }

  values(types: readonly ValueType[], depth: number): void {
    for (const type of types) this.value(type, depth);
  }

  /** Pops values into locals or drops them, the last first. */
  takeAway(types: readonly ValueType[]): void {
    for (const type of types.toReversed()) {
      if (this.#frame.random.oneIn(3)) this.#frame.code.byte(0x1a);
      else this.#frame.code.byte(0x21).unsigned(this.#frame.local(type));
    }
  }

  value(type: ValueType, depth: number): void {
    this.#frame.left--;
    const random = this.#frame.random;
    const code = this.#frame.code;
    if (this.#frame.left < 0 || depth > DEEPEST + 2) return this.#simple(type);
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
        return this.#operator(type, depth);
      case 3:
      case 4:
        return this.#load(type, depth);
      case 5:
        this.value(type, depth + 1);
        return void code.byte(0x22).unsigned(this.#frame.local(type));
      case 6: {
        this.value(type, depth + 1);
        this.value(type, depth + 1);
        this.value("i32", depth + 1);
        return random.oneIn(2) ? void code.byte(0x1b) : void code.byte(0x1c).unsigned(1).byte(TYPE_BYTE[type]);
      }
      case 7:
        return this.#blockValue(type, depth);
      case 8:
        return this.#callValue(type, depth);
      case 9:
        return type === "i32" ? this.#measure(depth) : this.#simple(type);
      default:
        return this.#simple(type);
    }
  }

  #simple(type: ValueType): void {
    const random = this.#frame.random;
    const code = this.#frame.code;
    const numbers = this.#frame.around.globals[type];
    const number = numbers[random.below(numbers.length)];
    if (number !== undefined && random.oneIn(4)) return void code.byte(0x23).unsigned(number);
    if (random.oneIn(2)) return void code.byte(0x20).unsigned(this.#frame.local(type));
    this.#constant(type);
    return undefined;
  }

  #constant(type: ValueType): void {
    const random = this.#frame.random;
    const code = this.#frame.code;
    if (type === "i32") code.byte(0x41).signed(random.bits());
    else if (type === "i64") code.byte(0x42).long(BigInt.asIntN(64, (BigInt(random.bits()) << 32n) ^ BigInt(random.bits())));
    else if (type === "f32") code.byte(0x43, ...new Uint8Array(new Float32Array([this.#number()]).buffer));
    else code.byte(0x44, ...new Uint8Array(new Float64Array([this.#number()]).buffer));
  }

  #number(): number {
    const random = this.#frame.random;
    return random.oneIn(3)
      ? random.pick([0, -0, 1, -1.5, 1e300, -1e-300, Infinity, -Infinity, 2 ** 31, -(2 ** 63)])
      : random.bits() / 1_024;
  }

  #operator(type: ValueType, depth: number): void {
    const choices = OPERATORS[type];
    const operator = choices[this.#frame.random.below(choices.length)];
    if (operator === undefined || (operator.traps && !this.#frame.random.oneIn(12))) return this.#simple(type);
    this.values(operator.takes, depth + 1);
    const [opcode = 0, number] = operator.opcode;
    this.#frame.code.byte(opcode);
    if (number !== undefined) this.#frame.code.unsigned(number);
    if (type === "f32" || type === "f64") this.#withoutNaN(type);
    return undefined;
  }

  /**
   * Removes NaN, because the specification does not define which NaN an operation returns (§4.3.3), so results could differ legitimately.
   */
  #withoutNaN(type: "f32" | "f64"): void {
    const local = this.#frame.float[type];
    this.#frame.code.byte(0x22).unsigned(local);
    if (type === "f32") this.#frame.code.byte(0x43, 0, 0, 0, 0);
    else this.#frame.code.byte(0x44, 0, 0, 0, 0, 0, 0, 0, 0);
    this.#frame.code
      .byte(0x20)
      .unsigned(local)
      .byte(0x20)
      .unsigned(local)
      .byte(type === "f32" ? 0x5b : 0x61, 0x1b);
  }

  #load(type: ValueType, depth: number): void {
    const choices = LOADS.filter((load) => load.type === type);
    const { opcode, bytes } = choices[this.#frame.random.below(choices.length)] ?? LOADS[0];
    this.address(depth, bytes);
    this.#frame.code.byte(opcode);
    this.memoryArgument(bytes, this.atEnd);
  }

  #blockValue(type: ValueType, depth: number): void {
    const isIf = this.#frame.random.oneIn(2);
    if (isIf) this.value("i32", depth + 1);
    this.#frame.code.byte(isIf ? 0x04 : 0x02, TYPE_BYTE[type]);
    this.#frame.labels.push([type]);
    this.#statements(depth + 1);
    this.value(type, depth + 1);
    if (isIf) {
      this.#frame.code.byte(0x05);
      this.value(type, depth + 1);
    }
    this.#frame.labels.pop();
    this.#frame.code.byte(0x0b);
  }

  #callValue(type: ValueType, depth: number): void {
    const { functions, types } = this.#frame.around;
    const callee = this.#frame.random.below(functions.length);
    const called = types[functions[callee] ?? 0] ?? types[0];
    if (called.gives[0] !== type) return this.#simple(type);
    this.callOf(callee, called, depth);
    this.takeAway(called.gives.slice(1));
    return undefined;
  }

  /** Calls directly, or through the table. */
  callOf(callee: number, type: FunctionType, depth: number): FunctionType {
    const random = this.#frame.random;
    const { slots, functions } = this.#frame.around;
    this.values(type.takes, depth + 1);
    const slot = slots.indexOf(callee);
    if (slot < 0 || random.oneIn(2)) {
      this.#frame.code.byte(0x10).unsigned(callee);
      return type;
    }
    this.#frame.code
      .byte(0x41)
      .signed(slot)
      .byte(0x11)
      .unsigned(functions[callee] ?? 0)
      .unsigned(0);
    return type;
  }

  /** Writes memory.size, memory.grow, table.size or ref.is_null. */
  #measure(depth: number): void {
    const random = this.#frame.random;
    const code = this.#frame.code;
    switch (random.below(5)) {
      case 0:
        return void code.byte(0x3f).unsigned(0);
      case 1:
        if (!random.oneIn(6)) return this.#simple("i32");
        code.byte(0x41).signed(random.below(2));
        return void code.byte(0x40).unsigned(0);
      case 2:
        return void code.byte(0xfc).unsigned(16).unsigned(0);
      case 3:
        return void code.byte(0x20).unsigned(this.#frame.reference).byte(0xd1);
      default:
        this.value("i32", depth + 1);
        return void code.byte(0x41).signed(0).byte(0x71, 0x25).unsigned(0).byte(0xd1);
    }
  }

  /** Pushes an address: mostly anywhere in the first 64 KB, often at a page border or at the end of memory, rarely outside. */
  address(depth: number, bytes: number): void {
    const random = this.#frame.random;
    const { memoryBytes } = this.#frame.around;
    const code = this.#frame.code;
    this.atEnd = false;
    if (random.oneIn(300)) return this.value("i32", depth + 1);
    if (random.oneIn(3)) {
      const border = random.oneIn(3) ? memoryBytes : 1_024 * random.below(memoryBytes / 1_024);
      const address = Math.max(0, border - random.below(12));
      code.byte(0x41).signed(address > memoryBytes - bytes && !random.oneIn(50) ? memoryBytes - bytes : address);
      this.atEnd = border === memoryBytes;
      return undefined;
    }
    this.value("i32", depth + 1);
    code
      .byte(0x41)
      .signed(random.pick([0xffff, 0xfffc, 0x1fff, 0x3ff]))
      .byte(0x71);
    return undefined;
  }

  /** Writes an alignment, which may be false but is never larger than the access, and an offset that mostly stays inside. */
  memoryArgument(bytes: number, atEnd: boolean): void {
    const random = this.#frame.random;
    this.#frame.code.unsigned(random.below(Math.log2(bytes) + 1));
    const far = random.oneIn(500) ? random.pick([0xffff_ffff, 0x8000_0000, 0x10_0000]) : 0;
    this.#frame.code.unsigned(far !== 0 ? far : random.oneIn(3) && !atEnd ? random.pick([1, 3, 1_016, 1_023, 1_024, 8_191]) : 0);
  }
}
