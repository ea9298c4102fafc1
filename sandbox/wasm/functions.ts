/** Rewrites function bodies: instructions are copied one by one, and steps insert code before and after them (§5.5.13). */

import { Reader, WasmFormatError, Writer } from "./binary.ts";
import { type Instruction, OP, readInstruction } from "./instructions.ts";
import { KIND, type NumberType, readEntries, SECTION, type Sections, skipValueType, skipValueTypes, TYPE } from "./sections.ts";

/** One part of the rewriting. Steps do not see instructions that other steps inserted. */
export interface Step {
  /** Called once per function, before its instructions. */
  begin?(instructions: readonly Instruction[], bytes: Uint8Array): void;
  before?(instruction: Instruction, body: Body, bytes: Uint8Array): void;
  after?(instruction: Instruction, body: Body, bytes: Uint8Array): void;
}

/** A function that is being rewritten. */
export interface Body {
  readonly code: Writer;
  /** Returns the index of a local added by the rewriter. The same purpose and type give the same local. */
  temporary(purpose: string, type: NumberType): number;
}

/** The index space of a module's functions: imported functions come first (§2.5.1). */
interface FunctionSpace {
  readonly imported: number;
  /** Type indices of the functions that the module defines. */
  readonly defined: readonly number[];
}

export function readFunctionSpace(sections: Sections): FunctionSpace {
  const kinds = readEntries(sections, SECTION.import, readImportKind);
  return {
    imported: kinds.filter((kind) => kind === KIND.function).length,
    defined: readEntries(sections, SECTION.function, (reader) => reader.unsigned()),
  };
}

/** Reads an import's kind and skips its names and description (§5.5.5). */
export function readImportKind(reader: Reader): number {
  reader.name();
  reader.name();
  const kind = reader.byte();
  switch (kind) {
    case KIND.function:
      reader.skipInteger();
      return kind;
    case KIND.table:
      skipTableType(reader);
      return kind;
    case KIND.memory:
      skipLimits(reader);
      return kind;
    case KIND.global:
      skipGlobalType(reader);
      return kind;
    default:
      throw new WasmFormatError(`The module has an import of unknown kind ${kind}`);
  }
}

/** Skips an element type and limits (§5.3.9). A table with an initializer is from a later proposal and unsupported. */
export function skipTableType(reader: Reader): void {
  skipValueType(reader);
  skipLimits(reader);
}

/** Skips a type and its mutability (§5.3.10). */
export function skipGlobalType(reader: Reader): void {
  skipValueType(reader);
  reader.byte();
}

/** Skips a minimum, and a maximum if the flag is set (§5.3.7). */
function skipLimits(reader: Reader): void {
  const flag = reader.byte();
  if (flag > 1) throw new WasmFormatError(`The limits at ${reader.at} are of the unknown kind ${flag}`);
  reader.skipInteger();
  if (flag === 1) reader.skipInteger();
}

/** Returns the number of parameters of each type. */
function readParameterCounts(sections: Sections): number[] {
  return readEntries(sections, SECTION.type, (reader) => {
    if (reader.byte() !== FUNCTION_TYPE) throw new WasmFormatError(`The type at ${reader.at} is not a function type`);
    const parameters = skipValueTypes(reader);
    skipValueTypes(reader);
    return parameters;
  });
}

/** First byte of a function type (§5.3.6). */
export const FUNCTION_TYPE = 0x60;

/** Rewrites all function bodies. `renumber` returns the new index of a called function. */
export function rewriteBodies(sections: Sections, steps: readonly Step[], renumber: (index: number) => number): Uint8Array[] {
  const { defined } = readFunctionSpace(sections);
  const parameters = readParameterCounts(sections);
  let index = 0;
  return readEntries(sections, SECTION.code, (reader) => {
    const size = reader.unsigned();
    const end = reader.at + size;
    const type = defined[index++];
    const body = rewriteBody(new Reader(reader.bytes, reader.at, end), parameters[type ?? -1] ?? 0, steps, renumber);
    reader.take(size);
    return body;
  });
}

function rewriteBody(reader: Reader, parameters: number, steps: readonly Step[], renumber: (index: number) => number): Uint8Array {
  const { bytes } = reader;
  const declared: Uint8Array[] = [];
  let locals = parameters;
  for (let left = reader.unsigned(); left > 0; left--) {
    const start = reader.at;
    locals += reader.unsigned();
    skipValueType(reader);
    declared.push(bytes.subarray(start, reader.at));
  }
  const instructions: Instruction[] = [];
  while (!reader.isAtEnd) instructions.push(readInstruction(reader));

  const code = new Writer((reader.end - reader.at) * 2 + 64);
  const temporaries = new Map<string, { readonly number: number; readonly type: NumberType }>();
  const body: Body = {
    code,
    temporary(purpose, type) {
      const key = `${purpose} ${type}`;
      const known = temporaries.get(key);
      if (known !== undefined) return known.number;
      const number = locals + temporaries.size;
      temporaries.set(key, { number, type });
      return number;
    },
  };
  for (const step of steps) step.begin?.(instructions, bytes);
  for (const instruction of instructions) {
    for (const step of steps) step.before?.(instruction, body, bytes);
    if (namesFunction(instruction.opcode))
      code.byte(instruction.opcode).unsigned(renumber(new Reader(bytes, instruction.immediates).unsigned()));
    else code.append(bytes.subarray(instruction.start, instruction.end));
    for (const step of steps) step.after?.(instruction, body, bytes);
  }

  const whole = new Writer(code.written.length + 64).unsigned(declared.length + temporaries.size);
  for (const group of declared) whole.append(group);
  for (const { type } of temporaries.values()) whole.unsigned(1).byte(TYPE[type]);
  return whole.append(code.written).written;
}

function namesFunction(opcode: number): boolean {
  return opcode === OP.call || opcode === OP.refFunc;
}
