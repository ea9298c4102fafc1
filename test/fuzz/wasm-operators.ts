/** Instructions without immediates, by their operand and result types (specification, appendix "Index of Instructions"). */

export type ValueType = "i32" | "i64" | "f32" | "f64";
export const VALUE_TYPES: readonly [ValueType, ...ValueType[]] = ["i32", "i64", "f32", "f64"];
export const TYPE_BYTE: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c };

export interface Operator {
  readonly opcode: readonly number[];
  readonly takes: readonly ValueType[];
  readonly gives: ValueType;
  /** True if it traps for some operands. */
  readonly traps: boolean;
}

const TRAPPING = new Set([0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82, 0xa8, 0xa9, 0xaa, 0xab, 0xae, 0xaf, 0xb0, 0xb1]);

const RANGES: readonly (readonly [first: number, last: number, takes: string, gives: ValueType])[] = [
  [0x45, 0x45, "i32", "i32"],
  [0x46, 0x4f, "i32 i32", "i32"],
  [0x50, 0x50, "i64", "i32"],
  [0x51, 0x5a, "i64 i64", "i32"],
  [0x5b, 0x60, "f32 f32", "i32"],
  [0x61, 0x66, "f64 f64", "i32"],
  [0x67, 0x69, "i32", "i32"],
  [0x6a, 0x78, "i32 i32", "i32"],
  [0x79, 0x7b, "i64", "i64"],
  [0x7c, 0x8a, "i64 i64", "i64"],
  [0x8b, 0x91, "f32", "f32"],
  [0x92, 0x98, "f32 f32", "f32"],
  [0x99, 0x9f, "f64", "f64"],
  [0xa0, 0xa6, "f64 f64", "f64"],
  [0xa7, 0xa7, "i64", "i32"],
  [0xa8, 0xa9, "f32", "i32"],
  [0xaa, 0xab, "f64", "i32"],
  [0xac, 0xad, "i32", "i64"],
  [0xae, 0xaf, "f32", "i64"],
  [0xb0, 0xb1, "f64", "i64"],
  [0xb2, 0xb3, "i32", "f32"],
  [0xb4, 0xb5, "i64", "f32"],
  [0xb6, 0xb6, "f64", "f32"],
  [0xb7, 0xb8, "i32", "f64"],
  [0xb9, 0xba, "i64", "f64"],
  [0xbb, 0xbb, "f32", "f64"],
  [0xbc, 0xbc, "f32", "i32"],
  [0xbd, 0xbd, "f64", "i64"],
  [0xbe, 0xbe, "i32", "f32"],
  [0xbf, 0xbf, "i64", "f64"],
  [0xc0, 0xc1, "i32", "i32"],
  [0xc2, 0xc4, "i64", "i64"],
];

/** Saturating conversions, after the prefix 0xfc. */
const SATURATING: readonly (readonly [takes: ValueType, gives: ValueType])[] = [
  ["f32", "i32"],
  ["f32", "i32"],
  ["f64", "i32"],
  ["f64", "i32"],
  ["f32", "i64"],
  ["f32", "i64"],
  ["f64", "i64"],
  ["f64", "i64"],
];

const ALL: readonly Operator[] = [
  ...RANGES.flatMap(([first, last, takes, gives]) =>
    Array.from({ length: last - first + 1 }, (_, index): Operator => {
      const opcode = first + index;
      return { opcode: [opcode], takes: takes.split(" ").map(asValueType), gives, traps: TRAPPING.has(opcode) };
    }),
  ),
  ...SATURATING.map(([takes, gives], number): Operator => ({ opcode: [0xfc, number], takes: [takes], gives, traps: false })),
];

function asValueType(text: string): ValueType {
  return VALUE_TYPES.find((type) => type === text) ?? "i32";
}

/** By result type. None of the lists is empty. */
export const OPERATORS: Readonly<Record<ValueType, readonly Operator[]>> = {
  i32: ALL.filter(({ gives }) => gives === "i32"),
  i64: ALL.filter(({ gives }) => gives === "i64"),
  f32: ALL.filter(({ gives }) => gives === "f32"),
  f64: ALL.filter(({ gives }) => gives === "f64"),
};

/** A load or store, with its width and type. */
export interface Access {
  readonly opcode: number;
  readonly type: ValueType;
  readonly bytes: number;
}

export const LOADS: readonly [Access, ...Access[]] = [
  { opcode: 0x28, type: "i32", bytes: 4 },
  { opcode: 0x29, type: "i64", bytes: 8 },
  { opcode: 0x2a, type: "f32", bytes: 4 },
  { opcode: 0x2b, type: "f64", bytes: 8 },
  { opcode: 0x2c, type: "i32", bytes: 1 },
  { opcode: 0x2d, type: "i32", bytes: 1 },
  { opcode: 0x2e, type: "i32", bytes: 2 },
  { opcode: 0x2f, type: "i32", bytes: 2 },
  { opcode: 0x30, type: "i64", bytes: 1 },
  { opcode: 0x31, type: "i64", bytes: 1 },
  { opcode: 0x32, type: "i64", bytes: 2 },
  { opcode: 0x33, type: "i64", bytes: 2 },
  { opcode: 0x34, type: "i64", bytes: 4 },
  { opcode: 0x35, type: "i64", bytes: 4 },
];

export const STORES: readonly [Access, ...Access[]] = [
  { opcode: 0x36, type: "i32", bytes: 4 },
  { opcode: 0x37, type: "i64", bytes: 8 },
  { opcode: 0x38, type: "f32", bytes: 4 },
  { opcode: 0x39, type: "f64", bytes: 8 },
  { opcode: 0x3a, type: "i32", bytes: 1 },
  { opcode: 0x3b, type: "i32", bytes: 2 },
  { opcode: 0x3c, type: "i64", bytes: 1 },
  { opcode: 0x3d, type: "i64", bytes: 2 },
  { opcode: 0x3e, type: "i64", bytes: 4 },
];
