/**
 * Divides an output above 64 KB in the worker: its large parts cross as bytes, so that the host's thread neither parses nor copies them
 * (SPEC LV2). The text is scanned once, and only short strings in it are parsed.
 */

import { checkValue, hasLoneSurrogate, type JsonSchema, type ValueError } from "../../../manifests/mod.ts";
import type { Fault } from "../../wire/fault.ts";
import type { OutputPart } from "../../wire/invocation.ts";
import { LARGE_BYTES, MAXIMUM_PARTS, parseGuestJson } from "../../wire/marshal.ts";

type DividedOutput =
  | {
      readonly ok: true;
      /** JSON text of the rest, at most 64 KB, wrapped as the prelude wraps an output. */
      readonly text: string;
      readonly parts: readonly OutputPart[];
      /** JSON text of the output value itself. */
      readonly output: string;
    }
  | { readonly ok: false; readonly fault: Fault };

/** Size above which parts cross as bytes. Strings in content blocks cross above `LONG_STRING`. In UTF-16 units of their JSON text. */
const LONG_PART = 1_024;
const LONG_STRING = 256;
/** Maximum number of paths in a tool's `filesModified`. */
const MOST_PATHS = 1_000;
const MOST_PATH_UNITS = 16_384;

const encoder = new TextEncoder();

/**
 * @param text `{"o":value}` or `{"t":parts}`. Well-formed JSON unless the guest has replaced its prelude; the host then rejects the
 * parts.
 */
export function divideOutput(text: string): DividedOutput {
  const end = text.length - 1;
  if (text.startsWith(PLAIN)) {
    const output = text.slice(PLAIN.length, end);
    return { ok: true, text: '{"o":null}', parts: [partOf("output", output)], output };
  }
  if (!text.startsWith(TOLD)) return notJson("The output is not what a tool returns");
  const parts: OutputPart[] = [];
  const rest: string[] = [];
  let output = "null";
  for (const { key, from, until } of itemsOf(text, TOLD.length - 1)) {
    if (key === '"output"') output = text.slice(from, until);
    if (key === '"content"') rest.push(`"content":[${[...dividedBlocks(text, from, parts)].join(",")}]`);
    else if (key === '"filesModified"') rest.push(`"filesModified":[${pathsIn(text, from)}]`);
    else if (until - from <= LONG_PART) rest.push(`${key}:${text.slice(from, until)}`);
    else if (key === '"output"' || key === '"metadata"') parts.push(partOf(key.slice(1, -1), text.slice(from, until)));
  }
  const left = `{"t":{${rest.join(",")}}}`;
  if (left.length > LARGE_BYTES || parts.length > MAXIMUM_PARTS) return notJson(TOO_MANY_BLOCKS);
  return { ok: true, text: left, parts, output };
}

/** The output as the host receives it, or the fault if there is none. */
interface ToldOutput {
  readonly output: string;
  readonly parts?: readonly OutputPart[];
  readonly problems?: readonly ValueError[];
  readonly fault?: Fault;
}

/** @param bytes length of `text` in UTF-8 */
export function toldOutput(text: string, bytes: number, schema: JsonSchema | undefined): ToldOutput {
  if (bytes <= LARGE_BYTES) return { output: text };
  const divided = divideOutput(text);
  if (!divided.ok) return { output: "", fault: divided.fault };
  const { text: output, parts } = divided;
  if (schema === undefined) return { output, parts };
  const value = parseGuestJson(divided.output, Infinity);
  // The depth was counted before. A guest that has replaced its prelude gains nothing: it gets the same fault as for an invalid output.
  if (value === undefined) return { output: "", fault: { kind: "not_json", message: "The output is not JSON" } };
  return { output, parts, problems: checkValue(schema, value) };
}

const PLAIN = '{"o":';
const TOLD = '{"t":{';
const TOO_MANY_BLOCKS = `The content has too many blocks for its size: in a result above ${LARGE_BYTES} bytes, at most ${MAXIMUM_PARTS} long strings, and ${LARGE_BYTES} bytes beside them (return fewer blocks)`;

function notJson(message: string): DividedOutput {
  return { ok: false, fault: { kind: "not_json", message } };
}

/** Yields the blocks with `""` in place of long strings. Members that no block type has are left out. */
function* dividedBlocks(text: string, at: number, parts: OutputPart[]): Generator<string> {
  let index = 0;
  for (const { from } of itemsOf(text, at)) {
    const members: string[] = [];
    for (const { key, from: begin, until } of itemsOf(text, from)) {
      if (!BLOCK_MEMBERS.has(key)) continue;
      const isLong = until - begin > LONG_STRING && LONG_MEMBERS.has(key);
      if (isLong) parts.push(partOf(`content/${index}/${key.slice(1, -1)}`, text.slice(begin, until)));
      members.push(`${key}:${isLong ? '""' : text.slice(begin, until)}`);
    }
    index++;
    yield `{${members.join(",")}}`;
  }
}

const LONG_MEMBERS: ReadonlySet<string> = new Set(['"data"', '"text"', '"blob"']);
const BLOCK_MEMBERS: ReadonlySet<string> = new Set([
  ...LONG_MEMBERS,
  ...["type", "mimeType", "uri", "name", "title", "description", "size", "icons", "annotations", "_meta", "resourceMeta"].map(
    (name) => `"${name}"`,
  ),
]);

function pathsIn(text: string, at: number): string {
  const paths: string[] = [];
  let left = MOST_PATH_UNITS;
  for (const { from, until } of itemsOf(text, at)) {
    left -= until - from;
    if (left < 0 || paths.length === MOST_PATHS) break;
    paths.push(text.slice(from, until));
  }
  return paths.join(",");
}

/** Encodes a string as its text, so that it can be read and cut without parsing. A string that UTF-8 cannot carry is encoded as JSON. */
function partOf(at: string, json: string): OutputPart {
  const value = json.startsWith('"') ? parseString(json) : undefined;
  return value === undefined ? { at, kind: "json", bytes: encoder.encode(json) } : { at, kind: "text", bytes: encoder.encode(value) };
}

function parseString(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" && !hasLoneSurrogate(value) ? value : undefined;
  } catch {
    // A guest that has replaced its prelude may send this. The host rejects text that is not JSON.
    return undefined;
  }
}

interface Item {
  /** JSON text of a member's name, quotes included; `""` for an item of a list. */
  readonly key: string;
  readonly from: number;
  readonly until: number;
}

/** Yields the members or items of the object or list that begins at `at`; nothing for other values. */
function* itemsOf(text: string, at: number): Generator<Item> {
  const isObject = text[at] === "{";
  if (!isObject && text[at] !== "[") return;
  let next = at + 1;
  while (next < text.length && text[next] !== "}" && text[next] !== "]") {
    const keyEnd = isObject ? endOf(text, next) : next;
    const from = isObject ? keyEnd + 1 : next;
    const until = endOf(text, from);
    yield { key: text.slice(next, keyEnd), from, until };
    // Skips the comma. The loop also ends for text that is not JSON, because `next` always grows.
    next = text[until] === "," ? until + 1 : Math.max(until, next + 1);
  }
}

/** Returns the end of the value that begins at `at`. */
function endOf(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      index = closingQuote(text, index);
      if (depth === 0) return index + 1;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      if (depth === 0) return index;
      depth--;
      if (depth === 0) return index + 1;
    } else if (depth === 0 && (unit === COMMA || unit === COLON)) return index;
  }
  return text.length;
}

function closingQuote(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
