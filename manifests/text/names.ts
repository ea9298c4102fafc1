/** The grammar of names, and the public names derived from them (SPEC M5, R2). */

import { sha256 } from "./sha256.ts";

/** Maximum length of a public name for every model API. */
const EXPORT_NAME_LENGTH = 64;
const PLUGIN_NAME_LENGTH = 63;
const TOOL_NAME_LENGTH = 64;

const PLUGIN_NAME = /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;
const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/** Prefixes by `confusableKey` that models use for other tools. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ["mcp", "tools of MCP servers are exported under it"],
  ["tool", "names that would be equal are exported under it"],
]);

/** Returns why `name` cannot name a plugin, or undefined if it can. */
export function checkPluginName(name: string): string | undefined {
  if (name === "") return "A plugin name has at least one letter";
  if (name.length > PLUGIN_NAME_LENGTH) return `A plugin name has at most ${PLUGIN_NAME_LENGTH} characters, this one has ${name.length}`;
  const reserved = RESERVED.get(confusableKey(name));
  if (reserved !== undefined) return `Plugin name "${printable(name)}" is reserved: ${reserved}`;
  if (name.includes("__")) return `Plugin name "${printable(name)}" contains "__", which separates plugin and tool in public names`;
  if (PLUGIN_NAME.test(name)) return undefined;
  return `Plugin name "${printable(name)}" does not start with a lower-case letter followed by lower-case letters, digits and single "_" or "-" between them`;
}

/** Returns why `name` cannot name a tool, or undefined if it can. */
export function checkToolName(name: string): string | undefined {
  if (name === "") return "A tool name has at least one letter";
  if (name.length > TOOL_NAME_LENGTH) return `A tool name has at most ${TOOL_NAME_LENGTH} characters, this one has ${name.length}`;
  if (TOOL_NAME.test(name)) return undefined;
  return `Tool name "${printable(name)}" does not start with a letter followed by letters, digits, "_" or "-"`;
}

/**
 * Returns a key that is equal for names that look alike: case, `1 l I i`, `0 O`, `rn m`, `vv w`, `_ -`, and Cyrillic and Greek
 * letters that look Latin. Names with equal keys must not be used side by side.
 */
export function confusableKey(name: string): string {
  const folded = Array.from(name.normalize("NFKC").toLowerCase(), (letter) => LOOK_ALIKES.get(letter) ?? letter).join("");
  return folded.replaceAll("rn", "m").replaceAll("vv", "w");
}

/** Returns `plugin.tool`, the name that is valid everywhere. */
export function qualifiedName(plugin: string, tool: string): string {
  return `${plugin}.${tool}`;
}

/**
 * Returns `plugin__tool`, for exports that allow no dot: at most 64 characters of `[a-zA-Z0-9_-]`, different for every pair.
 *
 * A plugin name contains no `__` and a tool name starts with a letter, so the first `__` divides a whole name. Above 64
 * characters a digit, 130 bits of SHA-256 and the start of the tool name follow it, which no whole name can be.
 */
export function exportName(plugin: string, tool: string): string {
  const whole = `${plugin}__${tool}`;
  if (whole.length <= EXPORT_NAME_LENGTH) return whole;
  const start = plugin.slice(0, 16).replace(/[_-]+$/, "");
  return `${start}__0${base32(sha256(qualifiedName(plugin, tool)), 26)}_${tool.slice(0, 18)}`;
}

/**
 * Escapes everything but printable ASCII in `name` and cuts it at 80 characters, for messages. Also escapes `; `, which separates
 * the advice of a reason.
 */
export function printable(name: string): string {
  const cut = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return cut.replace(/[^\x20-\x7e…]|;(?= )/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function base32(bytes: Uint8Array, length: number): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5 && text.length < length; bits -= 5) text += alphabet[(buffer >> (bits - 5)) & 31] ?? "";
  }
  return text;
}

// Pairs of look-alike and original; keys are lower case, because the name was folded before.
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    "1l",
    "il",
    "|l",
    "!l",
    "0o",
    "-_",
    "\u2010_",
    "\u2011_",
    "\u2012_",
    "\u2013_",
    "\u2014_",
    "\u2212_",
    // Cyrillic
    "\u0430a",
    "\u0432b",
    "\u0435e",
    "\u0451e",
    "\u043dh",
    "\u0456l",
    "\u0457l",
    "\u0458j",
    "\u043ak",
    "\u04cfl",
    "\u04c0l",
    "\u043cm",
    "\u043eo",
    "\u0440p",
    "\u0455s",
    "\u0442t",
    "\u0443y",
    "\u0445x",
    "\u0441c",
    "\u0501d",
    "\u051bq",
    "\u051dw",
    "\u04bbh",
    "\u044cb",
    "\u0433r",
    "\u043fn",
    "\u0438u",
    // Greek
    "\u03b1a",
    "\u03b2b",
    "\u03b5e",
    "\u03b6z",
    "\u03b7n",
    "\u03b9l",
    "\u03bak",
    "\u03bcu",
    "\u03bdv",
    "\u03bfo",
    "\u03c1p",
    "\u03c3o",
    "\u03c4t",
    "\u03c5u",
    "\u03c7x",
    "\u03c9w",
    "\u03b3y",
    "\u03f2c",
    // Latin letters that keep their own code point under NFKC
    "\u0131l",
    "\u0237j",
    "\u0261g",
    "\u0251a",
    "\u01c0l",
    "\u0269l",
    "\u026al",
  ].map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
