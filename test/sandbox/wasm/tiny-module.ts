/** Tiny hand-made modules to test the rewriter on. */

import { SHADOW } from "../../../sandbox/wasm/restore.ts";
import { Writer } from "../../../sandbox/wasm/binary.ts";
import { assembleSections, SECTION } from "../../../sandbox/wasm/sections.ts";

export interface TinyModule {
  /** Value types of the one exported function `run`. */
  readonly parameters?: readonly number[];
  readonly results?: readonly number[];
  /** Groups of locals: count and type. */
  readonly locals?: readonly (readonly [count: number, type: number])[];
  /** Instructions without the final `end`. */
  readonly code: readonly number[];
  /** Imports `a.note`, (i32) → (), as function 0, so that `run` is function 1. */
  readonly note?: boolean;
  readonly extra?: ReadonlyMap<number, Uint8Array>;
}

/** A module that imports its memory as `a.a` with 4 to 16 pages. */
export function tinyModule(tiny: TinyModule): Uint8Array {
  const { parameters = [], results = [], locals = [], code, note = false, extra = new Map() } = tiny;
  const types = new Writer()
    .unsigned(2)
    .byte(0x60)
    .unsigned(parameters.length)
    .byte(...parameters);
  types
    .unsigned(results.length)
    .byte(...results)
    .byte(0x60, 1, 0x7f, 0);
  const imports = new Writer().unsigned(note ? 2 : 1);
  if (note) imports.name("a").name("note").byte(0, 1);
  imports.name("a").name("a").byte(2, 1, 4, 16);
  const body = new Writer().unsigned(locals.length);
  for (const [count, type] of locals) body.unsigned(count).byte(type);
  body.byte(...code, 0x0b);
  return assembleSections(
    new Map([
      [SECTION.type, types.written],
      [SECTION.import, imports.written],
      [SECTION.function, new Uint8Array([1, 0])],
      [
        SECTION.export,
        new Writer()
          .unsigned(1)
          .name("run")
          .byte(0, note ? 1 : 0).written,
      ],
      [SECTION.code, new Writer().unsigned(1).sized(body.written).written],
      ...extra,
    ]),
  );
}

export interface RunningTiny {
  readonly memory: Uint8Array;
  /** Returns the marked pages. Empty without a barrier. */
  readonly marked: () => number[];
  /** The second memory, and the restore function. Undefined without a barrier. */
  readonly shadow: WebAssembly.Memory | undefined;
  readonly restore: (() => void) | undefined;
  readonly fuel: WebAssembly.Global | undefined;
  readonly notes: number[];
  run(...args: number[]): unknown;
}

export function startTiny(bytes: Uint8Array, tick: () => void = () => {}, pages = 4): RunningTiny {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 16 });
  const notes: number[] = [];
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    a: { a: memory, note: (value: number) => void notes.push(value) },
    bascule: { tick, suspend: neverSuspended },
  });
  // The rewriter chose these names, and this file the name `run`.
  const marks = exports["bascule:shadow"] as WebAssembly.Memory | undefined;
  return {
    memory: new Uint8Array(memory.buffer),
    marked: () => (marks === undefined ? [] : pagesMarked(new Uint8Array(marks.buffer, 0, SHADOW.marksBytes))),
    shadow: marks,
    restore: exports["bascule:restore"] as (() => void) | undefined,
    fuel: exports["bascule:fuel"] as WebAssembly.Global | undefined,
    notes,
    run: exports["run"] as (...args: number[]) => unknown,
  };
}

function pagesMarked(marks: Uint8Array): number[] {
  const pages: number[] = [];
  for (let page = marks.indexOf(1); page !== -1; page = marks.indexOf(1, page + 1)) pages.push(page);
  return pages;
}

function neverSuspended(): never {
  throw new Error("Nothing can be suspended here");
}
