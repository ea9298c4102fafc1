/** Reads JSON text, with the position of errors and a note on what reading loses. */

import { printParseErrorCode, visit } from "./vendor/jsonc-parser.js";
import { describePlace, placeOf } from "./text-place.ts";

const MAX_WARNINGS = 20;
/** Maximum nesting depth; the sandbox returns nothing deeper. */
const MAX_DEPTH = 60;

/** The parsed text. */
export interface ReadJson {
  value: unknown;
  /** Losses that the value does not show: duplicate members, numbers that no double can hold. */
  warnings: string[];
}

/**
 * Reads JSON text; a byte order mark is skipped.
 *
 * @param lenient accepts comments (`//` and block comments) and commas before a closing bracket.
 * @throws {Error} with line and column if the text is not valid JSON, or is nested deeper than 60.
 */
export function readJson(source: string, lenient: boolean): ReadJson {
  const text = source.replace(/^\uFEFF/u, "");
  refuseDepth(text);
  const findings = examine(text, lenient);
  if (findings.problem !== undefined) throw new Error(`Cannot read the JSON at ${findings.problem}`);
  const plain = lenient ? blank(text, findings.blanks) : text;
  try {
    const value: unknown = JSON.parse(plain);
    return { value, warnings: findings.warnings };
  } catch (error) {
    // The engine's own parser decides; no text is known on which both disagree.
    throw new Error(`Cannot read the JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Counts brackets outside of strings, without recursion. */
function refuseDepth(text: string): void {
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(/"[^"\\]*(?:\\[^][^"\\]*)*"?|[[\]{}]/gu)) {
    if (piece === "[" || piece === "{") depth += 1;
    else if (piece === "]" || piece === "}") depth -= 1;
    if (depth > MAX_DEPTH)
      throw new Error(`Cannot read the JSON: it is nested deeper than ${MAX_DEPTH} at ${describePlace(placeOf(text, index))}`);
  }
}

interface Findings {
  readonly warnings: string[];
  readonly blanks: [offset: number, length: number][];
  readonly problem: string | undefined;
}

/** Scans the text once, without building values. */
function examine(text: string, lenient: boolean): Findings {
  const warnings: string[] = [];
  const blanks: [number, number][] = [];
  const names: Set<string>[] = [];
  let problem: string | undefined;
  let comma: number | undefined;
  const warn = (line: number, column: number, what: string): void => {
    if (warnings.length < MAX_WARNINGS) warnings.push(`${describePlace({ line: line + 1, column: column + 1 })}: ${what}`);
    else if (warnings.length === MAX_WARNINGS) warnings.push("and more");
  };
  const close = (): void => {
    if (comma !== undefined) blanks.push([comma, 1]);
    comma = undefined;
  };
  visit(
    text,
    {
      onObjectBegin: () => {
        comma = undefined;
        names.push(new Set());
      },
      onObjectProperty: (name, ...[, , line, column]) => {
        comma = undefined;
        const seen = names.at(-1);
        if (seen?.has(name) === true) warn(line, column, `member ${JSON.stringify(name)} is given again; the last one counts`);
        if (name === "__proto__") warn(line, column, 'member "__proto__" is left out');
        seen?.add(name);
      },
      onObjectEnd: () => {
        names.pop();
        close();
      },
      onArrayBegin: () => {
        comma = undefined;
      },
      onArrayEnd: close,
      onLiteralValue: (value, offset, ...[length, line, column]) => {
        comma = undefined;
        if (typeof value !== "number") return;
        const written = text.slice(offset, offset + length);
        if (!Number.isFinite(value))
          problem ??= `${describePlace(placeOf(text, offset))}: ${shorten(written)} is beyond every number (give it as text)`;
        else if (losesDigits(written, value))
          warn(line, column, `${shorten(written)} is read as ${value} (give it as text to keep every digit)`);
      },
      onSeparator: (character, offset) => {
        comma = character === "," ? offset : undefined;
      },
      onComment: (offset, length) => void blanks.push([offset, length]),
      onError: (code, offset) => {
        problem ??= `${describePlace(placeOf(text, offset))}: ${sayError(printParseErrorCode(code), text, offset)}`;
      },
    },
    { disallowComments: !lenient, allowTrailingComma: lenient },
  );
  return { warnings, blanks, problem };
}

/** Returns true if the number has more significant digits than the double it is read as. */
function losesDigits(written: string, value: number): boolean {
  const digits = significant(written);
  return digits.length > 15 && digits !== significant(value.toPrecision(17)) && digits !== significant(String(value));
}

function significant(number: string): string {
  return number
    .replace(/[eE].*$/u, "")
    .replace(/\D/gu, "")
    .replace(/^0+/u, "")
    .replace(/0+$/u, "");
}

function sayError(code: string, text: string, offset: number): string {
  const found = offset >= text.length ? "the text ends" : `found ${JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0))}`;
  const said = code.replace(/([a-z])([A-Z])/gu, "$1 $2").toLowerCase();
  switch (code) {
    case "InvalidSymbol":
      return `unknown word ${JSON.stringify(shorten(/^[^\s,:[\]{}"]+/u.exec(text.slice(offset, offset + 60))?.[0] ?? ""))} (texts and names need double quotes)`;
    case "InvalidCommentToken":
      return "a comment (set lenient to allow comments)";
    case "UnexpectedEndOfString":
      return "the text that begins here is never closed on its line";
    case "EndOfFileExpected":
      return `the JSON has ended, but ${found}`;
    default:
      return `${said}, ${found}`;
  }
}

/** Replaces comments with blanks, so that positions stay; line ends are kept. */
function blank(text: string, blanks: readonly [number, number][]): string {
  let result = "";
  let done = 0;
  for (const [offset, length] of blanks.toSorted(([left], [right]) => left - right)) {
    result += text.slice(done, offset) + text.slice(offset, offset + length).replace(/[^\r\n]/gu, " ");
    done = offset + length;
  }
  return result + text.slice(done);
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
