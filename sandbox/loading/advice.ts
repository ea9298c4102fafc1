/** Advice for plugin authors: what to write instead of something that plugins do not support. No decision depends on it. */

/** Returns advice on an import that cannot be resolved. */
export function adviceOnName(specifier: string, nodeModules: readonly string[], files: ReadonlyMap<string, Uint8Array>): string {
  if (/^https?:/.test(specifier)) {
    const named = packageOfUrl(specifier);
    return named === undefined
      ? 'a plugin imports its own files only; copy the module into the plugin and import it by a path that starts with "./"'
      : `a plugin imports nothing from the web; write "${named}", and \`bascule vendor\` adds it`;
  }
  if (specifier.startsWith("node:") && nodeModules.length > 0)
    return `a plugin has no "${specifier}" (it has ${nodeModules.join(", ")}); use what the web and Deno have`;
  // The Node modules are only loaded if a file of the plugin names one.
  if (specifier.startsWith("node:")) return `a plugin imports its own files only, and Node modules that one of its files names`;
  if (nodeModules.includes(`node:${specifier}`) || NODE_NAMES.test(specifier)) return `write "node:${specifier}"`;
  if (/^(?:npm|jsr):/.test(specifier)) return "it is not in the plugin; run `bascule vendor` to add it";
  const name = PACKAGE.exec(specifier)?.[0] ?? specifier;
  const listed = listedInDeno(name, files);
  if (listed !== undefined) return `"${listed}" is not in the plugin; run \`bascule vendor\` to add it`;
  return `a plugin imports its own files only; \`bascule vendor <plugin> --add ${sourceOf(name)}${name}\` adds the package, and \`bascule vendor\` those that deno.json or package.json lists`;
}

/** Returns the package behind the address of a module on a well-known server; undefined for other addresses. */
export function packageOfUrl(url: string): string | undefined {
  const [, std] = /^https:\/\/deno\.land\/std(?:@[\w.-]+)?\/([a-z0-9_]+)\//.exec(url) ?? [];
  if (std !== undefined) return `jsr:@std/${std.replaceAll("_", "-")}`;
  const [, jsr] = /^https:\/\/(?:esm\.sh\/)?jsr(?:\.io)?\/(@[\w-]+\/[\w-]+(?:@[\w.^~-]+)?)/.exec(url) ?? [];
  if (jsr !== undefined) return `jsr:${jsr}`;
  const [, npm] = NPM_URL.exec(url) ?? [];
  return npm === undefined ? undefined : `npm:${npm}`;
}

const NPM_URL =
  /^https:\/\/(?:esm\.sh|unpkg\.com|cdn\.skypack\.dev|cdn\.jsdelivr\.net\/npm)\/(?!jsr\/)((?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~-]+)?)(?:[/?+]|$)/;

/** The package part of an import, without a path inside the package. */
const PACKAGE = /^(?:@[^/@]+\/)?[^/@]+/;

const NODE_NAMES = /^(?:assert|buffer|events|fs|http|https|os|path|process|url|util)(?:\/|$)/;

/** Returns the registry of a package. Deno's standard library is on JSR; npm has other packages by some of its names. */
function sourceOf(name: string): "jsr:" | "npm:" {
  return name.startsWith("@std/") ? "jsr:" : "npm:";
}

const MAX_CONFIG_BYTES = 64 * 1024;

/**
 * Returns a package as the plugin's `deno.json` lists it, such as `jsr:@std/path@^1`. Searched as text, because the file may contain
 * comments.
 */
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

/** Returns advice to append to an error's message: what to write instead of a name that other runtimes have. Empty for other errors. */
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

/** Returns advice to append to a compiler's message about a text, from the line that the message names. */
export function adviceOnSyntax(text: string, line: number | undefined): string {
  const written = line === undefined ? "" : (text.split("\n", line)[line - 1] ?? "").slice(0, 1_000);
  const [, name] = /\bfunction\s*\*?\s*([\w$]+(?:-[\w$]+)+)/.exec(written) ?? [];
  if (name !== undefined) return ` (a function's name cannot contain "-": ${renamed(name)})`;
  const isMarkup = /(?:^|return|=>|[=(,:?&|])\s*\(?\s*<(?:>|[A-Za-z][\w.-]*(?:[\s/>]|$))/.test(written) && /<\/[\w.-]*\s*>|\/>/.test(text);
  return isMarkup ? " (JSX is not supported: call functions instead, or compile it; `bascule pack` compiles .tsx and .jsx)" : "";
}

/** Returns how to export a tool whose name is not a valid function name. */
export function renamed(tool: string): string {
  const camel = tool.replace(/-+([\w$])/g, (_all, letter: string) => letter.toUpperCase());
  return `name it ${camel}, and write "export": "${camel}" for the tool in the manifest`;
}
