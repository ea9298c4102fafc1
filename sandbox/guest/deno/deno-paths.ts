/** Paths as programs pass them: a string or a `file:` URL. */

import { callFact } from "../call/call-facts.ts";
import { requireWholeText } from "../call/channel.ts";
import { arrayJoin, PrimordialTypeError, splitText, stringCharCodeAt, stringIncludes } from "../language/primordials.ts";
import { urlParts } from "../web/url.ts";

const decodeComponent: (text: string) => string = decodeURIComponent;

/** @throws {TypeError} if the value is of another type, another kind of URL, or contains U+0000 or a lone surrogate */
export function toPath(value: unknown): string {
  if (typeof value === "string") return requireWholeText(value, "The path");
  const parts = typeof value === "object" && value !== null ? urlParts(value) : undefined;
  if (parts === undefined) throw new PrimordialTypeError("The path must be a string or a file: URL");
  if (parts.protocol !== "file:") throw new PrimordialTypeError(`Must be a file URL: "${parts.href}"`);
  if (parts.hostname !== "") throw new PrimordialTypeError(`The URL of a file cannot name a host: "${parts.href}"`);
  return requireWholeText(decodeUrlPath(parts.pathname), "The path");
}

/** A percent sign that is not followed by two hex digits stands for itself. */
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

/** Returns the base of relative paths: the session's workspace. */
export function getCwd(): string {
  const cwd = callFact("cwd") ?? callFact("workspacePath");
  return typeof cwd === "string" ? cwd : "/";
}
