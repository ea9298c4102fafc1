/**
 * A plugin's own modules: resolves imports and returns source for the engine (SPEC B7).
 *
 * Modules are named `file:///$plugin/<path>`, independent of the plugin's real path, so that an image depends only on the plugin's bytes.
 */

import { adviceOnName } from "./advice.ts";
import { type Compiled, compileModule, type Compiler, loadCompiler, type ModuleFault } from "./compile.ts";
import type { LoadFault } from "../wire/fault.ts";
import type { GuestThrow } from "../engine/guest-host.ts";
import { type ImportMap, readImportMap } from "./import-map.ts";
import { LOOP_MODULE } from "./lower-loops.ts";
import { TEXT_QUERY, USING_MODULE } from "./lower-using.ts";
import { type Place, placeOfText, type Position, SAME_PLACE } from "./positions.ts";
import { createSourceMaps } from "./source-maps.ts";

const PLUGIN_ROOT = "file:///$plugin/";
/** Name of the generated module that imports a plugin's entry modules. No file can have this name. */
export const ENTRY_MODULE: string = `${PLUGIN_ROOT}(load)`;

/** The modules of one plugin version. */
export interface ModuleTable {
  /** Returns the source of a resolved name, or the message to throw into the guest. */
  source(name: string): string | GuestThrow;
  /** Resolves `specifier` as imported by `base`. */
  resolve(base: string, specifier: string): string | GuestThrow;
  /** Converts a guest's stack to the author's file names and positions. Removes generated frames and those of the prelude. */
  authorStack(stack: string): string;
  /** The first problem that occurred. */
  readonly fault: ModuleFault | undefined;
}

/** Implements `import.meta.resolve`. Already loaded by the prelude. */
const META_MODULE = "bascule:prelude/import-meta.ts";
/** Runs the tests of `bascule test`. */
const TEST_MODULE = "bascule:prelude/test-run.ts";
/** The prelude's modules that generated code imports. */
const OWN_MODULES: ReadonlySet<string> = new Set([META_MODULE, TEST_MODULE, LOOP_MODULE, USING_MODULE]);
/** Prefix of the replacements of Node's modules. */
const NODE_ROOT = "bascule:";

const DECLARATIONS = /\.d\.[cm]?ts$/;
const MODULE_SUFFIXES = [".ts", ".js", ".mjs", "/mod.ts", "/index.ts"];

/** @param compiler result of `loadCompiler` for the same files */
export function createModuleTable(files: ReadonlyMap<string, Uint8Array>, compiler: Compiler): ModuleTable {
  const imports = readImportMap(files);
  const { nodeModules = {} } = compiler;
  const compiled = new Map<string, Compiled | ModuleFault>();
  const sourceMaps = createSourceMaps(files);
  let fault: ModuleFault | undefined;
  let unresolved: GuestThrow | undefined;

  function refuse(problem: ModuleFault): GuestThrow {
    fault ??= problem;
    const place = problem.line === undefined ? "" : ` (${problem.file}:${problem.line}:${problem.column ?? 1})`;
    return { throws: `${problem.message}${place}` };
  }

  function refuseName(specifier: string, importer: string, why: string): GuestThrow {
    const message = `Cannot import "${specifier}" from "${importer}": ${why}`;
    unresolved = refuse({
      kind: "import",
      message,
      file: importer,
      ...placeOfText(specifier, new TextDecoder().decode(files.get(importer))),
    });
    return unresolved;
  }

  function compileOnce(file: string, bytes: Uint8Array): Compiled | ModuleFault {
    const known = compiled.get(file);
    if (known !== undefined) return known;
    const made = toCode(file, bytes, compiler, imports);
    compiled.set(file, made);
    return made;
  }

  function toAuthor(file: string, position: Position): Place {
    const bytes = files.get(file);
    const made = bytes === undefined ? undefined : compileOnce(file, bytes);
    const written = made === undefined || "kind" in made ? position : made.toAuthor(position);
    return sourceMaps(file, written) ?? written;
  }

  return {
    get fault() {
      return fault;
    },
    source(name) {
      // After a refused name the engine asks for the source of "", and only that exception reaches the guest.
      if (name === "" && unresolved !== undefined) return unresolved;
      const nodeModule = name.startsWith(NODE_ROOT) ? nodeModules[name.slice(NODE_ROOT.length)] : undefined;
      if (nodeModule !== undefined) return nodeModule;
      const file = fileOf(name);
      const bytes = file === undefined ? undefined : files.get(file);
      if (file === undefined || bytes === undefined)
        return refuse({ kind: "import", message: `Cannot load "${name}": no such file in the plugin` });
      const made = name.endsWith(TEXT_QUERY) ? textModule(file, bytes) : compileOnce(file, bytes);
      if ("kind" in made) return refuse(made);
      for (const specifier of made.elided ?? []) {
        const target = this.resolve(name, specifier);
        if (typeof target !== "string") return target;
      }
      return made.code;
    },
    resolve(base, specifier) {
      if (OWN_MODULES.has(specifier)) return specifier;
      const importer = fileOf(base) ?? "the plugin";
      const query = specifier.endsWith(TEXT_QUERY) ? TEXT_QUERY : "";
      const written = specifier.slice(0, specifier.length - query.length);
      const isPath = /^(\.\.?\/|file:|\/)/.test(written);
      const target = isPath ? undefined : imports.find(written);
      if (target?.kind === "not_vendored") {
        return refuseName(written, importer, `"${target.package}" is not in the plugin; run \`bascule vendor\` to add it`);
      }
      if (target === undefined && Object.hasOwn(nodeModules, written)) return NODE_ROOT + written;
      if (target === undefined && !isPath) return refuseName(written, importer, adviceOnName(written, Object.keys(nodeModules), files));
      const file = target?.file ?? fileOf(resolveUrl(written, base));
      if (file === undefined) return refuseName(written, importer, "it leads outside of the plugin");
      if (files.has(file)) return PLUGIN_ROOT + file + query;
      return refuseName(written, importer, adviceOnFile(file, written, files));
    },
    authorStack(stack) {
      return stack
        .split("\n")
        .filter((line) => !line.includes("(load)") && !line.includes("bascule:") && !/\(native\)\s*$/.test(line))
        .map((line) => line.replace(FRAME, (_all, ...place: readonly (string | undefined)[]) => authorPlace(place, toAuthor)))
        .join("\n")
        .trimEnd();
    },
  };
}

const FRAME = /file:\/\/\/\$plugin\/([^\s():]+)(?::(\d+)(?::(\d+))?)?/g;

function authorPlace(
  [path = "", line, column]: readonly (string | undefined)[],
  toAuthor: (file: string, position: Position) => Place,
): string {
  const inside = fileOf(PLUGIN_ROOT + path) ?? path;
  if (line === undefined) return inside;
  const place = toAuthor(inside, { line: Number(line), column: Number(column ?? 1) });
  const { file = inside } = place;
  return column === undefined ? `${file}:${place.line}` : `${file}:${place.line}:${place.column}`;
}

/** Returns a function that converts stacks of one plugin to its author's positions, outside of a worker. */
export async function createStackReader(files: ReadonlyMap<string, Uint8Array>): Promise<(stack: string) => string> {
  return createModuleTable(files, await loadCompiler(files, "load")).authorStack;
}

/** Target of an import, for callers other than the engine. */
export type ModuleTarget = { readonly file: string } | { readonly external: string } | { readonly refused: string };

/** Returns a function that resolves imports as the sandbox does, from an importing file's path and a name. */
export async function createModuleResolver(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<(importer: string, specifier: string) => ModuleTarget> {
  const table = createModuleTable(files, await loadCompiler(files, "load"));
  return (importer, specifier) => {
    const name = table.resolve(PLUGIN_ROOT + encodeURI(importer), specifier);
    if (typeof name !== "string") return { refused: name.throws };
    const file = fileOf(name);
    return file === undefined ? { external: name.slice(NODE_ROOT.length) } : { file };
  };
}

/** Returns the `node:` names of Node's modules that plugins can import. */
export async function nodeModuleNames(): Promise<ReadonlySet<string>> {
  return new Set(Object.keys((await import("./node-modules.gen.ts")).NODE_MODULES));
}

/** Returns the likely reason for importing a missing file, and what to write instead. */
function adviceOnFile(file: string, specifier: string, files: ReadonlyMap<string, Uint8Array>): string {
  if (DECLARATIONS.test(file)) return 'a declaration file contains no code (write "import type")';
  const meant = MODULE_SUFFIXES.find((suffix) => files.has(file + suffix) || files.has(file.replace(/\.js$/, "") + suffix));
  return meant === undefined ? "no such file in the plugin" : `write the whole file name ("${specifier.replace(/\.js$/, "")}${meant}")`;
}

/** Returns the module that loads every entry module and exports their namespaces as `m0`, `m1`, … */
export function entryModuleSource(modules: readonly string[]): string {
  return modules.map((file, index) => `export * as m${index} from ${JSON.stringify(`./${file}`)};`).join("\n");
}

/** Returns the path of the plugin's file behind a module name; undefined for other names. */
function fileOf(name: string): string | undefined {
  if (!name.startsWith(PLUGIN_ROOT)) return undefined;
  try {
    return decodeURIComponent(name.slice(PLUGIN_ROOT.length).replace(/[?#].*$/s, ""));
  } catch (error) {
    // Only a malformed percent escape throws, and no file has such a name.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function resolveUrl(specifier: string, base: string): string {
  return URL.canParse(specifier, base) ? new URL(specifier, base).href : "";
}

function toCode(file: string, bytes: Uint8Array, compiler: Compiler, imports: ImportMap): Compiled | ModuleFault {
  const text = toText(file, bytes);
  if (typeof text !== "string") return text;
  if (file.endsWith(".json")) return jsonModule(file, text);
  const wrong = adviceOnKind(file);
  if (wrong !== undefined) return { kind: "import", message: `Cannot import "${file}": ${wrong}`, file };
  const made = compileModule(file, text, compiler);
  if ("kind" in made || !made.code.includes("import.meta")) return made;
  const meta = metaText(file, made.code, imports);
  // Inserted on the first line, so that every line keeps its number.
  return {
    ...made,
    code: meta + made.code,
    toAuthor: ({ line, column }) => made.toAuthor({ line, column: line === 1 ? Math.max(1, column - meta.length) : column }),
  };
}

function adviceOnKind(file: string): string | undefined {
  if (/\.[jt]sx$/.test(file)) return "JSX is not supported; `bascule pack` makes a plugin of JavaScript of it";
  if (/\.c[jt]s$/.test(file)) return "a plugin's modules are ECMAScript modules; `bascule vendor` turns CommonJS packages into such";
  const extension = /\.[^./]+$/.exec(file)?.[0];
  // Snapshots of tests are modules.
  const isCode = extension === undefined || /^\.(?:m?[jt]s|snap)$/.test(extension);
  return isCode ? undefined : 'it is neither code nor JSON; for its text write `with { type: "text" }`';
}

function toText(file: string, bytes: Uint8Array): string | ModuleFault {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { kind: "syntax", message: `Cannot read "${file}": it is not UTF-8 text`, file };
  }
  return text.includes("\0") ? { kind: "syntax", message: `Cannot read "${file}": it contains a NUL character`, file } : text;
}

/** Returns code that fills `import.meta` as Deno does. `main` is false, because the host calls the plugin's functions. */
function metaText(file: string, code: string, imports: ImportMap): string {
  const url = JSON.stringify(PLUGIN_ROOT + encodeURI(file));
  const path = `/$plugin/${file}`;
  const folder = path.slice(0, path.lastIndexOf("/"));
  const resolve = /import\.meta(?:\.resolve|\[|\s*[,;)}])/.test(code)
    ? `import{createResolve as $bascule}from"${META_MODULE}";import.meta.resolve=$bascule(${url},${JSON.stringify(imports.entries)});`
    : "";
  return `${resolve}import.meta.url=${url};import.meta.filename=${JSON.stringify(path)};import.meta.dirname=${JSON.stringify(folder)};import.meta.main=false;`;
}

function textModule(file: string, bytes: Uint8Array): Compiled | ModuleFault {
  const text = toText(file, bytes);
  return typeof text === "string" ? { code: `export default ${JSON.stringify(text)};`, toAuthor: SAME_PLACE } : text;
}

function jsonModule(file: string, text: string): Compiled | ModuleFault {
  try {
    JSON.parse(text);
  } catch (error) {
    return { kind: "syntax", message: `Cannot parse "${file}": ${error instanceof Error ? error.message : "not JSON"}`, file };
  }
  // Parsed inside the guest, so that `__proto__` keys become own properties as in any engine.
  return { code: `export default JSON.parse(${JSON.stringify(text)});`, toAuthor: SAME_PLACE };
}

/** Returns the position of a stack's first frame in the plugin, for load faults. */
export function firstPosition(stack: string): Pick<LoadFault, "file" | "line" | "column"> {
  const match = /([^\s()]+?):(\d+)(?::(\d+))?\)?\s*$/m.exec(stack);
  if (match === null || match[1] === undefined) return {};
  return { file: match[1], line: Number(match[2]), ...(match[3] === undefined ? {} : { column: Number(match[3]) }) };
}
