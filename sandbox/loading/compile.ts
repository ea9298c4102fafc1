/**
 * Compiles a file of the plugin to code that the engine runs, and keeps or maps the author's positions (SPEC B7).
 *
 * Types are blanked out in place (amaro, Node's own stripper). Code is only transformed, with a source map, if that is not possible, and
 * only parsed here (acorn) if the engine cannot parse it. Both packages are loaded when a file needs them.
 */

import { adviceOnSyntax } from "./advice.ts";
import type { Program } from "acorn";
import { elideImports, mayHaveUnusedImports } from "./elide-imports.ts";
import type { LoadFault } from "../wire/fault.ts";
import { lowerLoops, mayLowerLoops } from "./lower-loops.ts";
import { type Lowering, lowerUsing, mayNeedParser, Unsupported } from "./lower-using.ts";
import { applyEdits, fromMappings, type Position, SAME_PLACE, type ToAuthor } from "./positions.ts";

/** The reason why a module could not be loaded. Kept beside the guest's own error because it contains the position. */
export type ModuleFault = Pick<LoadFault, "kind" | "message" | "file" | "line" | "column">;

/** Code for the engine, with a mapping to positions in the author's file. */
export interface Compiled {
  readonly code: string;
  readonly toAuthor: ToAuthor;
  /** Names of modules that are only needed for types. They are not loaded but must exist, as in Deno. */
  readonly elided?: readonly string[];
}

/** The tools to compile the files of one plugin. A missing member means that no file needs it. */
export interface Compiler {
  readonly types?: TypeCompiler;
  /** Returns a module's syntax tree. @throws {SyntaxError} with `pos`, an offset. */
  readonly parse?: (code: string) => Program;
  /** Replacements of Node's modules, by their `node:` names. */
  readonly nodeModules?: Readonly<Record<string, string>>;
}

/** Removes types from TypeScript. Returns `mappings` if a position had to change. @throws what amaro throws (`TypeProblem`). */
export type TypeCompiler = (
  text: string,
  file: string,
) => {
  readonly code: string;
  readonly mappings?: string;
  readonly elided?: readonly string[];
};

const TYPESCRIPT: RegExp = /\.[mc]?ts$/;

/** Matches `import(…)` with any spacing, or made by `eval`. Code from `Function` belongs to no file, so its imports are refused. */
const IMPORTS_LATER = /\bimport\s*(?:\(|\/[/*])|\beval\b/;

/** Matches TypeScript syntax that cannot be blanked out. May match other code. */
const NEEDS_TRANSFORM =
  /\b(?:enum|namespace|module)\s+[\p{ID_Start}$_"'`]|\bimport\s+[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=|\b(?:private|public|protected|readonly|override)\s[^;{}]{0,400}[,)]|<[^<>()]{1,200}>\s*[\p{ID_Start}$_({["'`\d]/u;

let typeCompiler: Promise<TypeCompiler> | undefined;
let parser: Promise<(code: string) => Program> | undefined;

/** Loads amaro, which takes longer than the rest of a worker's start. */
export function loadTypeCompiler(): Promise<TypeCompiler> {
  typeCompiler ??= import("amaro").then(({ transformSync }) => (text, filename) => {
    try {
      const { code } = transformSync(text, { mode: "strip-only", filename });
      return mayHaveUnusedImports(code) ? elideImports(code, transformSync(text, { ...TRANSFORM, filename }).code) : { code };
    } catch (error) {
      if (asProblem(error).code !== "UnsupportedSyntax") throw error;
      const { code, map } = transformSync(text, { ...TRANSFORM, sourceMap: true, filename });
      return { code, mappings: mappingsOf(map) };
    }
  });
  return typeCompiler;
}

/** Drops imports that are only used as types, as TypeScript and Deno do. */
const TRANSFORM = { mode: "transform", transform: { verbatimModuleSyntax: false } } as const;

/** Loads acorn. */
export function loadParser(): Promise<(code: string) => Program> {
  parser ??= import("acorn").then(
    ({ parse }) =>
      (code) =>
        parse(code, { ecmaVersion: "latest", sourceType: "module", preserveParens: true }),
  );
  return parser;
}

/**
 * Loads the tools that compiling the files may need.
 *
 * @param when `call`: the plugin was loaded before, so only later imports and changed positions matter
 */
export async function loadCompiler(files: ReadonlyMap<string, Uint8Array>, when: "load" | "call"): Promise<Compiler> {
  const texts = [...files].filter(([file]) => CODE.test(file)).map(([file, bytes]) => ({ file, text: new TextDecoder().decode(bytes) }));
  const isLate = when === "call" && texts.some(({ text }) => IMPORTS_LATER.test(text));
  const typed = texts.filter(({ file }) => TYPESCRIPT.test(file));
  const needsTypes = typed.length > 0 && (when === "load" || isLate || typed.some(({ text }) => NEEDS_TRANSFORM.test(text)));
  const needsParser = texts.some(({ text }) => needsLowering(text));
  return {
    ...((needsTypes || (needsParser && typed.length > 0)) && { types: await loadTypeCompiler() }),
    ...(needsParser && { parse: await loadParser() }),
    ...(texts.some(({ text }) => text.includes("node:")) && { nodeModules: (await import("./node-modules.gen.ts")).NODE_MODULES }),
  };
}

const CODE = /\.[mc]?[jt]s$/;

/** Returns code for the engine, or the problem of the file with its position. */
export function compileModule(file: string, text: string, compiler: Compiler): Compiled | ModuleFault {
  const stripped = TYPESCRIPT.test(file) ? compileTypes(file, text, compiler.types) : { code: withoutHashbang(text), toAuthor: SAME_PLACE };
  if ("kind" in stripped || !needsLowering(stripped.code)) return stripped;
  return lower(file, stripped, compiler.parse);
}

/** Replaces a hashbang, because code may be inserted before it. */
function withoutHashbang(code: string): string {
  return code.replace(/^#!/, "//");
}

function compileTypes(file: string, text: string, compile: TypeCompiler | undefined): Compiled | ModuleFault {
  if (compile === undefined) return tooLate(file);
  try {
    const { code, mappings, elided = [] } = compile(text, file);
    return { code: withoutHashbang(code), elided, toAuthor: mappings === undefined ? SAME_PLACE : fromMappings(mappings) };
  } catch (error) {
    if (error instanceof RangeError) return tooDeep(file);
    const { message, startLine, startColumn } = asProblem(error);
    const advice = adviceOnSyntax(text, typeof startLine === "number" ? startLine : undefined);
    return {
      kind: "syntax",
      message: (typeof message === "string" ? message : "Cannot parse the TypeScript") + advice,
      file,
      ...(typeof startLine === "number" ? { line: startLine } : {}),
      ...(typeof startColumn === "number" ? { column: startColumn + 1 } : {}),
    };
  }
}

function needsLowering(code: string): boolean {
  return mayNeedParser(code) || mayLowerLoops(code);
}

function lower(file: string, compiled: Compiled, parse: Compiler["parse"]): Compiled | ModuleFault {
  if (parse === undefined) return tooLate(file);
  try {
    return PASSES.reduce(
      (before, { isNeeded, run }) => (isNeeded(before.code) ? applyPass(before, run(parse(before.code), before.code)) : before),
      compiled,
    );
  } catch (error) {
    if (error instanceof RangeError) return tooDeep(file);
    if (error instanceof Unsupported)
      return { kind: "syntax", message: error.message, file, ...compiled.toAuthor(positionOf(compiled.code, error.at)) };
    // Acorn does not support all syntax that the engine does. Otherwise the engine's own message names the position.
    if (error instanceof SyntaxError) return compiled;
    throw error;
  }
}

/** Each pass runs on the result of the one before, because a statement may need both. */
const PASSES = [
  { isNeeded: mayNeedParser, run: lowerUsing },
  { isNeeded: mayLowerLoops, run: lowerLoops },
] as const;

function applyPass(before: Compiled, { edits, replacements }: Lowering): Compiled {
  const { code, toAuthor } = applyEdits(replaceAll(before.code, replacements), edits);
  return { ...before, code, toAuthor: (position) => before.toAuthor(toAuthor(position)) };
}

/** Replaces parts with text of the same length, so that no position changes. */
function replaceAll(code: string, replacements: readonly { readonly at: number; readonly text: string }[]): string {
  let made = "";
  let done = 0;
  for (const { at, text } of replacements.toSorted((a, b) => a.at - b.at)) {
    made += code.slice(done, at) + text;
    done = at + text.length;
  }
  return made + code.slice(done);
}

function positionOf(code: string, at: number): Position {
  const before = code.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

function tooLate(file: string): ModuleFault {
  return { kind: "import", message: `Cannot load "${file}" during a call: write the import() in a file of the plugin`, file };
}

function tooDeep(file: string): ModuleFault {
  return { kind: "syntax", message: `Cannot read "${file}": it is nested too deeply`, file };
}

/** The plain object that amaro throws (checked with 1.2.1). */
interface TypeProblem {
  readonly message?: unknown;
  readonly startLine?: unknown;
  readonly startColumn?: unknown;
  readonly code?: unknown;
}

function asProblem(error: unknown): TypeProblem {
  return typeof error === "object" && error !== null ? error : { message: String(error) };
}

function mappingsOf(map: string | undefined): string {
  const document: unknown = map === undefined ? undefined : JSON.parse(map);
  const mappings: unknown = typeof document === "object" && document !== null ? Reflect.get(document, "mappings") : undefined;
  return typeof mappings === "string" ? mappings : "";
}
