/** Items that Deno accepts, and the reasons for bascule's different answers, by name (SPEC PA9). */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import fc from "fast-check";
import { canonicalHost, checkItem, type DenoKind } from "../../manifests/mod.ts";
import type { Descriptor } from "./policy.ts";

/** One item of one kind. */
export type Item = readonly [kind: DenoKind, text: string];

const FIELDS: Readonly<Record<DenoKind, string>> = {
  read: "path",
  write: "path",
  net: "host",
  env: "variable",
  sys: "kind",
  run: "command",
  ffi: "path",
  import: "host",
};

/**
 * Deno parses a worker's permissions in order, so an invalid item after the tested one shows whether it was reached, and no
 * worker is ever started.
 */
const SCRIPT = `const items = JSON.parse(Deno.readTextFileSync("items.json"));
console.log(JSON.stringify(items.map(([kind, text]) => {
  const [later, marker] = kind === "sys" || kind === "run"
    ? [{ ffi: [""] }, "Empty path is not allowed"]
    : [{ sys: ["nonsense"] }, 'unknown system info kind "nonsense"'];
  let isItem = false;
  try {
    new Worker("data:application/javascript,", { type: "module", deno: { permissions: { [kind]: [text], ...later } } }).terminate();
  } catch (error) {
    isItem = error.message === marker;
  }
  return isItem;
})));
`;

/** Returns which texts the binary accepts as items, in one process. The empty text is itself the marker for `ffi` and `run`. */
export async function acceptedByDeno(items: readonly Item[], folder: string): Promise<readonly boolean[]> {
  await writeFile(`${folder}/items.json`, JSON.stringify(items));
  await writeFile(`${folder}/read-items.mjs`, SCRIPT);
  const deno = `${import.meta.dirname}/../../node_modules/.bin/deno`;
  const { stdout } = await promisify(execFile)(
    deno,
    ["run", "-A", "--quiet", "--no-config", "--unstable-worker-options", "read-items.mjs"],
    {
      cwd: folder,
      timeout: 60_000,
      maxBuffer: 256 * 1024 * 1024,
      env: { PATH: "", HOME: folder, DENO_DIR: `${folder}/.deno`, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    },
  );
  return JSON.parse(stdout) as readonly boolean[];
}

/** Returns the same text as a query. */
export function toDescriptor([kind, text]: Item): Descriptor {
  return { name: kind, [FIELDS[kind]]: text };
}

/** Returns true if a manifest accepts the item. */
export function isItemOfBascule([kind, text]: Item): boolean {
  return checkItem(kind, text) === undefined;
}

/** Returns the name of the reason why only one of Deno and bascule accepts an item; undefined for a defect. */
export function nameGrammarDifference(item: Item, isItemOfDeno: boolean): string | undefined {
  const known = isItemOfDeno ? REFUSED : ADDED;
  return known.find(({ explains }) => explains(item))?.id;
}

interface GrammarDifference {
  readonly id: string;
  readonly explains: (item: Item) => boolean;
}

const isPath = (kind: DenoKind): boolean => kind === "read" || kind === "write" || kind === "ffi";
const isHost = (kind: DenoKind): boolean => kind === "net" || kind === "import";
const hostOf = (text: string): string => text.replace(/:[+0-9]*$/, "");

/** Deno accepts it, bascule refuses it with advice. */
export const REFUSED: readonly GrammarDifference[] = [
  { id: "hidden-text", explains: ([, text]) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) },
  {
    id: "path-patterns",
    explains: ([kind, text]) => (isPath(kind) || (kind === "run" && text.includes("/"))) && /[[\]{}\\*]|^!|^~(?:\/|$)/.test(text),
  },
  { id: "run-patterns", explains: ([kind, text]) => kind === "run" && /[*?]/.test(text) },
  { id: "path-tokens", explains: ([kind, text]) => (isPath(kind) || kind === "run") && text.startsWith("$") },
  { id: "variable-names", explains: ([kind, text]) => kind === "env" && /=|\*./.test(text) },
  { id: "host-spelling", explains: ([kind, text]) => isHost(kind) && isAddressInDisguise(hostOf(text)) },
  {
    id: "host-names",
    explains: ([kind, text]) => isHost(kind) && (canonicalHost(hostOf(text).replace(/^\*\./, "")) === undefined || text.length > 300),
  },
];

/** Bascule accepts it, Deno does not. */
export const ADDED: readonly GrammarDifference[] = [
  { id: "idna", explains: ([kind, text]) => isHost(kind) && /[^\x00-\x7f]/.test(text) },
  { id: "ipv6-blocks", explains: ([kind, text]) => isHost(kind) && text.includes(":") && text.includes("/") },
];

function isAddressInDisguise(host: string): boolean {
  const canonical = canonicalHost(host.replace(/^\*\./, ""));
  return canonical !== undefined && /^[\d.]+$/.test(canonical) && !host.includes("[");
}

const PIECES: Readonly<Record<"host" | "path" | "variable" | "sys" | "run", readonly string[]>> = {
  host: [
    ..."aB1-_.:%/@#*+ []=?",
    ...["..", "*.", "::", "::1", "[::1]", "[fe80::1%eth0]", "10.0.0.1", "255.255.255.256", "/8", "/08", "/33", ":80", ":+80", ":65536"],
    ...[
      ":0080",
      "http://",
      "https://",
      "unix:",
      "unix:/",
      "vsock:",
      "vsock:1:2",
      "localhost",
      "xn--",
      "ü",
      "127.1",
      "0x7f",
      "ffff:",
      "\u202e",
    ],
  ],
  path: [..."ab.*?![]{}~\\$,- ", "/", "/", "..", "./", "**", "$plugin", "$x", "ü", "\u0007"],
  variable: [..."AB_*=- .%", "ü", "\u200b"],
  sys: ["hostname", "userInfo", "username", "Hostname", "uid", "ca", " ", "setegid", "cpus", "x"],
  run: [..."ab.*?/~$ -", "git", "./", "[", "é"],
};

/** Random texts of a kind, similar to valid ones. */
export const anyItem: fc.Arbitrary<Item> = fc.oneof(
  { arbitrary: textOf("host", "net"), weight: 6 },
  { arbitrary: textOf("host", "import"), weight: 1 },
  { arbitrary: textOf("path", "read"), weight: 2 },
  { arbitrary: textOf("path", "ffi"), weight: 1 },
  { arbitrary: textOf("variable", "env"), weight: 1 },
  { arbitrary: textOf("sys", "sys"), weight: 1 },
  { arbitrary: textOf("run", "run"), weight: 1 },
);

function textOf(pieces: keyof typeof PIECES, kind: DenoKind): fc.Arbitrary<Item> {
  return fc.array(fc.constantFrom(...PIECES[pieces]), { minLength: 1, maxLength: 6 }).map((parts) => [kind, parts.join("")]);
}
