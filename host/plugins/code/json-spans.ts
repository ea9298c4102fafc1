/** Finds where values are in a valid JSON text, so that an edit keeps everything else as it is written. */

/** A value in the text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object, from its key to the end of its value. */
export interface MemberSpan extends Span {
  readonly key: string;
  readonly value: Span;
}

const SPACE = /\s*/uy;
const STRING = /"(?:[^"\\]|\\.)*"/suy;
const SCALAR = /[^\s,\]}]+/uy;

/** Returns the members of the object at an offset. @param text JSON that was parsed before */
export function membersAt(text: string, offset: number): readonly MemberSpan[] {
  const members: MemberSpan[] = [];
  let at = after(SPACE, text, offset) + 1;
  for (;;) {
    const start = after(SPACE, text, at);
    if (text[start] !== '"') return members;
    const keyEnd = after(STRING, text, start);
    const value = valueAt(text, after(SPACE, text, keyEnd) + 1);
    // A key of valid JSON is a string literal.
    members.push({ key: JSON.parse(text.slice(start, keyEnd)) as string, start, end: value.end, value });
    at = after(SPACE, text, value.end);
    if (text[at] !== ",") return members;
    at++;
  }
}

/** Returns the items of the list at an offset. */
export function itemsAt(text: string, offset: number): readonly Span[] {
  const items: Span[] = [];
  let at = after(SPACE, text, offset) + 1;
  for (;;) {
    if (text[after(SPACE, text, at)] === "]") return items;
    const value = valueAt(text, at);
    items.push(value);
    at = after(SPACE, text, value.end);
    if (text[at] !== ",") return items;
    at++;
  }
}

function valueAt(text: string, offset: number): Span {
  const start = after(SPACE, text, offset);
  const opening = text[start];
  if (opening === '"') return { start, end: after(STRING, text, start) };
  if (opening !== "{" && opening !== "[") return { start, end: after(SCALAR, text, start) };
  let depth = 0;
  for (let at = start; ;) {
    const char = text[at];
    if (char === '"') {
      at = after(STRING, text, at);
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    at++;
    if (depth === 0) return { start, end: at };
  }
}

/** Returns the offset after a match at exactly this offset. */
function after(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
