/** Loads bundled packages in the sandbox, to check that a plugin can import them and to read what they export. */

import { DEFAULT_LIMITS, isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { createSandbox, type LoadFault, type Sandbox } from "../../../sandbox/mod.ts";
import { PROBE } from "../../platform/bundling/bundler-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { VENDOR_FOLDER } from "../folder/vendored.ts";

/** Bundled files and their source maps by name. */
interface Bundled {
  readonly files: ReadonlyMap<string, string>;
  readonly maps: ReadonlyMap<string, string>;
}

/** A package's exports as the sandbox sees them. */
export interface Exports {
  /** Names that the bundle lacks although the package has them: those of CommonJS modules. */
  readonly names: readonly string[];
  readonly hasDefault: boolean;
  /** Exports that throw when they are read. */
  readonly unreadable: readonly { readonly name: string; readonly message: string }[];
}

type Tried = { readonly ok: true; readonly exports: Exports } | { readonly ok: false; readonly message: string };

/** A sandbox in which bundles are tried, one after the other. */
export interface Trial extends AsyncDisposable {
  /** Imports `<output>.js` and reads each of its exports. */
  load(output: string, bundled: Bundled): Promise<Tried>;
}

export function createTrial(platform: Pick<Platform, "workers" | "log">): Trial {
  const sandbox = createSandbox(platform.workers, { maximumWorkers: 1, onDefect: (message) => platform.log.write("error", message) });
  return {
    load: (output, bundled) => load(sandbox, output, bundled),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const MAIN = "main.js";
/** Names that an import can use; a package may have others. */
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]{0,200}$/u;

async function load(sandbox: Sandbox, output: string, bundled: Bundled): Promise<Tried> {
  const texts = new Map([[MAIN, mainSource(output)]]);
  for (const [file, text] of bundled.files) texts.set(VENDOR_FOLDER + file, `${text}\n//# sourceMappingURL=${file}.map\n`);
  for (const [file, text] of bundled.maps) texts.set(VENDOR_FOLDER + file, withNearSources(text));
  const digest = await sha256Hex(JSON.stringify([...texts]));
  const encoder = new TextEncoder();
  const loaded = await sandbox.load({
    name: output,
    digest,
    files: new Map([...texts].map(([path, text]) => [path, encoder.encode(text)])),
    modules: new Map([[MAIN, ["look"]]]),
    memoryBytes: DEFAULT_LIMITS.memoryBytes,
    loadMs: DEFAULT_LIMITS.loadMs,
  });
  if (!loaded.ok) return { ok: false, message: faultText(loaded.fault) };
  try {
    const outcome = await sandbox.invoke({
      ...{ callId: "vendor", digest, module: MAIN, export: "look", args: {}, contextText: "{}", limits: DEFAULT_LIMITS },
      hostCall: () => Promise.resolve({ ok: false, error: { name: "NotCapable", message: "Nothing is granted while a package is tried" } }),
      onLogs: () => {},
      signal: new AbortController().signal,
    });
    if (!outcome.ok) return { ok: false, message: `its exports cannot be read (${outcome.fault.kind})` };
    // Text above 64 KB crosses as bytes.
    const large = outcome.parts?.find((part) => part.at === "output");
    const given = isJsonObject(outcome.output) ? outcome.output["o"] : undefined;
    return { ok: true, exports: toExports(large === undefined ? textOf(given) : new TextDecoder().decode(large.bytes)) };
  } finally {
    sandbox.unload(digest);
  }
}

/** The module that imports a package. Everything is read while it loads, because what a call does never becomes part of an image. */
function mainSource(output: string): string {
  return `import * as all from "./${VENDOR_FOLDER}${output}.js";
const own = Object.keys(all);
const inner = "${PROBE}" in all ? all.${PROBE} : all;
const has = new Set(own);
const names = Object.keys(inner).filter((name) => !has.has(name) && name !== "__esModule" && ${String(IDENTIFIER)}.test(name));
const unreadable = [];
const read = (from, name) => {
  try {
    void from[name];
    return true;
  } catch (error) {
    unreadable.push([name, String(error).slice(0, 300)]);
    return false;
  }
};
for (const name of own) void all[name];
const readable = names.filter((name) => read(inner, name));
for (const name of names) has.add(name);
const main = all.default;
if (typeof main === "object" && main !== null && main !== inner) for (const name of Object.keys(main)) if (!has.has(name)) read(main, name);
const found = JSON.stringify([readable, "default" in inner, unreadable.slice(0, 20)]);
export const look = () => found;
`;
}

function toExports(text: string): Exports {
  // Written by the module above; a package may have replaced \`JSON\`, so nothing is assumed of its shape.
  const document = tryJson(text);
  const [names, hasDefault, unreadable] = isJsonArray(document) ? document : [];
  return {
    names: isJsonArray(names) ? names.filter((name) => typeof name === "string").filter((name) => IDENTIFIER.test(name)) : [],
    hasDefault: hasDefault === true,
    unreadable: (isJsonArray(unreadable) ? unreadable : []).map((pair) => {
      const [name, message] = isJsonArray(pair) ? pair : [];
      return { name: textOf(name), message: textOf(message) };
    }),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns the map with sources inside the plugin's folder, because the sandbox shows no others. */
function withNearSources(text: string): string {
  const map = tryJson(text);
  const sources = isJsonObject(map) ? map["sources"] : undefined;
  if (!isJsonObject(map) || !isJsonArray(sources)) return text;
  const near = sources.map(
    (source) =>
      `../${textOf(source)
        .replace(/^.*node_modules\//s, "node_modules/")
        .replace(/^(?:\.\.\/)+/, "")}`,
  );
  return JSON.stringify({ ...map, sources: near });
}

/** Names the first position in a package, because a missing module throws from its replacement. */
function faultText({ message, file, line, column, stack = "" }: LoadFault): string {
  const places = [file === undefined || line === undefined ? "" : `${file}:${String(line)}:${String(column ?? 1)}`, stack];
  const [place] = places.flatMap((text) => /\bnode_modules\/[^\s()]+:\d+:\d+/.exec(text)?.[0] ?? []);
  return place === undefined ? message : `${message} (${place})`;
}
