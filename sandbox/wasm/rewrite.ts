/**
 * Rewrites the engine's WebAssembly module, so that a restore costs only what a call touched and every native loop ends at its deadline
 * (architecture, the rewritten engine).
 *
 * The result behaves like the original except that
 * - writes mark pages in a second memory (`barrier.ts`), and an added function restores memory from there (`restore.ts`);
 * - loops and bulk operations count down a global (`meter.ts`), long operations in pieces (`pieces.ts`);
 * - some imports may suspend the guest (`suspend.ts`);
 * - the memory may begin smaller (`memory.ts`).
 *
 * The rewriter splits the module into sections (`sections.ts`, `binary.ts`), finds the end of every instruction (`instructions.ts`), and
 * copies the instructions with new ones before and after them (`functions.ts`). It appends types, functions, one global and one memory.
 * It also adds two imported functions, and because imported functions come first (§2.5.1), the indices of all others grow by two: in
 * calls, exports, elements and the start section. Section numbers in comments refer to the WebAssembly core specification 2.0
 * (https://www.w3.org/TR/wasm-core-2/), except that a second memory is allowed since 3.0. Unknown constructs are rejected.
 */

import { createBarrier, MARK_RANGE_TYPE, markRangeFunction } from "./barrier.ts";
import { Reader, WasmFormatError, Writer } from "./binary.ts";
import { readFunctionSpace, readImportKind, rewriteBodies, skipGlobalType, skipTableType, type Step } from "./functions.ts";
import { OP } from "./instructions.ts";
import { WASM_PAGE_BYTES, withInitialMemory } from "./memory.ts";
import { CHARGE_TYPE, chargeFunction, createMeter, type Meter } from "./meter.ts";
import { copyInPieces, fillInPieces, PIECE_BYTES, PIECES_TYPE } from "./pieces.ts";
import { RESTORE_TYPE, restoreFunction, SHADOW } from "./restore.ts";
import { appendEntry, assembleSections, KIND, parseSections, readEntries, SECTION, TYPE } from "./sections.ts";
import { askAgain, findImport, SUSPEND_TYPE, TICK_TYPE, tickAgain } from "./suspend.ts";

/** Version of the rewriter's output, and part of the key of cached modules. Change it when the output changes. */
export const REWRITER_VERSION = "5";

/** Imports of a rewritten module: `tick`, called when the fuel is used up, and `suspend`, called when an import returns `SUSPEND`. */
export const TICK_IMPORT = { module: "bascule", name: "tick" } as const;
export const SUSPEND_IMPORT = { module: "bascule", name: "suspend" } as const;
/** Exports of a rewritten module: the second memory (`SHADOW`), `restore`, () → (), and the remaining fuel, a mutable i32. */
export const SHADOW_EXPORT = "bascule:shadow";
export const RESTORE_EXPORT = "bascule:restore";
export const FUEL_EXPORT = "bascule:fuel";
/** Export name of the table of indirectly called functions, if the module has one (`rejection-hook.ts`). */
export const TABLE_EXPORT = "bascule:table";

export interface RewriteOptions {
  readonly barrier: boolean;
  readonly meter: boolean;
  /** Functions imported from the module "a" that may return `SUSPEND`. Only with a meter. */
  readonly suspending?: readonly string[];
  /** Exports the function table, so that the host can add a function. */
  readonly exportTable?: boolean;
  /** New minimum of the memory. */
  readonly initialMemoryPages?: number;
  /** Requires exactly one interpreter whose loop polls by itself. Default true. */
  readonly interpreter?: boolean;
  /** Size above which bulk operations are split into pieces of this size, a multiple of 64. Default `PIECE_BYTES`. */
  readonly pieceBytes?: number;
}

/**
 * Rewrites a module that imports its memory. Pure: the same bytes for the same input.
 *
 * @throws {WasmFormatError} if the bytes are not a valid module, or contain anything that the rewriter does not know
 */
export function rewriteEngine(bytes: Uint8Array, options: RewriteOptions): Uint8Array {
  // The rewriter only reads what it needs, so its output for an invalid module would be meaningless.
  if (!WebAssembly.validate(bytes)) throw new WasmFormatError("Not a valid WebAssembly module");
  const rewritten = rewriteValid(bytes, options);
  // A module close to a limit of the runtime (number of locals, for example) may now exceed it.
  if (!WebAssembly.validate(rewritten)) throw new WasmFormatError("The rewritten module is not valid");
  return rewritten;
}

function rewriteValid(bytes: Uint8Array, options: RewriteOptions): Uint8Array {
  const sections = parseSections(bytes);
  const space = readFunctionSpace(sections);
  const imports = readEntries(sections, SECTION.import, readImportKind);
  if (imports.filter((kind) => kind === KIND.memory).length !== 1 || sections.has(SECTION.memory))
    throw new WasmFormatError("The module must import its memory and have no other");
  readEntries(sections, SECTION.table, skipTableType);

  // Function indices after the rewrite. Without a meter nothing is imported, so no index moves.
  const shift = options.meter ? 2 : 0;
  const renumber = (index: number): number => (index < space.imported ? index : index + shift);
  const firstAdded = space.imported + shift + space.defined.length;
  const added: { readonly type: Uint8Array; readonly body: Uint8Array }[] = [];
  const add = (type: Uint8Array, body: Uint8Array): number => firstAdded + added.push({ type, body }) - 1;
  const steps: Step[] = [];

  // The barrier comes first: the meter may let the host end the guest between two pieces of one operation.
  if (options.barrier) steps.push(createBarrier(add(MARK_RANGE_TYPE, markRangeFunction())));
  const restore = options.barrier ? add(RESTORE_TYPE, restoreFunction()) : undefined;
  const fuel = imports.filter((kind) => kind === KIND.global).length + readEntries(sections, SECTION.global, readGlobal).length;
  const [tick, suspend] = [space.imported, space.imported + 1];
  const meter = options.meter ? addMeter({ fuel, tick: add(SUSPEND_TYPE, tickAgain(tick, suspend)) }, options, add) : undefined;
  if (meter !== undefined) steps.push(meter);
  const asking = new Map<number, number>();
  for (const name of options.meter ? (options.suspending ?? []) : []) {
    const imported = findImport(sections, "a", name);
    asking.set(imported.index, add(imported.type, askAgain(imported, suspend)));
  }
  const bodies = rewriteBodies(sections, steps, (index) => asking.get(index) ?? renumber(index));
  if (meter !== undefined && options.interpreter !== false && meter.interpreters !== 1)
    throw new WasmFormatError(`The module has ${meter.interpreters} interpreters instead of one; this is not the known engine`);

  if (options.initialMemoryPages !== undefined) sections.set(SECTION.import, withInitialMemory(sections, options.initialMemoryPages));
  if (options.meter) addFuel(sections, fuel, renumber);
  if (options.exportTable === true && sections.has(SECTION.table))
    appendEntry(sections, SECTION.export, new Writer().name(TABLE_EXPORT).byte(KIND.table).unsigned(0).written);
  if (restore !== undefined) addShadow(sections, restore);
  for (const { type, body } of added) {
    appendEntry(sections, SECTION.function, new Writer().unsigned(appendEntry(sections, SECTION.type, type)).written);
    bodies.push(body);
  }
  sections.set(SECTION.code, vectorOf(bodies));
  return assembleSections(sections);
}

/** Creates the meter with the functions that it calls. */
function addMeter(
  counter: { readonly fuel: number; readonly tick: number },
  { pieceBytes = PIECE_BYTES }: RewriteOptions,
  add: (type: Uint8Array, body: Uint8Array) => number,
): Meter {
  const charge = add(CHARGE_TYPE, chargeFunction(counter));
  const copy = add(PIECES_TYPE, copyInPieces(charge, pieceBytes));
  const fill = add(PIECES_TYPE, fillInPieces(charge, pieceBytes));
  return createMeter({ ...counter, charge, copy, fill });
}

function vectorOf(entries: readonly Uint8Array[]): Uint8Array {
  const writer = new Writer(1 << 20).unsigned(entries.length);
  for (const entry of entries) writer.sized(entry);
  return writer.written;
}

/** Imports `tick` and `suspend`, defines and exports the fuel, and renumbers all functions. */
function addFuel(sections: Map<number, Uint8Array>, fuel: number, renumber: (index: number) => number): void {
  renumberExports(sections, renumber);
  renumberStart(sections, renumber);
  renumberElements(sections, renumber);
  for (const [{ module, name }, type] of [
    [TICK_IMPORT, TICK_TYPE],
    [SUSPEND_IMPORT, SUSPEND_TYPE],
  ] as const) {
    const index = appendEntry(sections, SECTION.type, type);
    appendEntry(sections, SECTION.import, new Writer().name(module).name(name).byte(KIND.function).unsigned(index).written);
  }
  const mutable = 1;
  appendEntry(sections, SECTION.global, new Uint8Array([TYPE.i32, mutable, OP.i32Const, 0, OP.end]));
  appendEntry(sections, SECTION.export, new Writer().name(FUEL_EXPORT).byte(KIND.global).unsigned(fuel).written);
}

/** Defines and exports the second memory, large enough for its marks and growable by the host, and exports `restore`. */
function addShadow(sections: Map<number, Uint8Array>, restore: number): void {
  const noMaximum = 0;
  appendEntry(sections, SECTION.memory, new Writer().byte(noMaximum).unsigned(Math.ceil((SHADOW.table + 1) / WASM_PAGE_BYTES)).written);
  appendEntry(sections, SECTION.export, new Writer().name(SHADOW_EXPORT).byte(KIND.memory).unsigned(SHADOW.memory).written);
  appendEntry(sections, SECTION.export, new Writer().name(RESTORE_EXPORT).byte(KIND.function).unsigned(restore).written);
}

/** Skips a global: its type, its mutability and its initial value (§5.5.9). */
function readGlobal(reader: Reader): void {
  skipGlobalType(reader);
  skipConstant(reader);
}

/** Skips a constant expression (§5.4.9) of one instruction, which is the form that compilers write. */
function skipConstant(reader: Reader): void {
  const opcode = reader.byte();
  if (opcode === OP.i32Const || opcode === I64_CONST || opcode === OP.globalGet) reader.skipInteger();
  else if (opcode === F32_CONST) reader.take(4);
  else if (opcode === F64_CONST) reader.take(8);
  else throw new WasmFormatError(`The constant expression at ${reader.at} begins with the unknown instruction 0x${opcode.toString(16)}`);
  if (reader.byte() !== OP.end) throw new WasmFormatError(`The constant expression at ${reader.at} has more than one instruction`);
}

const I64_CONST = 0x42;
const F32_CONST = 0x43;
const F64_CONST = 0x44;

/** Renumbers exported functions. An entry is a name, a kind and an index (§5.5.10). */
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

/** Renumbers the function that runs at instantiation (§5.5.11). */
function renumberStart(sections: Map<number, Uint8Array>, renumber: (index: number) => number): void {
  const body = sections.get(SECTION.start);
  if (body !== undefined) sections.set(SECTION.start, new Writer().unsigned(renumber(new Reader(body).unsigned())).written);
}

/** Renumbers the functions that are called through the table (§5.5.12). Supports the one of eight forms that compilers write for it. */
function renumberElements(sections: Map<number, Uint8Array>, renumber: (index: number) => number): void {
  const entries = readEntries(sections, SECTION.element, (reader) => {
    const start = reader.at;
    const form = reader.unsigned();
    if (form !== 0) throw new WasmFormatError(`The element segment at ${start} has the unknown form ${form}`);
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
