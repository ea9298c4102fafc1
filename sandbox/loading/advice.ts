/** Advice for a plugin's author on what to write in place of what a plugin cannot have. No decision depends on it. */

/** Advice on what to write in place of a name that leads nowhere. */
export function adviceOnName(specifier: string, nodeModules: readonly string[], files: ReadonlyMap<string, Uint8Array>): string {
  if (/^https?:/.test(specifier))
    return 'a plugin imports its own files only; copy the module into the plugin and import it by a path that starts with "./"';
  if (specifier.startsWith("node:") && nodeModules.length > 0)
    return `a plugin has no "${specifier}" (it has ${nodeModules.join(", ")}); use what the web and Deno have`;
  // They come with plugins whose files name one.
  if (specifier.startsWith("node:")) return `a plugin imports its own files only, and of Node's modules those that a file of it names`;
  if (nodeModules.includes(`node:${specifier}`) || NODE_NAMES.test(specifier)) return `write "node:${specifier}"`;
  const [, source, name = specifier, version = ""] = PACKAGE.exec(specifier) ?? [];
  const wanted = (source === undefined ? listedInDeno(name, files) : undefined) ?? `${source ?? sourceOf(name)}${name}${version}`;
  return `a plugin imports its own files only; \`bascule vendor <plugin> --add ${wanted}\` brings the package along, and it is imported as "${name}"`;
}

/** A package as it is named in an import, whatever of it is meant. */
const PACKAGE = /^(npm:|jsr:)?\/?((?:@[^/@]+\/)?[^/@]+)(@[^/]+)?/;

const NODE_NAMES = /^(?:assert|buffer|events|fs|http|https|os|path|process|url|util)(?:\/|$)/;

/** Deno's standard library is on JSR; npm has other packages by some of these names. */
function sourceOf(name: string): "jsr:" | "npm:" {
  return name.startsWith("@std/") ? "jsr:" : "npm:";
}

const MAX_CONFIG_BYTES = 64 * 1024;

/** A package as the plugin's `deno.json` lists it, such as `jsr:@std/path@^1`. Searched as text: comments may be in it. */
function listedInDeno(name: string, files: ReadonlyMap<string, Uint8Array>): string | undefined {
  const bytes = files.get("deno.json") ?? files.get("deno.jsonc");
  if (bytes === undefined || bytes.length > MAX_CONFIG_BYTES) return undefined;
  const text = new TextDecoder().decode(bytes);
  const written = JSON.stringify(name);
  for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + 1)) {
    const listed = /^\s*:\s*"((?:npm|jsr):[\w@/.^~<>=*+-]{1,200})"/.exec(text.slice(at + written.length, at + written.length + 300));
    if (listed !== null) return listed[1];
  }
  return undefined;
}

/** Behind the message of an error that was thrown: what to write in place of a name that other runtimes have. Empty for any other. */
export function adviceOnReference(name: string, message: string): string {
  const wanted = name === "ReferenceError" ? (/^'([\w$]+)' is not defined$/.exec(message)?.[1] ?? "") : "";
  const instead = ELSEWHERE.get(wanted);
  return instead === undefined ? "" : ` (write ${instead})`;
}

const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["process", '`import process from "node:process"`'],
  ["Buffer", '`import { Buffer } from "node:buffer"`'],
  ["global", "`globalThis`"],
  ["require", "`import`: a plugin's modules are ECMAScript modules"],
  ["module", "`export`: a plugin's modules are ECMAScript modules"],
  ["exports", "`export`: a plugin's modules are ECMAScript modules"],
  ["__dirname", "`import.meta.dirname`"],
  ["__filename", "`import.meta.filename`"],
]);

/** The same behind what a compiler says of a text, by the line that it names. */
export function adviceOnSyntax(text: string, line: number | undefined): string {
  const written = line === undefined ? "" : (text.split("\n", line)[line - 1] ?? "").slice(0, 1_000);
  const [, name] = /\bfunction\s*\*?\s*([\w$]+(?:-[\w$]+)+)/.exec(written) ?? [];
  if (name !== undefined) return ` (a function's name holds no "-": ${renamed(name)})`;
  const isMarkup = /(?:^|return|=>|[=(,:?&|])\s*\(?\s*<(?:>|[A-Za-z][\w.-]*(?:[\s/>]|$))/.test(written) && /<\/[\w.-]*\s*>|\/>/.test(text);
  return isMarkup
    ? " (JSX is not read: call functions that make what it stands for, or compile it; `bascule pack` does so for .tsx and .jsx)"
    : "";
}

/** How a tool whose name is no name of a function is bound to one. */
export function renamed(tool: string): string {
  const camel = tool.replace(/-+([\w$])/g, (_all, letter: string) => letter.toUpperCase());
  return `name it ${camel}, and write "export": "${camel}" for the tool in the manifest`;
}
