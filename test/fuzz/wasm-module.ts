/** Random modules of the kind that the rewriter accepts: one imported memory, and all of WebAssembly 2.0 except vectors. */

import { createRandom, type Random } from "./random.ts";
import type { FunctionType, Surroundings } from "./wasm-frame.ts";
import { randomFunction } from "./wasm-function.ts";
import { TYPE_BYTE, VALUE_TYPES, type ValueType } from "./wasm-operators.ts";
import { WasmWriter } from "./wasm-writer.ts";

export interface FuzzModule {
  readonly bytes: Uint8Array;
  /** Types of the exported functions `f0`, `f1`, … */
  readonly functions: readonly FunctionType[];
  /** Number of exported globals `g0`, `g1`, … */
  readonly globals: number;
  readonly memoryPages: number;
}

/** Maximum memory pages of a module. The host must provide a memory with this maximum. */
export const MAXIMUM_PAGES = 5;
/** Budget of a module's start. For each call, the host sets the exported global `budget`. */
const START_BUDGET = 60;
/** Imported functions: `a.note` (i32) → (), `a.mix` (i64, f64) → (i32, i64). */
const IMPORTED: readonly FunctionType[] = [
  { takes: ["i32"], gives: [] },
  { takes: ["i64", "f64"], gives: ["i32", "i64"] },
];
/** Imported globals: `a.base`, a constant i32, and `a.shared`, a mutable i64. */
export const IMPORTED_GLOBALS = 2;
/** Value of `a.base`: the offset of data and elements. */
export const BASE = 1_020;

const NOTHING: FunctionType = { takes: [], gives: [] };

/** Returns a module. The same seed gives the same module. */
export function randomModule(seed: number): FuzzModule {
  const random = createRandom(seed);
  const types: [FunctionType, ...FunctionType[]] = [NOTHING, ...IMPORTED];
  for (let left = random.between(1, 5); left > 0; left--) types.push({ takes: randomTypes(random, 3), gives: randomTypes(random, 3) });
  const defined = Array.from({ length: random.between(1, 5) }, () => random.below(types.length));
  const functions: [number, ...number[]] = [1, 2, ...defined];
  const declared = Array.from({ length: random.below(6) }, () => random.pick(VALUE_TYPES));
  const memoryPages = random.between(2, 3);
  const slots: [number, ...number[]] = [
    random.below(functions.length),
    ...Array.from({ length: random.below(5) }, () => random.below(functions.length)),
  ];
  const budget = IMPORTED_GLOBALS + declared.length;
  const segments = random.below(4);
  const around: Surroundings = {
    types,
    functions,
    globals: globalsByType(declared),
    budget,
    units: budget + 1,
    slots,
    segments,
    memoryBytes: memoryPages * 65_536,
  };

  const start = random.oneIn(4) ? functions.findIndex((type) => type === 0) : -1;
  const sections: (readonly [id: number, body: readonly number[]])[] = [
    [1, typeSection(random, types)],
    [2, importSection(random, memoryPages)],
    [3, vector(random, defined, (writer, type) => writer.unsigned(type))],
    [
      4,
      new WasmWriter(random)
        .unsigned(1)
        .byte(0x70, 1)
        .unsigned(slots.length)
        .unsigned(slots.length + 2).bytes,
    ],
    [6, globalSection(random, declared)],
    [7, exportSection(random, defined.length, declared.length, budget)],
    ...(start < 0 ? [] : [[8, new WasmWriter(random).unsigned(start).bytes] as const]),
    [9, elementSection(random, slots)],
    [12, new WasmWriter(random).unsigned(segments).bytes],
    [10, vector(random, defined, (writer, type) => writer.sized(randomFunction(random, types[type] ?? NOTHING, around)))],
    [11, dataSection(random, segments)],
  ];
  const whole = new WasmWriter(random).byte(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
  for (const [id, body] of sections) {
    if (random.oneIn(4)) whole.byte(0).sized(customSection(random));
    whole.byte(id).sized(body);
  }
  return {
    bytes: new Uint8Array(whole.bytes),
    functions: defined.map((type) => types[type] ?? NOTHING),
    globals: declared.length,
    memoryPages,
  };
}

function randomTypes(random: Random, longest: number): readonly ValueType[] {
  return Array.from({ length: random.below(longest + 1) }, () => random.pick(VALUE_TYPES));
}

/** Returns the globals by type. `a.shared` has index 1. */
function globalsByType(declared: readonly ValueType[]): Surroundings["globals"] {
  const numbers = (type: ValueType): number[] => declared.flatMap((own, index) => (own === type ? [IMPORTED_GLOBALS + index] : []));
  return { i32: numbers("i32"), i64: [1, ...numbers("i64")], f32: numbers("f32"), f64: numbers("f64") };
}

function vector<T>(random: Random, entries: readonly T[], write: (writer: WasmWriter, entry: T) => void): readonly number[] {
  const writer = new WasmWriter(random).unsigned(entries.length);
  for (const entry of entries) write(writer, entry);
  return writer.bytes;
}

function typeSection(random: Random, types: readonly FunctionType[]): readonly number[] {
  return vector(random, types, (writer, { takes, gives }) =>
    writer
      .byte(0x60)
      .sized(takes.map((type) => TYPE_BYTE[type]))
      .sized(gives.map((type) => TYPE_BYTE[type])),
  );
}

function importSection(random: Random, memoryPages: number): readonly number[] {
  const entries: ((writer: WasmWriter) => void)[] = [
    (writer) => void writer.name("note").byte(0).unsigned(1),
    (writer) => void writer.name("mix").byte(0).unsigned(2),
    (writer) => void writer.name("base").byte(3, TYPE_BYTE.i32, 0),
    (writer) => void writer.name("shared").byte(3, TYPE_BYTE.i64, 1),
  ];
  // Kinds may be in any order. Only the order within each kind matters.
  entries.splice(random.below(entries.length + 1), 0, (writer) =>
    writer.name("memory").byte(2, 1).unsigned(memoryPages).unsigned(MAXIMUM_PAGES),
  );
  return vector(random, entries, (writer, entry) => entry(writer.name("a")));
}

/** The module's own globals, then the budget and the units. */
function globalSection(random: Random, declared: readonly ValueType[]): readonly number[] {
  return vector(random, [...declared, undefined, 0] as const, (writer, type) => {
    if (type === undefined) return void writer.byte(TYPE_BYTE.i32, 1, 0x41).signed(START_BUDGET).byte(0x0b);
    if (type === 0) return void writer.byte(TYPE_BYTE.i32, 1, 0x41).signed(0).byte(0x0b);
    writer.byte(TYPE_BYTE[type], 1);
    if (type === "i32" && random.oneIn(2)) writer.byte(0x23).unsigned(0);
    else if (type === "i32") writer.byte(0x41).signed(random.bits());
    else if (type === "i64") writer.byte(0x42).long(BigInt(random.bits()));
    else if (type === "f32") writer.byte(0x43, 0, 0, 0x80, 0x3f);
    else writer.byte(0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f);
    return void writer.byte(0x0b);
  });
}

function exportSection(random: Random, functions: number, globals: number, budget: number): readonly number[] {
  const entries: (readonly [name: string, kind: number, index: number])[] = [
    ...Array.from({ length: functions }, (_, index) => [`f${index}`, 0, IMPORTED.length + index] as const),
    ...Array.from({ length: globals }, (_, index) => [`g${index}`, 3, IMPORTED_GLOBALS + index] as const),
    ["note again", 0, 0],
    ["mix again", 0, 1],
    ["table", 1, 0],
    ["budget", 3, budget],
    ["units", 3, budget + 1],
  ];
  return vector(random, entries, (writer, [name, kind, index]) => writer.name(name).byte(kind).unsigned(index));
}

/** Returns one or two active segments for table 0, in the form that compilers write. */
function elementSection(random: Random, slots: readonly number[]): readonly number[] {
  const cut = random.below(slots.length + 1);
  const parts = [
    [0, slots.slice(0, cut)],
    [cut, slots.slice(cut)],
  ] as const;
  return vector(random, parts, (writer, [offset, functions]) => {
    writer.unsigned(0).byte(0x41).signed(offset).byte(0x0b).unsigned(functions.length);
    for (const number of functions) writer.unsigned(number);
  });
}

function dataSection(random: Random, segments: number): readonly number[] {
  const entries = Array.from({ length: segments }, () => Array.from({ length: random.between(8, 40) }, () => random.below(256)));
  return vector(random, entries, (writer, content) => {
    if (random.oneIn(2)) return void writer.unsigned(1).sized(content);
    writer.unsigned(0);
    if (random.oneIn(2)) writer.byte(0x23).unsigned(0);
    else writer.byte(0x41).signed(random.below(65_536));
    return void writer.byte(0x0b).sized(content);
  });
}

/** Some have the names of sections that describe the code, with random contents. */
function customSection(random: Random): readonly number[] {
  const content = Array.from({ length: random.below(30) }, () => random.below(256));
  return new WasmWriter(random).name(random.pick(["name", "producers", "", "sourceMappingURL", "dylink.0"])).byte(...content).bytes;
}
