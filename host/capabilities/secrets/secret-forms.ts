/** The forms in which a secret's value is looked for: as it is, and as it stands in JSON, URLs, forms, HTML, base64 and hexadecimal. */

const UTF8 = new TextEncoder();

/** Shorter ones would be found everywhere by chance. */
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

/** For `application/json`: what stands between the quotes. */
export function jsonEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** RFC 3986: everything but the unreserved characters. */
export function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** For `application/x-www-form-urlencoded`. */
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

/** The characters that only the value decides, where `before` bytes stand before it (as in `Basic <user>:<value>`), in both alphabets. */
function base64Forms(bytes: Uint8Array, before: number): readonly string[] {
  const whole = btoa(toBinary(new Uint8Array([...new Uint8Array(before), ...bytes])));
  const form = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
}

function hexForms(bytes: Uint8Array): readonly string[] {
  const lower = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [lower, lower.toUpperCase()];
}

/** One character a byte. */
export function toBinary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
