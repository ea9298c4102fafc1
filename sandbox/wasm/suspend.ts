/**
 * Imports that can suspend the guest by returning `SUSPEND`: the guest then leaves the thread, and the import is called again when it
 * resumes.
 *
 * Only the import `suspend` actually suspends (JavaScript Promise Integration, https://webassembly.github.io/js-promise-integration/).
 * The others stay ordinary functions, so that exports that were not entered through `WebAssembly.promising` can call them too.
 */

import { type Reader, WasmFormatError, Writer } from "./binary.ts";
import { FUNCTION_TYPE, readImportKind } from "./functions.ts";
import { EMPTY_BLOCK, OP } from "./instructions.ts";
import { KIND, readEntries, SECTION, type Sections, skipValueTypes, TYPE } from "./sections.ts";

/** Result of an import that wants to be called again later. Neither an address nor a valid result of the interrupt handler. */
export const SUSPEND = -1;

/** () → (). */
export const SUSPEND_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 0, 0]);
/** () → (i32). */
export const TICK_TYPE: Uint8Array = new Uint8Array([FUNCTION_TYPE, 0, 1, TYPE.i32]);

const I32_EQ = 0x46;
const BR = 0x0c;

/** A function that the module imports: its index, its type as bytes, and its number of parameters. */
interface ImportedFunction {
  readonly index: number;
  readonly type: Uint8Array;
  readonly parameters: number;
}

/** Finds an imported function that returns an i32. @throws {WasmFormatError} if the module does not import it */
export function findImport(sections: Sections, module: string, name: string): ImportedFunction {
  const types = readEntries(sections, SECTION.type, (reader) => {
    const start = reader.at;
    reader.byte();
    const parameters = skipValueTypes(reader);
    const results = reader.at;
    skipValueTypes(reader);
    return { parameters, results: reader.bytes.subarray(results, reader.at), bytes: reader.bytes.subarray(start, reader.at) };
  });
  let index = 0;
  for (const { text, type } of readEntries(sections, SECTION.import, readImport)) {
    if (type === undefined) continue;
    if (text !== `${module}.${name}`) {
      index++;
      continue;
    }
    const found = types[type];
    if (found === undefined || found.results[0] !== 1 || found.results[1] !== TYPE.i32)
      throw new WasmFormatError(`The import "${name}" does not return an i32`);
    return { index, type: found.bytes, parameters: found.parameters };
  }
  throw new WasmFormatError(`The module does not import the function "${name}" from "${module}"`);
}

const decoder = new TextDecoder();

/** Reads an import's two names and, for a function, its type index (§5.5.5). */
function readImport(reader: Reader): { readonly text: string; readonly type: number | undefined } {
  const start = reader.at;
  const text = `${decoder.decode(reader.name())}.${decoder.decode(reader.name())}`;
  const isFunction = reader.peek() === KIND.function;
  const typeAt = reader.at + 1;
  reader.at = start;
  readImportKind(reader);
  if (!isFunction) return { text, type: undefined };
  const end = reader.at;
  reader.at = typeAt;
  const type = reader.unsigned();
  reader.at = end;
  return { text, type };
}

/**
 * Returns a function that replaces an import:
 *
 * ```wat
 * (func (param …) (result i32) (local $answer i32)
 *   (loop $again
 *     (if (i32.eq (local.tee $answer (call $import …)) (i32.const SUSPEND)) (then (call $suspend) (br $again))))
 *   (local.get $answer))
 * ```
 */
export function askAgain(imported: Pick<ImportedFunction, "index" | "parameters">, suspend: number): Uint8Array {
  const answer = imported.parameters;
  const code = new Writer().byte(1, 1, TYPE.i32, OP.loop, EMPTY_BLOCK);
  for (let parameter = 0; parameter < imported.parameters; parameter++) code.byte(OP.localGet).unsigned(parameter);
  code.byte(OP.call).unsigned(imported.index).byte(OP.localTee).unsigned(answer);
  code.byte(OP.i32Const).signed(SUSPEND).byte(I32_EQ, OP.if, EMPTY_BLOCK, OP.call).unsigned(suspend);
  code.byte(BR, 1, OP.end, OP.end, OP.localGet).unsigned(answer);
  return code.byte(OP.end).written;
}

/** Returns the same for the meter's `tick`, () → (i32), whose other results are ignored: () → (). */
export function tickAgain(tick: number, suspend: number): Uint8Array {
  const code = new Writer().byte(0, OP.loop, EMPTY_BLOCK, OP.call).unsigned(tick);
  code.byte(OP.i32Const).signed(SUSPEND).byte(I32_EQ, OP.if, EMPTY_BLOCK, OP.call).unsigned(suspend);
  return code.byte(BR, 1, OP.end, OP.end, OP.end).written;
}
