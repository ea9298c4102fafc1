/**
 * Operations that the worker answers itself, at once and without the host: codecs, URLs, clock, randomness.
 *
 * They are pure except for the environment passed in. Input is hostile: sizes are bounded, invalid JSON gets an error answer, and nothing
 * throws.
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

/** Operations by name. All others go to the host. */
export const LOCAL_OPERATIONS: ReadonlyMap<string, LocalOperation> = new Map(
  Object.entries({
    "text.encode": (text: string) => encodeText(text),
    "text.encodeJson": (text: string) => encodeText(readString(text)),
    "text.decode": (text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      decodeText(readObject(text), bytes ?? NO_BYTES, env),
    /** Decodes a file's text: keeps a byte order mark, and accepts any bytes. */
    "text.utf8": (_text: string, bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      textAnswer(decode(FILE_TEXT, bytes ?? NO_BYTES, false), env),
    "text.label": (text: string) => rawAnswer(createDecoder(readString(text), {}).encoding),
    "text.atob": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) => textAnswer(decodeBase64(text), env),
    "text.atobJson": (text: string, _bytes: Uint8Array | undefined, env: LocalEnvironment) =>
      textAnswer(decodeBase64(readString(text)), env),
    "text.btoa": (text: string) => rawAnswer(encodeBase64(text)),
    "text.btoaJson": (text: string) => rawAnswer(encodeBase64(readString(text))),
    /** Returns the host engine's message for an invalid JSON text; empty if it is valid. */
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

/** Checks the size first, and turns every exception into an answer. */
function guarded(operation: LocalOperation): LocalOperation {
  return (text, bytes, env) => {
    if (text.length > MAX_BYTES || (bytes?.length ?? 0) > MAX_BYTES)
      return errorAnswer("RangeError", `The input is larger than ${MAX_BYTES} bytes`);
    try {
      return operation(text, bytes, env);
    } catch (error) {
      if (error instanceof Refusal) return errorAnswer(error.refused, error.message);
      // The runtime's own message may name its internals, so the guest does not get it.
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
    // Runtimes use different messages. This is the standard's for an unknown label.
    throw new Refusal("RangeError", `The encoding label provided ('${label.slice(0, 100)}') is invalid.`);
  }
}

/**
 * Maximum bytes to decode at once in other encodings: they take ten times as long as UTF-8, and the tail of a stream is decoded several
 * times.
 */
const MAX_LEGACY_BYTES = 512 * 1024;

/** Decodes text. With `stream`, the answer's bytes are those of an incomplete last character. */
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

/** Cached, because creating a decoder takes longer than most texts. A decoder of whole texts keeps no state. */
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

/** A decoded text, with a function that creates its decoder. */
interface Decoded {
  readonly label: string;
  readonly text: string;
  readonly make: () => Decoding;
}

const LONGEST_CHARACTER = 4;
const ESCAPE = 0x1b;

/**
 * Returns the bytes that a streaming decoder would hold back: the shortest tail that can be removed without changing the text.
 *
 * ISO-2022-JP also has modes, so the current escape sequence is kept with the tail.
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
    // The input ends inside a character, and the decoder is `fatal`.
    return false;
  }
}

/** Removes the stored mode before another escape sequence, because two sequences in a row are an error. */
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

/** Maximum length of URLs with other than ASCII characters, because each such character becomes up to nine, several times. */
const MAX_OTHER_URL_TEXT = 128 * 1024;

/** @throws {Refusal} if parsing would take too long */
function readUrlText(fields: Fields, key: string): string {
  const text = readField(fields, key);
  if (text.length > MAX_OTHER_URL_TEXT && /[^ -~]/u.test(text))
    throw new Refusal("RangeError", `The URL is longer than ${MAX_OTHER_URL_TEXT} characters, and not all of them are ASCII`);
  return text;
}

/** Returns the parts, or null if the text is not a URL. */
function parseUrl(fields: Fields): LocalAnswer {
  const base = fields.get("base");
  const url = URL.parse(readUrlText(fields, "url"), typeof base === "string" ? readUrlText(fields, "base") : undefined);
  return valueAnswer(url === null ? null : partsOf(url));
}

function partsOf(url: URL): Record<string, string> {
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url;
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash };
}

/** Sets a part and returns all parts. If a setter rejects its value, they are unchanged. */
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
      throw new Refusal("TypeError", `Unknown URL part "${name.slice(0, 100)}"`);
  }
}

/** Maximum length of a query with several pairs. Many pairs are many strings, and the clock is not checked meanwhile. */
const MAX_PAIRS_TEXT = 64 * 1024;

/** Returns names and values in turn. A long text may contain only one pair, because the guest splits at ampersands. */
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
 * Decodes by the steps of https://url.spec.whatwg.org/#urlencoded-parsing, because Node's own parser treats characters outside ASCII as
 * bytes if an escape and a stray percent sign are next to them.
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

/** Returns the value of two hexadecimal digits. */
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

/** Maximum length of a text to explain. For longer texts the guest uses the engine's own message. */
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

/** Returns false for unreadable and for unknown algorithms. Key handles are not resolved here. */
function supports(text: string, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const args = readArguments(text, bytes, new CallKeys(0));
  return valueAnswer(env.supports?.(args) ?? false);
}

/** A pure function, so that top-level code can use it too. Other hashes use `subtle-calls.ts`. */
function digest(text: string, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const name = DIGEST_NAMES.find((known) => known === text);
  const hash = name === undefined ? undefined : env.hash?.(name, piecesOf(bytes, env));
  return hash === undefined ? errorAnswer("NotSupportedError", "Unrecognized algorithm name") : { answer: "v", bytes: hash };
}
