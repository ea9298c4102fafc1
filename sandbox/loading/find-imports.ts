/** Finds what a plugin's code imports, without running it: what the loader would resolve. */

import type { AnyNode } from "acorn";
import { loadParser, loadTypeCompiler, type TypeCompiler } from "./compile.ts";
import { childrenOf } from "./lower-using.ts";
import { type Position, placeOfText } from "./positions.ts";

/** An import in a plugin's code. */
export interface FoundImport extends Position {
  readonly specifier: string;
  /** Path of the first file that names it. */
  readonly file: string;
}

export interface FoundImports {
  /** One for each specifier, in the order of the files. */
  readonly imports: readonly FoundImport[];
  /** Files that cannot be parsed, with the parser's message. */
  readonly unreadable: readonly { readonly file: string; readonly message: string }[];
}

/** Place of a specifier that is written with escapes. */
const FIRST: Position = { line: 1, column: 1 };

/** Reads static imports and exports, and `import()` of a literal. @param files code by path */
export async function findImports(files: ReadonlyMap<string, Uint8Array>): Promise<FoundImports> {
  const [types, parse] = await Promise.all([loadTypeCompiler(), loadParser()]);
  const imports = new Map<string, FoundImport>();
  const unreadable: { readonly file: string; readonly message: string }[] = [];
  for (const [file, bytes] of files) {
    const text = new TextDecoder().decode(bytes);
    try {
      const named = specifiersIn(file, text, types, parse).map((specifier) => ({
        specifier,
        file,
        ...(placeOfText(specifier, text) ?? FIRST),
      }));
      for (const one of named.toSorted((a, b) => a.line - b.line || a.column - b.column))
        if (!imports.has(one.specifier)) imports.set(one.specifier, one);
    } catch (error) {
      // amaro throws plain objects, acorn throws SyntaxError; a RangeError means that the code is nested too deeply.
      const message: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "message") : undefined;
      unreadable.push({ file, message: typeof message === "string" ? message : String(error) });
    }
  }
  return { imports: [...imports.values()], unreadable };
}

function specifiersIn(file: string, text: string, types: TypeCompiler, parse: Awaited<ReturnType<typeof loadParser>>): readonly string[] {
  const { code, elided = [] } = file.endsWith("ts") ? types(text, file) : { code: text.replace(/^#!/, "//") };
  const found = new Set<string>();
  const waiting: AnyNode[] = [parse(code)];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const source = "source" in node ? node.source : undefined;
    if (source?.type === "Literal" && typeof source.value === "string") found.add(source.value);
    waiting.push(...childrenOf(node));
  }
  return [...found, ...elided];
}
