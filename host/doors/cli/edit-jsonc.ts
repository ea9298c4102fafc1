/** Sets one member in the text of a JSON file with comments, and leaves every other character as it is. */

import { isJsonObject, type JsonObject, parseJson, problemToText } from "../../../manifests/mod.ts";

const BOUNDS = { maxBytes: 4 * 1024 * 1024, maxDepth: 100 } as const;

/** The edited text, or why it cannot be edited. */
type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/**
 * Sets `group.name` to a value. Comments, order, indentation and trailing commas stay.
 *
 * @param text may be empty: then it becomes a new document
 */
export function setInJsonc(text: string, group: string, name: string, value: JsonObject): Edited {
  if (text.trim() === "") return { ok: true, text: `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n` };
  const bare = withoutComments(text);
  const parsed = parseJson(bare, BOUNDS);
  if (!parsed.ok) return { ok: false, message: parsed.problems.map(problemToText).join("; ") };
  const { value: root, locate } = parsed.value;
  if (!isJsonObject(root)) return { ok: false, message: "It is not an object" };
  const servers = root[group];
  if (servers !== undefined && !isJsonObject(servers)) return { ok: false, message: `"${group}" is not an object` };
  const startOf = (pointer: string): number => offsetOf(text, locate(pointer) ?? { line: 1, column: 1 });
  const unit = /^([ \t]+)\S/mu.exec(bare)?.[1] ?? "  ";
  const written = (depth: number, member: unknown): string =>
    JSON.stringify(member, null, unit).replaceAll("\n", `\n${unit.repeat(depth)}`);
  if (servers === undefined) {
    const member = `${JSON.stringify(group)}: ${written(1, { [name]: value })}`;
    return { ok: true, text: inserted(text, startOf(""), { member, depth: 1, unit, isEmpty: Object.keys(root).length === 0 }) };
  }
  const place = `/${group}/${name}`;
  if (servers[name] !== undefined) {
    const start = startOf(place);
    return { ok: true, text: text.slice(0, start) + written(2, value) + text.slice(endOfValue(bare, start)) };
  }
  const member = `${JSON.stringify(name)}: ${written(2, value)}`;
  return { ok: true, text: inserted(text, startOf(`/${group}`), { member, depth: 2, unit, isEmpty: Object.keys(servers).length === 0 }) };
}

/** Inserts a member as the first of the object that begins at `open`. */
function inserted(
  text: string,
  open: number,
  { member, depth, unit, isEmpty }: { readonly member: string; readonly depth: number; readonly unit: string; readonly isEmpty: boolean },
): string {
  const rest = text.slice(open + 1);
  const tail = isEmpty ? (/^\s*\}/u.test(rest) ? `\n${unit.repeat(depth - 1)}${rest.trimStart()}` : rest) : `,${rest}`;
  return `${text.slice(0, open + 1)}\n${unit.repeat(depth)}${member}${tail}`;
}

/** Blanks out comments and trailing commas, so that every other character keeps its place. */
function withoutComments(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/gu, " ");
  const bare = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, (part) => (part.startsWith('"') ? part : blank(part)));
  return bare.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/gu, (part) => (part === "," ? " " : part));
}

function offsetOf(text: string, { line, column }: { readonly line: number; readonly column: number }): number {
  let start = 0;
  for (let passed = 1; passed < line; passed += 1) start = text.indexOf("\n", start) + 1;
  return start + column - 1;
}

/** Returns the offset after the value. @param bare valid JSON */
function endOfValue(bare: string, start: number): number {
  const tokens = /"(?:[^"\\]|\\.)*"|[{[]|[}\]]|[^\s{}[\],:"]+/gu;
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(bare); token !== null; token = tokens.exec(bare)) {
    if (/^[{[]$/u.test(token[0])) depth += 1;
    if (/^[}\]]$/u.test(token[0])) depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return bare.length;
}
