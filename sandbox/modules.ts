/**
 * A plugin's own modules: names, type stripping and positions (SPEC B7).
 *
 * Modules are named `file:///$plugin/<path>`, wherever the plugin really is, so that an image depends on the plugin's
 * bytes only. Types are stripped in place (amaro, Node's own stripper), so positions stay the author's.
 */

import type { LoadFault } from "./fault.ts";
import type { GuestThrow } from "./instance.ts";

export const PLUGIN_ROOT = "file:///$plugin/";
/** The generated module that imports a plugin's entry modules; no file can have this name. */
export const ENTRY_MODULE: string = `${PLUGIN_ROOT}(load)`;

/** Why a module could not be had; kept beside the guest's own error because it knows the place. */
export type ModuleFault = Pick<LoadFault, "kind" | "message" | "file" | "line" | "column">;

/** The modules of one plugin version. */
export interface ModuleTable {
  /** Source of a resolved name, or the message to throw into the guest. */
  source(name: string): string | GuestThrow;
  /** Resolves `specifier` as imported by `base`. */
  resolve(base: string, specifier: string): string | GuestThrow;
  /** The first thing that went wrong. */
  readonly fault: ModuleFault | undefined;
}

const TYPESCRIPT = /\.[mc]?ts$/;
const IMPORT_META_PREFIX = "import.meta.url=";
const MODULE_SUFFIXES = [".ts", ".js", ".mjs", "/mod.ts", "/index.ts"];

/** Takes the types out of TypeScript, keeping every position. @throws what amaro throws (`StripProblem`). */
export type StripTypes = (text: string, file: string) => string;

let stripper: Promise<StripTypes> | undefined;

/** Loads the stripper, which takes longer than everything else a worker does to begin. */
export function loadStripper(): Promise<StripTypes> {
  stripper ??= import("amaro").then(
    ({ transformSync }) =>
      (text, file) =>
        transformSync(text, { mode: "strip-only", filename: file }).code,
  );
  return stripper;
}

/** True if the files may need the stripper: at load, or where `whileRunning`, for imports that only happen in a call. */
export function needsStripper(files: ReadonlyMap<string, Uint8Array>, whileRunning: boolean): boolean {
  if (![...files.keys()].some((file) => TYPESCRIPT.test(file))) return false;
  return !whileRunning || [...files.values()].some((bytes) => IMPORTS_LATER.test(new TextDecoder().decode(bytes)));
}

/** `import(…)` however it is spaced, or made by `eval`; code from `Function` belongs to no file, so its imports are refused. */
const IMPORTS_LATER = /\bimport\s*(?:\(|\/[/*])|\beval\b/;

/** `strip` may be left out where `needsStripper` said no. */
export function createModuleTable(files: ReadonlyMap<string, Uint8Array>, strip?: StripTypes): ModuleTable {
  const ready = new Map<string, string>();
  let fault: ModuleFault | undefined;
  let unresolved: GuestThrow | undefined;
  const refuse = (problem: ModuleFault): GuestThrow => {
    fault ??= problem;
    return { throws: problem.message };
  };
  const refuseName = (problem: ModuleFault): GuestThrow => {
    unresolved = refuse(problem);
    return unresolved;
  };

  return {
    get fault() {
      return fault;
    },
    source(name) {
      const known = ready.get(name);
      if (known !== undefined) return known;
      const file = fileOf(name);
      const bytes = file === undefined ? undefined : files.get(file);
      // For a name that was refused the engine goes on to ask for the source of "", and only that throw reaches the guest.
      if (name === "" && unresolved !== undefined) return unresolved;
      if (file === undefined || bytes === undefined)
        return refuse({ kind: "import", message: `Cannot load "${name}": no such file in the plugin` });
      const prepared = prepareSource(file, bytes, strip);
      if (typeof prepared !== "string") return refuse(prepared);
      ready.set(name, prepared);
      return prepared;
    },
    resolve(base, specifier) {
      const importer = fileOf(base) ?? "the plugin";
      if (!/^(\.\.?\/|file:|\/)/.test(specifier)) {
        return refuseName({
          kind: "import",
          message: `Cannot import "${specifier}" from "${importer}": a plugin imports its own files only; copy the package into the plugin and import it by a path that starts with "./"`,
          file: importer,
        });
      }
      const file = fileOf(resolveUrl(specifier, base));
      if (file === undefined) {
        return refuseName({
          kind: "import",
          message: `Cannot import "${specifier}" from "${importer}": it leads out of the plugin`,
          file: importer,
        });
      }
      if (files.has(file)) return PLUGIN_ROOT + file;
      const meant = MODULE_SUFFIXES.find((suffix) => files.has(file + suffix) || files.has(file.replace(/\.js$/, "") + suffix));
      const advice =
        meant === undefined ? "no such file in the plugin" : `write the whole file name ("${specifier.replace(/\.js$/, "")}${meant}")`;
      return refuseName({ kind: "import", message: `Cannot import "${specifier}" from "${importer}": ${advice}`, file: importer });
    },
  };
}

/** The module that loads every entry module and exports their namespaces as `m0`, `m1`, … */
export function entryModuleSource(modules: readonly string[]): string {
  return modules.map((file, index) => `export * as m${index} from ${JSON.stringify(`./${file}`)};`).join("\n");
}

/** Path of the plugin's file behind a module name; undefined if the name is not one of the plugin's. */
function fileOf(name: string): string | undefined {
  if (!name.startsWith(PLUGIN_ROOT)) return undefined;
  try {
    return decodeURIComponent(name.slice(PLUGIN_ROOT.length).replace(/[?#].*$/s, ""));
  } catch (error) {
    // Only a malformed percent escape throws, and such a name is nobody's file.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function resolveUrl(specifier: string, base: string): string {
  return URL.canParse(specifier, base) ? new URL(specifier, base).href : "";
}

function prepareSource(file: string, bytes: Uint8Array, strip: StripTypes | undefined): string | ModuleFault {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { kind: "syntax", message: `Cannot read "${file}": it is not UTF-8 text`, file };
  }
  if (text.includes("\0")) return { kind: "syntax", message: `Cannot read "${file}": it contains a NUL character`, file };
  if (file.endsWith(".json")) return jsonModule(file, text);
  const code = TYPESCRIPT.test(file) ? stripTypes(file, text, strip) : text.replace(/^#!/, "//");
  if (typeof code !== "string" || !code.includes("import.meta")) return code;
  // On the first line, so that every line keeps its number; `authorPosition` takes the width off again.
  return `${metaPrefix(file)}${code}`;
}

function metaPrefix(file: string): string {
  return `${IMPORT_META_PREFIX}${JSON.stringify(PLUGIN_ROOT + encodeURI(file))};`;
}

function jsonModule(file: string, text: string): string | ModuleFault {
  try {
    JSON.parse(text);
  } catch (error) {
    return { kind: "syntax", message: `Cannot parse "${file}": ${error instanceof Error ? error.message : "not JSON"}`, file };
  }
  // Parsed inside the guest, so that `__proto__` keys stay own properties as in any engine.
  return `export default JSON.parse(${JSON.stringify(text)});`;
}

/** What amaro throws (checked with 1.2.1): a plain object with a place. */
interface StripProblem {
  readonly message?: unknown;
  readonly startLine?: unknown;
  readonly startColumn?: unknown;
  readonly code?: unknown;
}

function stripTypes(file: string, text: string, strip: StripTypes | undefined): string | ModuleFault {
  if (strip === undefined)
    return { kind: "import", message: `Cannot load "${file}" during a call: write the import() in a file of the plugin`, file };
  try {
    return strip(text, file);
  } catch (error) {
    const problem: StripProblem = typeof error === "object" && error !== null ? error : { message: String(error) };
    const advice =
      problem.code === "UnsupportedSyntax"
        ? "; write it without syntax that needs compiling (enums, namespaces, parameter properties)"
        : "";
    return {
      kind: "syntax",
      message: `${typeof problem.message === "string" ? problem.message : "The TypeScript cannot be read"}${advice}`,
      file,
      ...(typeof problem.startLine === "number" ? { line: problem.startLine } : {}),
      ...(typeof problem.startColumn === "number" ? { column: problem.startColumn + 1 } : {}),
    };
  }
}

const FRAME = /file:\/\/\/\$plugin\/([^\s():]+)(?::(\d+)(?::(\d+))?)?/g;

/** Rewrites a guest stack to the author's file names and columns, and drops the generated and prelude frames. */
export function authorStack(stack: string, files: ReadonlyMap<string, Uint8Array>): string {
  return stack
    .split("\n")
    .filter((line) => !line.includes("(load)") && !line.includes("bascule:prelude") && !/\(native\)\s*$/.test(line))
    .map((line) =>
      line.replace(FRAME, (_all, file: string, row: string | undefined, column: string | undefined) =>
        authorPosition(file, row, column, files),
      ),
    )
    .join("\n")
    .trimEnd();
}

function authorPosition(file: string, row: string | undefined, column: string | undefined, files: ReadonlyMap<string, Uint8Array>): string {
  const name = fileOf(PLUGIN_ROOT + file) ?? file;
  if (row === undefined) return name;
  if (column === undefined) return `${name}:${row}`;
  const shifted = row === "1" && hasMeta(files.get(name)) ? Math.max(1, Number(column) - metaPrefix(name).length) : Number(column);
  return `${name}:${row}:${shifted}`;
}

function hasMeta(bytes: Uint8Array | undefined): boolean {
  return bytes !== undefined && new TextDecoder().decode(bytes).includes("import.meta");
}

/** Where a stack's first frame in the plugin points; for load faults. */
export function firstPosition(stack: string): Pick<LoadFault, "file" | "line" | "column"> {
  const match = /([^\s()]+?):(\d+)(?::(\d+))?\)?\s*$/m.exec(stack);
  if (match === null || match[1] === undefined) return {};
  return { file: match[1], line: Number(match[2]), ...(match[3] === undefined ? {} : { column: Number(match[3]) }) };
}
