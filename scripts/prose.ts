/**
 * Finds words that docs/style.md asks to avoid in comments, messages and docs.
 *
 * A machine finds openings and single words only; a reader has to judge whether a sentence is clear.
 */

import { parseAst } from "vitest/node";

/** `opening` and `person` may be a small share of all comments; `word` is allowed nowhere. */
export type ProseKind = "opening" | "person" | "word";

export interface ProseFinding {
  readonly line: number;
  readonly kind: ProseKind;
  /** The words as written. */
  readonly found: string;
}

/** A comment, or a text that is shown to people, from line `line` on (from 1). */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** A pronoun or a relative clause instead of the comment's subject. */
const OPENING = /^(?:What|Of|Who|Whose|Whom|Whoever|That|It)\b(?!-)/;
const PERSON = /\b(?:nobody|somebody|anybody|everybody|whoever|whom)\b/i;
const WORD = /\b(?:anew|by now|is said|came of|comes of|ever so)\b|\b(?:is|are) no (?!longer\b|more than\b|less than\b)/i;

/** Returns findings in a comment. */
export function checkComment({ line, text }: Prose): readonly ProseFinding[] {
  return found(line, text, { opening: OPENING, person: PERSON, word: WORD });
}

/** Returns findings in a message or a line of docs, where a sentence may begin with any word. */
export function checkMessage({ line, text }: Prose): readonly ProseFinding[] {
  return found(line, text, { person: PERSON, word: WORD });
}

function found(line: number, text: string, rules: Partial<Record<ProseKind, RegExp>>): readonly ProseFinding[] {
  return (["opening", "person", "word"] as const).flatMap((kind) => {
    const match = rules[kind]?.exec(text);
    return match === undefined || match === null ? [] : [{ line, kind, found: match[0].trim() }];
  });
}

/**
 * Returns a TypeScript file's comments, and its literals that contain a space. Consecutive line comments count as one.
 *
 * @throws {Error} if the text does not parse
 */
export function proseOf(
  text: string,
  lang: "ts" | "tsx" = "ts",
): { readonly comments: readonly Prose[]; readonly messages: readonly Prose[] } {
  const literals = literalsOf(text, lang);
  const messages = literals
    .filter(({ value }) => value.includes(" "))
    .map(({ start, value }) => ({ line: lineAt(text, start), text: value }));
  const comments: { line: number; text: string; last: number }[] = [];
  for (const { start, end } of commentSpans(text, literals)) {
    const raw = text.slice(start, end);
    const line = lineAt(text, start);
    const isBlock = raw.startsWith("/*");
    const body = isBlock
      ? raw
          .slice(2, -2)
          .replaceAll(/^\s*\*+ ?/gm, "")
          .trim()
      : raw.slice(2).trim();
    const isOwnLine = text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
    const previous = comments.at(-1);
    if (!isBlock && isOwnLine && previous?.last === line - 1) {
      previous.text += ` ${body}`;
      previous.last = line;
    } else if (body !== "" && !/^(?:eslint|oxlint|@ts-|@vitest)/.test(body))
      comments.push({ line, text: body, last: isBlock || !isOwnLine ? -1 : line });
  }
  return { comments, messages };
}

interface Literal {
  readonly start: number;
  readonly end: number;
  /** The source text, with escapes; empty for a regular expression. */
  readonly value: string;
}

/** Returns strings, parts of templates and regular expressions, in order. */
function literalsOf(text: string, lang: "ts" | "tsx"): readonly Literal[] {
  const literals: Literal[] = [];
  visit(parseAst(text, { lang }));
  return literals.toSorted((a, b) => a.start - b.start);

  function visit(node: unknown): void {
    if (Array.isArray(node)) for (const child of node) visit(child);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, start, end, value, regex } = node as Record<string, unknown>;
    const isText = type === "Literal" && typeof value === "string";
    if ((isText || type === "TemplateElement" || regex !== undefined) && typeof start === "number" && typeof end === "number")
      literals.push({ start, end, value: regex === undefined ? text.slice(start, end) : "" });
    for (const child of Object.values(node)) visit(child);
  }
}

/** Returns the range of each comment outside of literals. */
function commentSpans(text: string, literals: readonly Literal[]): readonly { readonly start: number; readonly end: number }[] {
  const spans: { start: number; end: number }[] = [];
  let next = 0;
  for (let at = 0; at < text.length; at++) {
    const literal = literals[next];
    if (literal !== undefined && at >= literal.start) {
      at = Math.max(at, literal.end - 1);
      next++;
    } else if (text.startsWith("//", at) || text.startsWith("/*", at)) {
      const close = text[at + 1] === "/" ? text.indexOf("\n", at) : text.indexOf("*/", at) + 2;
      spans.push({ start: at, end: close < 2 ? text.length : close });
      at = (spans.at(-1)?.end ?? at) - 1;
    }
  }
  return spans;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
