/** Where a command writes: lines for people, or one JSON document for programs. */

import type { Platform } from "../../platform/platform.ts";
import { createStyle, STYLED, type Style } from "../../primitives/style.ts";
import { printableJson, printableLines } from "../../primitives/text.ts";

/**
 * One command's output. Guest-controlled text should have passed `printable()` before it gets here, which keeps it on its line;
 * what did not is written out here, so that no text but the styles' own reaches the terminal as a command.
 */
export interface Output {
  /** True if stdout holds one JSON document and nothing else. */
  readonly json: boolean;
  readonly style: Style;
  readonly columns: number;
  /** How the program was started, as one would type it: `bascule`, `npx bascule`, `node bin/bascule.mjs`. */
  readonly program: string;
  /** A line on stdout; nothing with `--json`. */
  line(text?: string): void;
  /** A line on stderr, where it does not mix with what the command answers; nothing with `--json`. `owner`: the plugin that it is of. */
  note(text: string, owner?: string): void;
  /** The document; nothing without `--json`. */
  document(value: unknown): void;
  /** One of many, a line each, of a command that goes on; nothing without `--json`. */
  entry(value: unknown): void;
}

/** How output is wanted. */
export interface OutputOptions {
  readonly json: boolean;
  readonly color: boolean;
  readonly program: string;
}

const MIN_COLUMNS = 40;
const MAX_COLUMNS = 120;

/** Writes to the platform's terminal. Colours only where it has them, and not with `--no-color` or `NO_COLOR`. */
export function createOutput(platform: Platform, options: OutputOptions): Output {
  const { terminal, environment } = platform;
  const noColor = environment.get("NO_COLOR") ?? "";
  const isColored = options.color && terminal.color && noColor === "" && !options.json;
  const inert = isColored ? inertBetweenStyles : printableLines;
  return {
    json: options.json,
    style: createStyle(isColored),
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, terminal.columns)),
    program: options.program,
    line: (text = "") => {
      if (!options.json) terminal.out(`${inert(text)}\n`);
    },
    note: (text, owner) => {
      if (!options.json) terminal.error(`${inert(text)}\n`, owner);
    },
    document: (value) => {
      if (options.json) terminal.out(`${printableJson(JSON.stringify(value, null, 2))}\n`);
    },
    entry: (value) => {
      if (options.json) terminal.out(`${printableJson(JSON.stringify(value))}\n`);
    },
  };
}

/** `split` with a group keeps what it splits at: every second part is a style. */
function inertBetweenStyles(text: string): string {
  return text
    .split(STYLED)
    .map((part, index) => (index % 2 === 0 ? printableLines(part) : part))
    .join("");
}
