/**
 * Operations that the worker answers itself, at once and without the host: codecs, URLs, clock, randomness.
 *
 * They are pure but for the environment handed in. What comes in is hostile: sizes are capped, wrong JSON is an error
 * answer, and nothing throws.
 */

import { CODEC_OPERATIONS } from "./codec-operations.ts";
import {
  type Decoding,
  errorAnswer,
  type Fields,
  type LocalAnswer,
  type LocalEnvironment,
  type LocalOperation,
  MAX_BYTES,
  MAX_URL_TEXT,
  NO_BYTES,
  piecesOf,
  rawAnswer,
  readField,
  readJson,
  readObject,
  readString,
  Refusal,
  textAnswer,
  valueAnswer,
} from "./local-answer.ts";

import { INTL_OPERATIONS } from "./intl-operations.ts";
import { CallKeys } from "./call-keys.ts";
import { DIGEST_NAMES } from "./subtle.ts";
import { readArguments } from "./subtle-request.ts";

export type { LocalAnswer, LocalEnvironment, LocalOperation } from "./local-answer.ts";

/** https://www.w3.org/TR/WebCryptoAPI/#Crypto-method-getRandomValues */
const MAX_RANDOM = 65_536;

/** By name. Everything else goes to the host. */
export const LOCAL_OPERATIONS: ReadonlyMap<string, LocalOperation> = new Map(
  Object.entries({
    "text.encode": (text: string) => encodeText(text),
    "text.encodeJson": (text: string) => encodeText(readString(text)),
    "text.decode": (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      decodeText(readObject(text), bytes ?? NO_BYTES, env),
    /** What a file's text is: no mark is dropped, nothing is refused. */
    "text.utf8": (_text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      textAnswer(decode(FILE_TEXT, bytes ?? NO_BYTES, false), env),
    "text.label": (text: string) => rawAnswer(createDecoder(readString(text), {}).encoding),
    "text.atob": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) => textAnswer(decodeBase64(text), env),
    "text.atobJson": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      textAnswer(decodeBase64(readString(text)), env),
    "text.btoa": (text: string) => rawAnswer(encodeBase64(text)),
    "text.btoaJson": (text: string) => rawAnswer(encodeBase64(readString(text))),
    /** What the host's engine says is wrong with a JSON text; empty if nothing is. */
    "json.explain": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) => textAnswer(explainJson(text), env),
    "url.parse": (text: string) => parseUrl(readObject(text)),
    "url.set": (text: string) => setUrlPart(readObject(text)),
    "search.parse": (text: string) => parseQuery(readString(text)),
    "search.format": (text: string) => formatQuery(text),
    "crypto.random": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) => random(readObject(text), env),
    "crypto.digest": (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) => digest(text, bytes ?? NO_BYTES, env),
    "crypto.supports": (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) => supports(text, bytes ?? NO_BYTES, env),
    ...CODEC_OPERATIONS,
    ...INTL_OPERATIONS,
    "clock.monotonic": (_text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) => valueAnswer(env.monotonicMs()),
  } satisfies Record<string, LocalOperation>).map(([name, operation]) => [name, guarded(operation)]),
);

/** Size first; and whatever is thrown becomes an answer. */
function guarded(operation: LocalOperation): LocalOperation {
  return (text, bytes, env) => {
    if (text.length > MAX_BYTES || (bytes?.length ?? 0) > MAX_BYTES)
      return errorAnswer("RangeError", `The input is larger than ${MAX_BYTES} bytes`);
    try {
      return operation(text, bytes, env);
    } catch (error) {
      if (error instanceof Refusal) return errorAnswer(error.refused, error.message);
      // The runtime's own message may name its internals; the guest gets none of it.
      return errorAnswer("TypeError", "The input is not valid");
    }
  };
}

const encoder = new TextEncoder();

function encodeText(text: string): LocalAnswer {
  return { answer: "v", bytes: encoder.encode(text) };
}

interface DecoderOptions {
  readonly fatal?: boolean;
  readonly ignoreBOM?: boolean;
}

function createDecoder(label: string, options: DecoderOptions): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, options);
  } catch {
    // The runtimes differ in words; a label they do not know is this in the standard.
    throw new Refusal("RangeError", `The encoding label provided ('${label.slice(0, 100)}') is invalid.`);
  }
}

/** Of other encodings at once: they take ten times as long as UTF-8, and a tail of a stream is read several times. */
const MAX_LEGACY_BYTES = 512 * 1024;

/** With `stream`, the answer's bytes are those of a character that is not complete yet. */
function decodeText(fields: Fields, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const options = { fatal: fields.get("fatal") === true, ignoreBOM: fields.get("ignoreBOM") === true };
  const label = readField(fields, "label");
  const isStream = fields.get("stream") === true;
  if ((isStream || label !== "utf-8") && bytes.length > MAX_LEGACY_BYTES)
    throw new Refusal("RangeError", `The input is larger than ${MAX_LEGACY_BYTES} bytes (decode it in pieces)`);
  const make = (): Decoding => env.legacyDecoders?.(label, options.fatal) ?? createDecoder(label, options);
  const decoder = label === "utf-8" && !isStream ? wholeUtf8(options) : make();
  const input = fields.get("continued") === true ? withoutSpentMode(label, bytes) : bytes;
  const text = decode(decoder, input, isStream);
  const answer = textAnswer(text, env);
  return isStream ? { ...answer, bytes: pendingBytes({ label, text, make }, input) } : answer;
}

const FILE_TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

/** Making a decoder takes longer than most texts do; one that is given whole texts keeps nothing between them. */
const wholeUtf8Decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function wholeUtf8(options: { readonly fatal: boolean; readonly ignoreBOM: boolean }): InstanceType<typeof TextDecoder> {
  const key = `${options.fatal} ${options.ignoreBOM}`;
  const known = wholeUtf8Decoders.get(key) ?? createDecoder("utf-8", options);
  wholeUtf8Decoders.set(key, known);
  return known;
}

function decode(decoder: Decoding, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    // `fatal` and malformed, or longer than a string can be.
    throw new Refusal("TypeError", "The encoded data is not valid");
  }
}

/** A text that was decoded, by a decoder as `make` makes them. */
interface Decoded {
  readonly label: string;
  readonly text: string;
  readonly make: () => Decoding;
}

const LONGEST_CHARACTER = 4;
const ESCAPE = 0x1b;

/**
 * The tail that a streaming decoder would hold back: the shortest one without which nothing changes.
 *
 * ISO-2022-JP has modes besides, so the escape sequence in force is kept with the tail.
 */
function pendingBytes(done: Decoded, bytes: Uint8Array): Uint8Array {
  for (let length = 0; length < LONGEST_CHARACTER && length <= bytes.length; length++) {
    const complete = bytes.subarray(0, bytes.length - length);
    if (decodesTo(done, complete)) return withMode(done.label, complete, bytes.slice(bytes.length - length));
  }
  return NO_BYTES;
}

function decodesTo({ text, make }: Decoded, bytes: Uint8Array): boolean {
  try {
    return make().decode(bytes, { stream: false }) === text;
  } catch {
    // Fatal: this much ends inside a character.
    return false;
  }
}

/** Two escape sequences with nothing between are an error in a text; the first of these is only the mode that was kept. */
function withoutSpentMode(label: string, bytes: Uint8Array): Uint8Array {
  return label === "iso-2022-jp" && bytes[0] === ESCAPE && bytes[3] === ESCAPE ? bytes.subarray(3) : bytes;
}

function withMode(label: string, complete: Uint8Array, tail: Uint8Array): Uint8Array {
  if (label !== "iso-2022-jp" || tail[0] === ESCAPE) return tail;
  const at = complete.lastIndexOf(ESCAPE);
  if (at === -1) return tail;
  const mode = complete.subarray(at, at + 3);
  const kept = new Uint8Array(mode.length + tail.length);
  kept.set(mode);
  kept.set(tail, mode.length);
  return kept;
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    // https://html.spec.whatwg.org/#dom-atob
    throw new Refusal("InvalidCharacterError", "Failed to decode base64");
  }
}

function encodeBase64(text: string): string {
  try {
    return btoa(text);
  } catch {
    // https://html.spec.whatwg.org/#dom-btoa
    throw new Refusal("InvalidCharacterError", "Cannot encode string: string contains characters outside of the Latin1 range");
  }
}

/** Each character outside ASCII becomes up to nine, several times. */
const MAX_OTHER_URL_TEXT = 128 * 1024;

/** @throws {Refusal} if reading it would take too long. */
function readUrlText(fields: Fields, key: string): string {
  const text = readField(fields, key);
  if (text.length > MAX_OTHER_URL_TEXT && /[^ -~]/u.test(text))
    throw new Refusal("RangeError", `The URL is longer than ${MAX_OTHER_URL_TEXT} characters, and not all of them are ASCII`);
  return text;
}

/** The parts, or null if it is no URL. */
function parseUrl(fields: Fields): LocalAnswer {
  const base = fields.get("base");
  const url = URL.parse(readUrlText(fields, "url"), typeof base === "string" ? readUrlText(fields, "base") : undefined);
  return valueAnswer(url === null ? null : partsOf(url));
}

function partsOf(url: URL): Record<string, string> {
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash };
}

/** The parts afterwards; a setter that refuses leaves them as they are. */
function setUrlPart(fields: Fields): LocalAnswer {
  const url = new URL(readUrlText(fields, "href"));
  const name = readField(fields, "name");
  const value = readUrlText(fields, "value");
  switch (name) {
    case "protocol":
    case "username":
    case "password":
    case "host":
    case "hostname":
    case "port":
    case "pathname":
    case "search":
    case "hash":
      url[name] = value;
      return valueAnswer(partsOf(url));
    default:
      throw new Refusal("TypeError", `There is no part "${name.slice(0, 100)}" of a URL to set`);
  }
}

/** Many pairs are many strings, and nothing looks at the clock meanwhile. */
const MAX_PAIRS_TEXT = 64 * 1024;

/** Names and values in turn. A long text holds one pair: the guest cuts at ampersands. */
function parseQuery(query: string): LocalAnswer {
  const maximum = query.includes("&") ? MAX_PAIRS_TEXT : MAX_URL_TEXT;
  if (query.length > maximum) throw new Refusal("RangeError", `The query has a part that is longer than ${maximum} characters`);
  const flat: string[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    const [name, value] = at === -1 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    flat.push(decodeFormText(name), decodeFormText(value));
  }
  return valueAnswer(flat);
}

const PERCENT = 0x25;

/**
 * By the steps of https://url.spec.whatwg.org/#urlencoded-parsing: Node's own takes characters outside ASCII for bytes where an
 * escape and a stray percent sign are beside them.
 */
function decodeFormText(text: string): string {
  if (/^[^%+\u0080-\uffff]*$/.test(text)) return text;
  const bytes = encoder.encode(text.replaceAll("+", " "));
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escaped = bytes[at] === PERCENT ? hexByte(bytes, at + 1) : undefined;
    bytes[end++] = escaped ?? bytes[at] ?? 0;
    if (escaped !== undefined) at += 2;
  }
  return FILE_TEXT.decode(bytes.subarray(0, end));
}

/** The byte that two hexadecimal digits stand for. */
function hexByte(bytes: Uint8Array, at: number): number | undefined {
  const [high, low] = [hexDigit(bytes[at]), hexDigit(bytes[at + 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(code = 0): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

function formatQuery(text: string): LocalAnswer {
  const flat: unknown = readJson(text, MAX_URL_TEXT);
  if (!Array.isArray(flat)) throw new Refusal("TypeError", "The input is not a list");
  const params = new URLSearchParams();
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name: unknown = flat[index];
    const value: unknown = flat[index + 1];
    if (typeof name !== "string" || typeof value !== "string") throw new Refusal("TypeError", "The input is not a list of strings");
    params.append(name, value);
  }
  return rawAnswer(params.toString());
}

function random(fields: Fields, env: LocalEnvironment): LocalAnswer {
  const count = fields.get("n");
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > MAX_RANDOM) {
    throw new Refusal("RangeError", `The number of random bytes must be from 0 to ${MAX_RANDOM}`);
  }
  return { answer: "v", bytes: env.randomBytes(count) };
}

/** For longer texts the engine's own words have to do. */
const MAX_EXPLAINED_TEXT = 256 * 1024;

function explainJson(text: string): string {
  if (text.length > MAX_EXPLAINED_TEXT) return "";
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof SyntaxError ? error.message : "";
  }
}

/** Of an algorithm that cannot be read, as of one that is not there, the answer is no. A key stands for no key here. */
function supports(text: string, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const args = readArguments(text, bytes, new CallKeys(0));
  return valueAnswer(env.supports?.(args) ?? false);
}

/** A pure function, so that top-level code has it too; other hashes go by way of `subtle-calls.ts`. */
function digest(text: string, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const name = DIGEST_NAMES.find((known) => known === text);
  const hash = name === undefined ? undefined : env.hash?.(name, piecesOf(bytes, env));
  return hash === undefined ? errorAnswer("NotSupportedError", "Unrecognized algorithm name") : { answer: "v", bytes: hash };
}
