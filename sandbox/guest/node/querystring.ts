/** `node:querystring`. */

import { Buffer } from "./buffer.gen.ts";

type Query = Record<string, string | string[]>;

export const escape = (text: unknown): string => encodeURIComponent(String(text));

/** Leaves malformed escapes as they are, unlike `decodeURIComponent`. */
export function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString());
  }
}

export function parse(text: unknown, separator = "&", equals = "=", { maxKeys = 1000 }: { readonly maxKeys?: number } = {}): Query {
  // Node's result has no prototype either.
  const query = Object.create(null) as Query;
  if (typeof text !== "string" || text === "") return query;
  const parts = text.split(separator);
  for (const part of maxKeys > 0 ? parts.slice(0, maxKeys) : parts) {
    if (part === "") continue;
    const at = part.indexOf(equals);
    const [key, value] = [at < 0 ? part : part.slice(0, at), at < 0 ? "" : part.slice(at + equals.length)].map((raw) =>
      unescape(raw.replaceAll("+", " ")),
    ) as [string, string];
    const before = query[key];
    query[key] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return query;
}

export function stringify(query: unknown, separator = "&", equals = "="): string {
  if (typeof query !== "object" || query === null) return "";
  const text = (value: unknown): string => (["string", "number", "bigint", "boolean"].includes(typeof value) ? escape(value) : "");
  return Object.entries(query)
    .flatMap(([key, value]: [string, unknown]) => (Array.isArray(value) ? value : [value]).map((one) => escape(key) + equals + text(one)))
    .join(separator);
}

export const decode: typeof parse = parse;
export const encode: typeof stringify = stringify;
