/** Paths as programs give them: a string or a `file:` URL. */

import { requireWholeText } from "./channel.ts";
import { bareList, arrayJoin, PrimordialTypeError, splitText, stringCharCodeAt, stringIncludes, stringStartsWith } from "./primordials.ts";
import { urlParts } from "./url.ts";

const decodeComponent: (text: string) => string = decodeURIComponent;

/** @throws {TypeError} for other values, other URLs, U+0000 and lone surrogates. */
export function toPath(value: unknown): string {
  if (typeof value === "string") return requireWholeText(value, "The path");
  const parts = typeof value === "object" && value !== null ? urlParts(value) : undefined;
  if (parts === undefined) throw new PrimordialTypeError("The path must be a string or a file: URL");
  if (parts.protocol !== "file:") throw new PrimordialTypeError(`Must be a file URL: "${parts.href}"`);
  if (parts.hostname !== "") throw new PrimordialTypeError(`The URL of a file cannot name a host: "${parts.href}"`);
  return requireWholeText(decodeUrlPath(parts.pathname), "The path");
}

/** A percent sign that escapes nothing stands for itself. */
function decodeUrlPath(pathname: string): string {
  if (!stringIncludes(pathname, "%")) return pathname;
  const pieces = splitText(pathname, "%");
  for (let index = 1; index < pieces.length; index++) {
    const piece = pieces[index] ?? "";
    pieces[index] = isHexPair(piece) ? `%${piece}` : `%25${piece}`;
  }
  return decodeComponent(arrayJoin(pieces, ""));
}

function isHexPair(text: string): boolean {
  if (text.length < 2) return false;
  for (let index = 0; index < 2; index++) {
    const code = stringCharCodeAt(text, index) | 32;
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return false;
  }
  return true;
}

/** Where relative paths begin: the session's workspace. */
let cwd = "/";

export function setCwd(path: string): void {
  cwd = path;
}

export function getCwd(): string {
  return cwd;
}

/** Absolute and without `.` and `..`, by the text alone: for what is decided in the guest. */
export function normalizePath(path: string): string {
  const parts = splitText(stringStartsWith(path, "/") ? path : `${cwd}/${path}`, "/");
  const kept = bareList<string>();
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    if (part === "..") kept.length -= kept.length > 0 ? 1 : 0;
    else if (part !== "" && part !== ".") kept[kept.length] = part;
  }
  return `/${arrayJoin(kept, "/")}`;
}

/** By component: `/tmp` covers `/tmp/x`, not `/tmpz`. */
export function coversPath(parent: string, child: string): boolean {
  return parent === child || parent === "/" || stringStartsWith(child, `${parent}/`);
}
