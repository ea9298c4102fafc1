/** Parses the part of LaTeX that formulas use, and lays it out as text. */

import { beside, type Box, bracket, centered, EMPTY, stacked, textBox } from "./boxes.ts";
import { ACCENTS, EXCEPTIONS, STYLES, SUBSCRIPTS, SUPERSCRIPTS, SYMBOLS } from "./latex-symbols.ts";

const MAX_DEPTH = 30;
const SPACES: ReadonlyMap<string, string> = new Map([
  [",", " "],
  [";", " "],
  [":", " "],
  [" ", " "],
  ["!", ""],
  ["quad", "  "],
  ["qquad", "    "],
]);
const FRACTIONS: ReadonlySet<string> = new Set(["frac", "dfrac", "tfrac", "cfrac"]);
const TEXTS: ReadonlySet<string> = new Set(["text", "mathrm", "operatorname", "textbf", "textit", "mathit", "mathsf"]);
const MATRICES: ReadonlyMap<string, readonly [left: string, right: string]> = new Map([
  ["matrix", ["", ""]],
  ["pmatrix", ["(", ")"]],
  ["bmatrix", ["[", "]"]],
  ["vmatrix", ["|", "|"]],
  ["Bmatrix", ["{", "}"]],
  ["cases", ["{", ""]],
  ["aligned", ["", ""]],
]);

interface Reading {
  readonly text: string;
  at: number;
  depth: number;
}

/** The last parsed element; large signs take scripts above and below. */
interface Part {
  readonly box: Box;
  readonly takesLimits?: boolean;
}

/** @throws {Error} with the position of the error. */
export function setLatex(text: string): string {
  const inner = text.trim().replace(/^(?:\$\$?|\\\[|\\\()|(?:\$\$?|\\\]|\\\))$/gu, "");
  const reading: Reading = { text: inner, at: 0, depth: 0 };
  const box = readRow(reading, []);
  if (reading.at < inner.length) throw fail(reading, `${JSON.stringify(inner[reading.at])} has no opening counterpart`);
  return box.lines.map((line) => line.trimEnd()).join("\n");
}

/** Parses up to one of the ends, which is not consumed. */
function readRow(reading: Reading, ends: readonly string[]): Box {
  if (++reading.depth > MAX_DEPTH) throw fail(reading, `it is nested deeper than ${MAX_DEPTH}`);
  const boxes: Box[] = [];
  while (
    reading.at < reading.text.length &&
    !"}&".includes(reading.text[reading.at] ?? "") &&
    !ends.some((end) => reading.text.startsWith(end, reading.at))
  ) {
    if (/\s/u.test(reading.text[reading.at] ?? "")) reading.at += 1;
    else boxes.push(readScripts(reading, readPart(reading)));
  }
  reading.depth -= 1;
  return beside(...boxes);
}

function readPart(reading: Reading): Part {
  const character = String.fromCodePoint(reading.text.codePointAt(reading.at) ?? 0);
  if (character === "{") return { box: readGroup(reading) };
  if (character === "\\") return readCommand(reading);
  if ("^_".includes(character)) return { box: EMPTY };
  reading.at += character.length;
  if ("=<>".includes(character)) return { box: textBox(` ${character} `) };
  if ("+-".includes(character)) return { box: textBox(isSign(reading, character) ? minus(character) : ` ${minus(character)} `) };
  return { box: textBox(character === "'" ? "′" : character === "~" ? " " : character) };
}

function minus(character: string): string {
  return character === "-" ? "−" : character;
}

/** At the start, and after another operator, the sign is unary. */
function isSign({ text, at }: Reading, character: string): boolean {
  const before = text.slice(0, at - character.length).trimEnd();
  return before === "" || /[=<>+\-({[,^_&|]$|\\(?:times|cdot|div|pm|mp|leq?|geq?|neq?|approx|in|to|left\(|\\)$/u.test(before);
}

function readGroup(reading: Reading): Box {
  reading.at += 1;
  const box = readRow(reading, []);
  expect(reading, "}");
  return box;
}

/** Parses `{…}` or one sign. */
function readArgument(reading: Reading): Box {
  skipSpaces(reading);
  if (reading.at >= reading.text.length) throw fail(reading, "something is missing at the end");
  return readPart(reading).box;
}

function readScripts(reading: Reading, { box, takesLimits }: Part): Box {
  let [above, below]: [Box | undefined, Box | undefined] = [undefined, undefined];
  for (;;) {
    skipSpaces(reading);
    const sign = reading.text[reading.at];
    if (sign !== "^" && sign !== "_") break;
    if ((sign === "^" ? above : below) !== undefined)
      throw fail(reading, `there is a second ${JSON.stringify(sign)} (put the first one into braces)`);
    reading.at += 1;
    if (sign === "^") above = readArgument(reading);
    else below = readArgument(reading);
  }
  if (above === undefined && below === undefined) return takesLimits === true ? beside(box, textBox(" ")) : box;
  if (takesLimits === true)
    return beside(
      stacked([...(above ? [above] : []), box, ...(below ? [below] : [])], (above?.lines.length ?? 0) + box.base),
      textBox(" "),
    );
  const [small, low] = [above === undefined ? "" : scriptOf(above, SUPERSCRIPTS), below === undefined ? "" : scriptOf(below, SUBSCRIPTS)];
  if (small !== undefined && low !== undefined && box.lines.length === 1) return beside(box, textBox(low + small));
  const level = Array.from({ length: box.lines.length }, () => EMPTY);
  return beside(
    box,
    stacked([...(above ? [above] : []), ...level, ...(below ? [below] : [])], (above?.lines.length ?? 0) + box.base, "left"),
  );
}

/** Converts to small characters if each has one. */
function scriptOf(box: Box, signs: ReadonlyMap<string, string>): string | undefined {
  if (box.lines.length !== 1) return undefined;
  const found = [...(box.lines[0] ?? "").replace(/ /gu, "").replaceAll("−", "-")].map((sign) => signs.get(sign));
  return found.every((sign) => sign !== undefined) ? found.join("") : undefined;
}

function readCommand(reading: Reading): Part {
  const name = /^\\([A-Za-z]+|[^])/u.exec(reading.text.slice(reading.at))?.[1];
  if (name === undefined) throw fail(reading, "a command is missing after the backslash");
  const begin = reading.at;
  reading.at += 1 + name.length;
  const symbol = SYMBOLS.get(name);
  if (symbol !== undefined) {
    if (symbol.kind === "large" || symbol.kind === "limit") return { box: textBox(symbol.text), takesLimits: true };
    if (symbol.kind === "relation" || symbol.kind === "operator") return { box: textBox(` ${symbol.text} `) };
    return { box: textBox(symbol.kind === "name" ? `${symbol.text} ` : symbol.text) };
  }
  const space = SPACES.get(name);
  if (space !== undefined) return { box: textBox(space) };
  if (FRACTIONS.has(name)) return { box: fraction(readArgument(reading), readArgument(reading)) };
  if (name === "binom") return { box: inBrackets("(", stackedPair(readArgument(reading), readArgument(reading)), ")") };
  if (name === "sqrt") return { box: readRoot(reading) };
  if (TEXTS.has(name)) return { box: textBox(readPlain(reading)) };
  if (STYLES.has(name)) return { box: textBox(styled(name, readPlain(reading))) };
  const accent = ACCENTS.get(name);
  if (accent !== undefined) return { box: accented(readArgument(reading), accent) };
  if (name === "left") return { box: readDelimited(reading) };
  if (name === "begin") return { box: readMatrix(reading) };
  if ("{}%$#&_|".includes(name)) return { box: textBox(name === "|" ? "‖" : name) };
  if (name === "displaystyle" || name === "limits") return { box: EMPTY };
  reading.at = begin;
  throw fail(reading, `\\${name} is not known`);
}

function fraction(over: Box, under: Box): Box {
  const width = Math.max(over.width, under.width);
  return stacked([over, textBox("─".repeat(width + (over.lines.length + under.lines.length > 2 ? 2 : 0))), under], over.lines.length);
}

function stackedPair(over: Box, under: Box): Box {
  return stacked([over, EMPTY, under], over.lines.length);
}

function inBrackets(left: string, box: Box, right: string): Box {
  return beside(bracket(left, box), box, bracket(right, box));
}

function readRoot(reading: Reading): Box {
  skipSpaces(reading);
  let index = "";
  if (reading.text[reading.at] === "[") {
    reading.at += 1;
    const box = readRow(reading, ["]"]);
    expect(reading, "]");
    index = scriptOf(box, SUPERSCRIPTS) ?? "";
  }
  const inner = readArgument(reading);
  if (inner.lines.length === 1) {
    const text = inner.lines[0] ?? "";
    return textBox(`${index}√${inner.width > 1 ? `(${text.trim()})` : text}`);
  }
  const lines = inner.lines.map((line, row) => (row === inner.lines.length - 1 ? "╲│" : " │") + line);
  return { lines: [`${index.slice(0, 1) || " "}┌${"─".repeat(inner.width)}`, ...lines], width: inner.width + 2, base: inner.base + 1 };
}

/** Reads plain letters and digits. */
function readPlain(reading: Reading): string {
  skipSpaces(reading);
  const [whole, inner, one] = /^(?:\{([^{}]*)\}|([^]))/u.exec(reading.text.slice(reading.at)) ?? [];
  if (whole === undefined) throw fail(reading, "a text in braces is missing");
  reading.at += whole.length;
  return inner ?? one ?? "";
}

function styled(style: string, text: string): string {
  const [capital = 0, small = 0, digit = 0] = STYLES.get(style) ?? [];
  return [...text]
    .map((letter) => {
      const exception = EXCEPTIONS.get(`${style} ${letter}`);
      if (exception !== undefined) return exception;
      const code = letter.charCodeAt(0);
      if (/[A-Z]/u.test(letter)) return String.fromCodePoint(capital + code - 65);
      if (/[a-z]/u.test(letter)) return String.fromCodePoint(small + code - 97);
      return /\d/u.test(letter) && digit > 0 ? String.fromCodePoint(digit + code - 48) : letter;
    })
    .join("");
}

function accented(box: Box, mark: string): Box {
  return box.lines.length === 1 ? { ...box, lines: [[...(box.lines[0] ?? "")].map((letter) => letter + mark).join("")] } : box;
}

function readDelimited(reading: Reading): Box {
  const left = readDelimiter(reading);
  const inner = readRow(reading, ["\\right"]);
  if (!reading.text.startsWith("\\right", reading.at)) throw fail(reading, "\\right is missing");
  reading.at += "\\right".length;
  return inBrackets(left, inner, readDelimiter(reading));
}

function readDelimiter(reading: Reading): string {
  skipSpaces(reading);
  const [whole, command, sign] = /^(?:\\([A-Za-z]+|[{}|])|([^]))/u.exec(reading.text.slice(reading.at)) ?? [];
  if (whole === undefined) throw fail(reading, "a bracket is missing");
  reading.at += whole.length;
  if (sign !== undefined) return sign === "." ? "" : sign;
  return command === "|" ? "‖" : (SYMBOLS.get(command ?? "")?.text ?? command ?? "");
}

function readMatrix(reading: Reading): Box {
  const name = readPlain(reading).replace("*", "");
  const brackets = MATRICES.get(name);
  if (brackets === undefined) throw fail(reading, `\\begin{${name}} is not known (there are ${[...MATRICES.keys()].join(", ")})`);
  const rows: Box[][] = [[]];
  for (;;) {
    rows.at(-1)?.push(readRow(reading, ["\\\\", "\\end"]));
    if (reading.text.startsWith("\\\\", reading.at)) {
      reading.at += 2;
      rows.push([]);
    } else if (reading.text[reading.at] === "&") reading.at += 1;
    else break;
  }
  if (!reading.text.startsWith("\\end", reading.at)) throw fail(reading, `\\end{${name}} is missing`);
  reading.at += "\\end".length;
  readPlain(reading);
  const filled = rows.filter((row) => row.some(({ width }) => width > 0));
  const widths = Array.from({ length: Math.max(0, ...filled.map((row) => row.length)) }, (_, column) =>
    Math.max(...filled.map((row) => row[column]?.width ?? 0)),
  );
  const lines = filled.map((row) =>
    beside(...widths.flatMap((width, column) => [...(column > 0 ? [textBox("  ")] : []), centered(row[column] ?? EMPTY, width)])),
  );
  const body = stacked(lines, 0);
  return inBrackets(brackets[0], { ...body, base: Math.floor((body.lines.length - 1) / 2) }, brackets[1]);
}

function expect(reading: Reading, sign: string): void {
  if (reading.text[reading.at] !== sign) throw fail(reading, `${JSON.stringify(sign)} is missing`);
  reading.at += 1;
}

function skipSpaces(reading: Reading): void {
  while (/\s/u.test(reading.text[reading.at] ?? "")) reading.at += 1;
}

function fail({ at }: Reading, reason: string): Error {
  return new Error(`Cannot read the formula at character ${at + 1}: ${reason}`);
}
