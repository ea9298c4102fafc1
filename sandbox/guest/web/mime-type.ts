/** MIME types (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type). */

import {
  arrayJoin,
  bareList,
  bareObject,
  objectHasOwn,
  reflectOwnKeys,
  splitText,
  stringCharCodeAt,
  stringIndexOf,
  stringSlice,
  stringToLowerCase,
} from "../language/primordials.ts";

interface MimeType {
  /** `type/subtype`, in lower case. */
  readonly essence: string;
  /** Without prototype; names are in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** @returns undefined if the text is not a MIME type */
export function parseMimeType(text: string): MimeType | undefined {
  const input = trimSpace(text);
  const end = stringIndexOf(input, ";");
  const essence = stringToLowerCase(trimSpace(end === -1 ? input : stringSlice(input, 0, end)));
  const slash = stringIndexOf(essence, "/");
  if (slash === -1 || !isToken(stringSlice(essence, 0, slash)) || !isToken(stringSlice(essence, slash + 1))) return undefined;
  const parameters: Record<string, string> = bareObject();
  let at = end === -1 ? input.length : end + 1;
  while (at < input.length) at = readParameter(input, at, parameters);
  return { essence, parameters };
}

/** @returns index of the next parameter */
function readParameter(input: string, from: number, parameters: Record<string, string>): number {
  let at = skipSpace(input, from);
  const begin = at;
  while (at < input.length && !isAnyOf(input, at, ";=")) at++;
  const name = stringToLowerCase(stringSlice(input, begin, at));
  if (at >= input.length || isAnyOf(input, at, ";")) return at + 1;
  at++;
  let value: string;
  if (isAnyOf(input, at, '"')) {
    const quoted = readQuoted(input, at + 1);
    value = quoted.value;
    at = quoted.end;
    while (at < input.length && !isAnyOf(input, at, ";")) at++;
  } else {
    const start = at;
    while (at < input.length && !isAnyOf(input, at, ";")) at++;
    value = trimEnd(stringSlice(input, start, at));
    if (value === "") return at + 1;
  }
  if (isToken(name) && isQuotable(value) && !objectHasOwn(parameters, name)) parameters[name] = value;
  return at + 1;
}

function readQuoted(input: string, from: number): { readonly value: string; readonly end: number } {
  let value = "";
  let at = from;
  while (at < input.length && !isAnyOf(input, at, '"')) {
    if (isAnyOf(input, at, "\\") && at + 1 < input.length) at++;
    value += stringSlice(input, at, at + 1);
    at++;
  }
  return { value, end: at + 1 };
}

/** Serialises the type. */
export function formatMimeType({ essence, parameters }: MimeType): string {
  let text = essence;
  const names = reflectOwnKeys(parameters);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name !== "string") continue;
    const value = parameters[name] ?? "";
    text += `;${name}=${isToken(value) ? value : `"${escapeQuoted(value)}"`}`;
  }
  return text;
}

function escapeQuoted(value: string): string {
  const escaped = arrayJoin(splitText(value, "\\"), "\\\\");
  return arrayJoin(splitText(escaped, '"'), '\\"');
}

/** Returns the MIME type of all `Content-Type` values together (https://fetch.spec.whatwg.org/#concept-header-extract-mime-type). */
export function extractMimeType(header: string | null): MimeType | undefined {
  if (header === null) return undefined;
  let found: MimeType | undefined;
  let charset: string | undefined;
  const values = splitValues(header);
  for (let index = 0; index < values.length; index++) {
    const parsed = parseMimeType(values[index] ?? "");
    if (parsed === undefined || parsed.essence === "*/*") continue;
    const own = parsed.parameters["charset"];
    if (parsed.essence !== found?.essence) charset = own;
    else if (own === undefined && charset !== undefined) (parsed.parameters as Record<string, string>)["charset"] = charset;
    else if (own !== undefined) charset = own;
    found = parsed;
  }
  return found;
}

/** Splits at commas outside quotes. */
function splitValues(header: string): string[] {
  const values = bareList<string>();
  let begin = 0;
  let quoted = false;
  for (let at = 0; at <= header.length; at++) {
    if (at === header.length || (!quoted && isAnyOf(header, at, ","))) {
      values[values.length] = trimSpace(stringSlice(header, begin, at));
      begin = at + 1;
    } else if (quoted && isAnyOf(header, at, "\\")) at++;
    else if (isAnyOf(header, at, '"')) quoted = !quoted;
  }
  return values;
}

/** Trims HTTP whitespace. */
export function trimSpace(text: string): string {
  return trimEnd(stringSlice(text, skipSpace(text, 0)));
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(stringCharCodeAt(text, at))) at++;
  return at;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(stringCharCodeAt(text, end - 1))) end--;
  return stringSlice(text, 0, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function isAnyOf(text: string, at: number, characters: string): boolean {
  return at < text.length && stringIndexOf(characters, stringSlice(text, at, at + 1)) !== -1;
}

const TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Returns whether the text is an HTTP token (https://httpwg.org/specs/rfc9110.html#tokens). */
export function isToken(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (!isAnyOf(text, index, TOKEN)) return false;
  return text !== "";
}

function isQuotable(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = stringCharCodeAt(text, index);
    if (code !== 0x09 && (code < 0x20 || code === 0x7f || code > 0xff)) return false;
  }
  return true;
}
