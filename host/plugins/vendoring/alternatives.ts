/** Known alternatives for packages and APIs that do not work in a plugin. Advice only: no decision depends on it. */

/** Returns what to use in place of a Node module that plugins do not have; undefined for other names. @param name without "node:" */
export function alternativeToModule(name: string): string | undefined {
  return APIS.find(([pattern]) => pattern.test(`node:${name}`))?.[1];
}

/** @param name the package. @param message why it does not load */
export function alternativesTo(name: string, message: string): readonly string[] {
  const own = PACKAGES.get(name);
  const instead = own ?? APIS.find(([pattern]) => pattern.test(message))?.[1];
  return [instead ?? "another version, or a package for browsers or Deno"];
}

const FETCH = "fetch, with `permissions.net` in the manifest";
const FILES = "Deno.readTextFile and the other functions of Deno, with `permissions.read` and `write` in the manifest";
const DATABASE = "an MCP server of the database as a source of tools, or its HTTP API with fetch";
const DOM = "linkedom, cheerio or parse5, which need no browser";

const PACKAGES: ReadonlyMap<string, string> = new Map([
  ...["node-fetch", "cross-fetch", "got", "request", "superagent", "undici"].map((name) => [name, FETCH] as const),
  ...["fs-extra", "graceful-fs", "mkdirp", "rimraf"].map((name) => [name, FILES] as const),
  ...["mongodb", "mysql", "mysql2", "pg", "redis", "ioredis", "sqlite3", "better-sqlite3"].map((name) => [name, DATABASE] as const),
  ["bcrypt", "bcryptjs"],
  ["argon2", "crypto.subtle with PBKDF2, or @noble/hashes"],
  ["jsdom", DOM],
  ["node-sass", "sass"],
]);

/** Patterns in the message of a load, in order. */
const APIS: readonly (readonly [RegExp, string])[] = [
  [/Loading takes more than/, 'a smaller package, or only a sub-path of this one, as in "npm:name@1/sub-path"'],
  [/'(?:document|window|HTMLElement|Element|DOMParser|XMLSerializer)' is not defined/, DOM],
  [/'XMLHttpRequest' is not defined|node:https?\b|node:http2/, FETCH],
  [/WebAssembly|\.wasm/, "a version of it in JavaScript only: the sandbox has no WebAssembly"],
  [/\.node"|node-gyp|bindings|prebuil/, "a package without native code"],
  [/node:fs\b/, FILES],
  [/node:child_process/, "a tool that the user lists as trusted: a plugin cannot start processes"],
  [/node:(?:net|tls|dgram|dns)/, FETCH],
  [/node:worker_threads|node:cluster/, "several calls: a plugin has one thread"],
  [/node:zlib/, "CompressionStream and DecompressionStream, or fflate"],
  [/node:crypto/, "crypto.subtle, or @noble/hashes"],
];
