/** Converts `multipart/form-data` (RFC 7578) from and to form entries. */

import { blobBytes, blobType, createFile, toType } from "./blob.ts";
import { concatBytes, ownBytes, viewBytes } from "./bytes.ts";
import { askWorker, takeAnswerBytes } from "../call/channel.ts";
import { decodeUtf8Text, encodeUtf8 } from "./encoding.ts";
import type { FormEntry } from "./form-data.ts";
import { trimSpace } from "./mime-type.ts";
import {
  bareList,
  mapGet,
  mapSet,
  PrimordialMap,
  PrimordialTypeError,
  replaceText,
  splitText,
  stringEndsWith,
  stringIndexOf,
  stringSlice,
  stringToLowerCase,
  typedArrayIndexOf,
  typedArrayLength,
} from "../language/primordials.ts";

const DASH = 0x2d;
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
/** Maximum header lines of one part, as in Deno. */
const MAX_HEADERS = 128;
const MAX_HEADER_BYTES = 16 * 1024;

/** Returns the form as bytes, and the boundary between its parts. */
export function formatMultipart(entries: readonly FormEntry[]): { readonly bytes: Uint8Array<ArrayBuffer>; readonly boundary: string } {
  const boundary = `----BasculeFormBoundary${randomName()}`;
  const parts = bareList<Uint8Array>();
  for (let index = 0; index < entries.length; index++) {
    const { name = "", value = "" } = entries[index] ?? {};
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(toCrLf(name))}"`;
    if (typeof value === "string") {
      parts[parts.length] = encodeUtf8(`${head}\r\n\r\n${toCrLf(value)}\r\n`);
      continue;
    }
    const type = blobType(value) || "application/octet-stream";
    parts[parts.length] = encodeUtf8(`${head}; filename="${escapeName(fileName(value))}"\r\nContent-Type: ${type}\r\n\r\n`);
    parts[parts.length] = blobBytes(value);
    parts[parts.length] = encodeUtf8("\r\n");
  }
  parts[parts.length] = encodeUtf8(`--${boundary}--`);
  return { bytes: concatBytes(parts), boundary };
}

function fileName(file: { readonly name: string }): string {
  return file.name;
}

function randomName(): string {
  askWorker("crypto.random", '{"n":12}');
  return `${askWorker("hex.encode", "{}", takeAnswerBytes()) as string}`;
}

/** Converts line endings of every kind to CRLF. */
function toCrLf(text: string): string {
  return replaceText(replaceText(replaceText(text, "\r\n", "\n"), "\r", "\n"), "\n", "\r\n");
}

function escapeName(text: string): string {
  return replaceText(replaceText(replaceText(text, "\n", "%0A"), "\r", "%0D"), '"', "%22");
}

/** Parses the entries of a form. @returns undefined if the bytes are not a form with this boundary */
export function parseMultipart(bytes: Uint8Array<ArrayBuffer>, boundary: string): FormEntry[] | undefined {
  const mark = encodeUtf8(`--${boundary}`);
  const entries = bareList<FormEntry>();
  // Bytes before the first delimiter are a preamble.
  let delimiter = findDelimiter(bytes, mark, 0, 0);
  while (delimiter !== undefined && !delimiter.closes) {
    const head = readHead(bytes, delimiter.end);
    if (head === undefined) return undefined;
    const next = findDelimiter(bytes, mark, head.end + 2, head.end);
    if (next === undefined) return undefined;
    const disposition = readDisposition(mapGet(head.fields, "content-disposition") ?? "");
    if (disposition === undefined) return undefined;
    const entry = toEntry(head.fields, disposition, viewBytes(bytes, head.end, next.begin));
    // A part without a name is skipped; Deno does not fail either.
    if (entry !== undefined) entries[entries.length] = entry;
    delimiter = next;
  }
  return delimiter === undefined ? undefined : entries;
}

/** A line that holds only a boundary, including the line ending before it. */
interface Delimiter {
  readonly begin: number;
  /** Index after its own line ending. */
  readonly end: number;
  readonly closes: boolean;
}

/** Finds the first delimiter from `from` on; at `first` it needs no line ending before it. */
function findDelimiter(bytes: Uint8Array<ArrayBuffer>, mark: Uint8Array, from: number, first: number): Delimiter | undefined {
  for (let at = findMark(bytes, mark, from); at !== -1; at = findMark(bytes, mark, at + 1)) {
    const follows = at - 2 >= first && bytes[at - 2] === CR && bytes[at - 1] === LF;
    if (!follows && at !== 0) continue;
    let end = at + typedArrayLength(mark);
    const closes = bytes[end] === DASH && bytes[end + 1] === DASH;
    if (closes) end += 2;
    while (bytes[end] === SPACE || bytes[end] === TAB) end++;
    const endsLine = bytes[end] === CR && bytes[end + 1] === LF;
    if (endsLine || (closes && end === typedArrayLength(bytes))) return { begin: follows ? at - 2 : at, end: end + 2, closes };
  }
  return undefined;
}

function findMark(bytes: Uint8Array<ArrayBuffer>, mark: Uint8Array, from: number): number {
  const length = typedArrayLength(mark);
  const first = mark[0] ?? 0;
  for (let at = typedArrayIndexOf(bytes, first, from); at !== -1; at = typedArrayIndexOf(bytes, first, at + 1)) {
    let same = 1;
    while (same < length && bytes[at + same] === mark[same]) same++;
    if (same === length) return at;
  }
  return -1;
}

/** Reads the header lines of a part and returns where its content begins. */
function readHead(
  bytes: Uint8Array<ArrayBuffer>,
  from: number,
): { readonly fields: Map<string, string>; readonly end: number } | undefined {
  const fields = new PrimordialMap<string, string>();
  let count = 0;
  for (let at = from; ;) {
    const end = typedArrayIndexOf(bytes, CR, at);
    if (end === -1 || bytes[end + 1] !== LF) return undefined;
    if (end === at) return { fields, end: end + 2 };
    if (++count > MAX_HEADERS) throw new PrimordialTypeError("Unable to parse body as form data: a part has too many headers");
    if (end - from > MAX_HEADER_BYTES) throw new PrimordialTypeError("Unable to parse body as form data: a part's headers are too large");
    const line = decodeUtf8Text(viewBytes(bytes, at, end));
    const colon = stringIndexOf(line, ":");
    if (colon === -1) return undefined;
    mapSet(fields, stringToLowerCase(stringSlice(line, 0, colon)), trimSpace(stringSlice(line, colon + 1)));
    at = end + 2;
  }
}

function toEntry(fields: Map<string, string>, disposition: Map<string, string>, content: Uint8Array<ArrayBuffer>): FormEntry | undefined {
  const name = mapGet(disposition, "name");
  if (name === undefined) return undefined;
  const filename = mapGet(disposition, "filename");
  if (filename === undefined) return { name, value: decodeUtf8Text(content) };
  const type = toType(mapGet(fields, "content-type") ?? "text/plain");
  return { name, value: createFile(ownBytes(content), filename, { type }) };
}

/** Reads the parameters of `form-data; name="…"; filename="…"`. */
function readDisposition(text: string): Map<string, string> | undefined {
  const parts = splitQuoted(text);
  if (stringToLowerCase(trimSpace(parts[0] ?? "")) !== "form-data") return undefined;
  const found = new PrimordialMap<string, string>();
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const equals = stringIndexOf(part, "=");
    if (equals === -1) continue;
    const value = trimSpace(stringSlice(part, equals + 1));
    const isQuoted = value.length > 1 && stringIndexOf(value, '"') === 0 && stringEndsWith(value, '"');
    mapSet(found, stringToLowerCase(trimSpace(stringSlice(part, 0, equals))), isQuoted ? unescapeName(stringSlice(value, 1, -1)) : value);
  }
  return found;
}

/** Splits at semicolons outside quotes. */
function splitQuoted(text: string): string[] {
  const parts = bareList<string>();
  const quoted = splitText(text, '"');
  let current = "";
  for (let index = 0; index < quoted.length; index++) {
    const piece = quoted[index] ?? "";
    if (index > 0) current += '"';
    if (index % 2 === 1) {
      current += piece;
      continue;
    }
    const pieces = splitText(piece, ";");
    for (let part = 0; part < pieces.length; part++) {
      if (part > 0) {
        parts[parts.length] = current;
        current = "";
      }
      current += pieces[part] ?? "";
    }
  }
  parts[parts.length] = current;
  return parts;
}

function unescapeName(text: string): string {
  return replaceText(replaceText(replaceText(text, "%0A", "\n"), "%0D", "\r"), "%22", '"');
}
