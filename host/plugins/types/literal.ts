/** Texts and JSON values as TypeScript source. */

import { isJsonArray, isJsonObject, type JsonValue, showHidden } from "../../../manifests/mod.ts";

const MAX_TEXT = 200;

/** A string literal; what a reader could not see is escaped, so that the source shows what it says. */
export function quoted(text: string): string {
  // JSON escapes quotes, backslashes and controls; what `showHidden` writes are escapes in a literal too.
  return showHidden(JSON.stringify(text));
}

/** A member's name: bare where it is an identifier. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/u.test(name) ? name : quoted(name);
}

/** The type that only this value has; very long texts are just `string`. */
export function literalType(value: JsonValue): string {
  if (typeof value === "string") return value.length > MAX_TEXT ? "string" : quoted(value);
  if (isJsonArray(value)) return `readonly [${value.map(literalType).join(", ")}]`;
  if (!isJsonObject(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => `readonly ${memberName(name)}: ${literalType(member)}`);
  return members.length === 0 ? "Record<string, never>" : `{ ${members.join("; ")} }`;
}
