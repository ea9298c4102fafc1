/**
 * Rewrites the engine's WebAssembly module, so that a restore costs what a call touched and no native loop outlives its
 * deadline (DESIGN §2).
 *
 * The result differs from the module in four ways, and behaves the same otherwise: writes mark pages in a second memory
 * (`barrier.ts`), loops count down a global (`meter.ts`), the memory may begin smaller (`memory.ts`), and there is one
 * more imported function, for which all others move up by one.
 */

import { createBarrier, MARK_RANGE_TYPE, markRangeFunction, MARKS_MEMORY_PAGES } from "./barrier.ts";
import { Reader, WasmFormatError, Writer } from "./binary.ts";
import { FUNCTION_TYPE, readFunctionSpace, readImportKind, rewriteBodies, type Step } from "./functions.ts";
import { OP } from "./instructions.ts";
import { withInitialMemory } from "./memory.ts";
import { CHARGE_TYPE, chargeFunction, createMeter } from "./meter.ts";
import { appendEntry, assembleSections, KIND, parseSections, readEntries, SECTION, TYPE } from "./sections.ts";

/** Changes with every change of what the rewriter makes; part of the key of cached modules. */
export const REWRITER_VERSION = "1";

/** What a rewritten module imports: `tick`, called when the fuel is used up. */
export const TICK_IMPORT = { module: "bascule", name: "tick" } as const;
/** What it exports: the memory of marks, one byte for each page of 1 KB, and the fuel that is left, a mutable i32. */
export const MARKS_EXPORT = "bascule:marks";
export const FUEL_EXPORT = "bascule:fuel";

export interface RewriteOptions {
  readonly barrier: boolean;
  readonly meter: boolean;
  /** The memory's minimum afterwards. */
  readonly initialMemoryPages?: number;
  /** Whether there must be exactly one interpreter whose loop polls by itself; true unless said. */
  readonly interpreter?: boolean;
}

/**
 * Rewrites a module that imports its memory. Pure: the same bytes for the same input.
 *
 * @throws {WasmFormatError} if there is anything in the module that the rewriter does not know.
 */
export function rewriteEngine(bytes: Uint8Array, options: RewriteOptions): Uint8Array {
  const sections = parseSections(bytes);
  const space = readFunctionSpace(sections);
  const imports = readEntries(sections, SECTION.import, readImportKind);
  if (imports.filter((kind) => kind === KIND.memory).length !== 1 || sections.has(SECTION.memory))
    throw new WasmFormatError("The module does not import its one memory");

  // Numbers of functions afterwards. Without a meter nothing is imported and nothing moves.
  const shift = options.meter ? 1 : 0;
  const renumber = (index: number): number => (index < space.imported ? index : index + shift);
  const firstAdded = space.imported + shift + space.defined.length;
  const added: { readonly type: Uint8Array; readonly body: Uint8Array }[] = [];
  const add = (type: Uint8Array, body: Uint8Array): void => void added.push({ type, body });
  const steps: Step[] = [];

  const fuel = imports.filter((kind) => kind === KIND.global).length + readEntries(sections, SECTION.global, readGlobal).length;
  const targets = { fuel, tick: space.imported, charge: firstAdded };
  const meter = createMeter(targets);
  if (options.meter) {
    steps.push(meter);
    add(CHARGE_TYPE, chargeFunction(targets));
  }
  if (options.barrier) {
    steps.push(createBarrier(firstAdded + added.length));
    add(MARK_RANGE_TYPE, markRangeFunction());
  }
  const bodies = rewriteBodies(sections, steps, renumber);
  if (options.meter && options.interpreter !== false && meter.interpreters !== 1)
    throw new WasmFormatError(`The module has ${meter.interpreters} interpreters, not one; this is not the engine that is known`);

  if (options.initialMemoryPages !== undefined) sections.set(SECTION.import, withInitialMemory(sections, options.initialMemoryPages));
  if (options.meter) addFuel(sections, fuel, renumber);
  if (options.barrier) addMarks(sections);
  for (const { type, body } of added) {
    appendEntry(sections, SECTION.function, new Writer().unsigned(appendEntry(sections, SECTION.type, type)).written);
    bodies.push(body);
  }
  sections.set(SECTION.code, vectorOf(bodies));
  return assembleSections(sections);
}

function vectorOf(entries: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer(1 << 20).unsigned(entries.length);
  for (const entry of entries) writer.sized(entry);
  return writer.written;
}

/** Imports `tick`, defines and exports the fuel, and moves every number of a function up. */
function addFuel(sections: Map<number, Uint8Array>, fuel: number, renumber: (index: number) => number): void {
  renumberExports(sections, renumber);
  renumberStart(sections, renumber);
  renumberElements(sections, renumber);
  const type = appendEntry(sections, SECTION.type, new Uint8Array([FUNCTION_TYPE, 0, 0]));
  const { module, name } = TICK_IMPORT;
  appendEntry(sections, SECTION.import, new Writer().name(module).name(name).byte(KIND.function).unsigned(type).written);
  const mutable = 1;
  appendEntry(sections, SECTION.global, new Uint8Array([TYPE.i32, mutable, OP.i32Const, 0, OP.end]));
  appendEntry(sections, SECTION.export, new Writer().name(FUEL_EXPORT).byte(KIND.global).unsigned(fuel).written);
}

/** Defines and exports the memory of marks, of a fixed size. */
function addMarks(sections: Map<number, Uint8Array>): void {
  const hasMaximum = 1;
  const memory = new Writer().byte(hasMaximum).unsigned(MARKS_MEMORY_PAGES).unsigned(MARKS_MEMORY_PAGES).written;
  const defined = appendEntry(sections, SECTION.memory, memory);
  const imported = 1;
  appendEntry(
    sections,
    SECTION.export,
    new Writer()
      .name(MARKS_EXPORT)
      .byte(KIND.memory)
      .unsigned(imported + defined).written,
  );
}

/** A global: its type, whether it changes, and how it begins (§5.5.9). */
function readGlobal(reader: Reader): void {
  reader.take(2);
  skipConstant(reader);
}

/** A constant expression (§5.4.9) of one instruction, as compilers write them. */
function skipConstant(reader: Reader): void {
  const opcode = reader.byte();
  if (opcode === OP.i32Const || opcode === I64_CONST || opcode === OP.globalGet) reader.skipInteger();
  else if (opcode === F32_CONST) reader.take(4);
  else if (opcode === F64_CONST) reader.take(8);
  else throw new WasmFormatError(`The constant expression at ${reader.at} begins with 0x${opcode.toString(16)}, which is not known`);
  if (reader.byte() !== OP.end) throw new WasmFormatError(`The constant expression at ${reader.at} has more than one instruction`);
}

const I64_CONST = 0x42;
const F32_CONST = 0x43;
const F64_CONST = 0x44;

/** Names, kinds and numbers (§5.5.10). */
function renumberExports(sections: Map<number, Uint8Array>, renumber: (index: number) => number): void {
  const entries = readEntries(sections, SECTION.export, (reader) => {
    const start = reader.at;
    reader.name();
    const kind = reader.byte();
    const head = reader.bytes.subarray(start, reader.at);
    const index = reader.unsigned();
    return new Writer().append(head).unsigned(kind === KIND.function ? renumber(index) : index).written;
  });
  replaceEntries(sections, SECTION.export, entries);
}

/** The function that runs at instantiation (§5.5.11). */
function renumberStart(sections: Map<number, Uint8Array>, renumber: (index: number) => number): void {
  const body = sections.get(SECTION.start);
  if (body !== undefined) sections.set(SECTION.start, new Writer().unsigned(renumber(new Reader(body).unsigned())).written);
}

/** Functions that are called through the table (§5.5.12); of the eight forms, the one that compilers write for it. */
function renumberElements(sections: Map<number, Uint8Array>, renumber: (index: number) => number): void {
  const entries = readEntries(sections, SECTION.element, (reader) => {
    const start = reader.at;
    const form = reader.unsigned();
    if (form !== 0) throw new WasmFormatError(`The element segment at ${start} has the form ${form}, which is not known`);
    skipConstant(reader);
    const writer = new Writer().append(reader.bytes.subarray(start, reader.at));
    const count = reader.unsigned();
    writer.unsigned(count);
    for (let left = count; left > 0; left--) writer.unsigned(renumber(reader.unsigned()));
    return writer.written;
  });
  replaceEntries(sections, SECTION.element, entries);
}

function replaceEntries(sections: Map<number, Uint8Array>, id: number, entries: readonly Uint8Array[]): void {
  if (!sections.has(id)) return;
  const writer = new Writer().unsigned(entries.length);
  for (const entry of entries) writer.append(entry);
  sections.set(id, writer.written);
}
