/** Output of a command: lines for users, or one JSON document for programs. */

import type { ClientPlatform } from "../../platform/platform.ts";
import { createStyle, STYLED, type Style } from "../../primitives/style.ts";
import { printableJson, printableLines } from "../../primitives/text.ts";

/**
 * Output of one command. Callers pass guest-controlled text through `printable()`, which keeps it on one line. As a second line of
 * defence, control characters are escaped here too: only the escape sequences of styles reach the terminal.
 */
export interface Output {
  /** True if stdout holds one JSON document and nothing else. */
  readonly json: boolean;
  readonly style: Style;
  readonly columns: number;
  /** Width that tables may take: the terminal's if stdout is one, otherwise unlimited, because a program reads whole cells. */
  readonly room: number;
  /** The program as the user typed it: `bascule`, `npx bascule`, `node bin/bascule.mjs`. */
  readonly program: string;
  /** Writes a line to stdout; nothing with `--json`. */
  line(text?: string): void;
  /** Writes text to stdout without ending the line; nothing with `--json`. */
  part(text: string): void;
  /** Writes a line to stderr, separate from the command's result; nothing with `--json`. @param owner the plugin that the line is about */
  note(text: string, owner?: string): void;
  /** Shows one line below all others until it is replaced; "" removes it. Absent if the user does not read both streams on a terminal. */
  readonly live?: (text: string) => void;
  /** Writes the JSON document; nothing without `--json`. */
  document(value: unknown): void;
  /** Writes one JSON value on a line, for long-running commands; nothing without `--json`. */
  entry(value: unknown): void;
}

/** Options of the output. */
interface OutputOptions {
  readonly json: boolean;
  readonly color: boolean;
  readonly program: string;
}

/** Moves to the start of the line and erases it (ECMA-48: CR, EL). */
const ERASE = "\r\x1b[K";
const MIN_COLUMNS = 40;
const MAX_COLUMNS = 120;

/** Creates an output on the platform's terminal. Uses colours if the terminal has them, unless `--no-color` or `NO_COLOR` is set. */
export function createOutput(platform: ClientPlatform, options: OutputOptions): Output {
  const { terminal, environment } = platform;
  const noColor = environment.get("NO_COLOR") ?? "";
  const isColored = options.color && terminal.color && noColor === "" && !options.json;
  const inert = isColored ? inertBetweenStyles : printableLines;
  let shown = "";
  /** Erases the live line, and writes it again below the text. One piece, because the streams are not ordered with each other. */
  const above = (text: string): string => (shown === "" ? text : `${ERASE}${text}${shown}`);
  const live = (text: string): void => {
    const [before, next] = [shown, text === "" ? "" : inert(text)];
    shown = next;
    if (before !== next) terminal.error(`${ERASE}${next}`);
  };
  return {
    json: options.json,
    ...(!options.json && terminal.interactive && terminal.outIsTerminal && { live }),
    style: createStyle(isColored),
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, terminal.columns)),
    room: terminal.outIsTerminal ? Math.max(MIN_COLUMNS, terminal.columns) : Infinity,
    program: options.program,
    line: (text = "") => {
      if (!options.json) terminal.out(above(`${inert(text)}\n`));
    },
    part: (text) => {
      if (!options.json) terminal.out(inert(text));
    },
    note: (text, owner) => {
      if (!options.json) terminal.error(above(`${inert(text)}\n`), owner);
    },
    document: (value) => {
      if (options.json) terminal.out(`${printableJson(JSON.stringify(value, null, 2))}\n`);
    },
    entry: (value) => {
      if (options.json) terminal.out(`${printableJson(JSON.stringify(value))}\n`);
    },
  };
}

/** Escapes text between styles. `split` with a group keeps the separators, so every second part is a style. */
function inertBetweenStyles(text: string): string {
  return text
    .split(STYLED)
    .map((part, index) => (index % 2 === 0 ? printableLines(part) : part))
    .join("");
}
