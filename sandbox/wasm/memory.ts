/** Sets the initial size of the engine's memory (WebAssembly core specification §5.5.5, §5.3.7). */

import { Reader, WasmFormatError, Writer } from "./binary.ts";
import { readImportKind } from "./functions.ts";
import { KIND, SECTION, type Sections } from "./sections.ts";

/** Unit of memory sizes (§4.2.8). */
export const WASM_PAGE_BYTES = 65_536;

/**
 * Returns the import section with another minimum for the one imported memory. A module accepts a larger memory than its minimum, but
 * never a smaller one.
 *
 * @throws {WasmFormatError} if the module imports no memory, defines one, or already has a smaller minimum than `pages`
 */
export function withInitialMemory(sections: Sections, pages: number): Uint8Array {
  const body = sections.get(SECTION.import) ?? new Uint8Array([0]);
  if (sections.has(SECTION.memory)) throw new WasmFormatError("The module defines a memory; only an imported memory is supported");
  const reader = new Reader(body);
  for (let left = reader.unsigned(); left > 0; left--) {
    const start = reader.at;
    if (readImportKind(reader) !== KIND.memory) continue;
    const after = reader.at;
    const limits = new Reader(body, start);
    limits.name();
    limits.name();
    // The kind, then the flag for a maximum.
    limits.take(2);
    const minimumAt = limits.at;
    const minimum = limits.unsigned();
    if (minimum < pages) throw new WasmFormatError(`The module's memory begins with ${minimum} pages, fewer than ${pages}`);
    return new Writer(body.length + 8)
      .append(body.subarray(0, minimumAt))
      .unsigned(pages)
      .append(body.subarray(limits.at, after))
      .append(body.subarray(after)).written;
  }
  throw new WasmFormatError("The module imports no memory");
}
