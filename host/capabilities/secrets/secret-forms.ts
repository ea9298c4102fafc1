/** Encoded forms of a secret's value to search for: plain, and as in JSON, URLs, forms, HTML, base64 and hexadecimal. */

import { toHex } from "../../platform/bytes.ts";

const UTF8 = new TextEncoder();

/** Shorter forms would match ordinary text by chance. */
const MIN_ENCODED_LENGTH = 6;

/** @param value well-formed text */
export function secretForms(value: string): readonly Uint8Array[] {
  const bytes = UTF8.encode(value);
  const encoded = [
    ...jsonForms(value),
    ...urlForms(value),
    ...htmlForms(value),
    ...[0, 1, 2].flatMap((before) => base64Forms(bytes, before)),
    ...hexForms(bytes),
  ].filter((form) => form.length >= MIN_ENCODED_LENGTH);
  return [bytes, ...[...new Set(encoded)].filter((form) => form !== value).map((form) => UTF8.encode(form))];
}

/** Escapes for `application/json`, without the quotes. */
export function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Escapes everything but the unreserved characters (RFC 3986). */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Escapes for `application/x-www-form-urlencoded`. */
export function formEncoded(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

function jsonForms(value: string): readonly string[] {
  const plain = jsonEscaped(value);
  const ascii = plain.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [plain, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

function urlForms(value: string): readonly string[] {
  const upper = [percentEncoded(value), encodeURIComponent(value), formEncoded(value), encodeURI(value)];
  return upper.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

function htmlForms(value: string): readonly string[] {
  const common = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [common, common.replaceAll('"', "&quot;").replaceAll("'", "&#39;"), common.replaceAll('"', "&#34;").replaceAll("'", "&#x27;")];
}

/**
 * Returns the base64 characters that depend only on the value, if `before` bytes precede it (as in `Basic <user>:<value>`), in both
 * alphabets.
 */
function base64Forms(bytes: Uint8Array, before: number): readonly string[] {
  const whole = btoa(toBinary(new Uint8Array([...new Uint8Array(before), ...bytes])));
  const form = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
}

function hexForms(bytes: Uint8Array): readonly string[] {
  const lower = toHex(bytes);
  return [lower, lower.toUpperCase()];
}

/** Maps each byte to one character. */
export function toBinary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
