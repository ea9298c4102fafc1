/** Where a command writes: lines for people, or one JSON document for programs. */

import type { Platform } from "../platform/platform.ts";
import { createStyle, type Style } from "./style.ts";
import { printableJson } from "./text.ts";

/** One command's output. Guest-controlled text must have passed `printable()` before it gets here. */
export interface Output {
  /** True if stdout holds one JSON document and nothing else. */
  readonly json: boolean;
  readonly style: Style;
  readonly columns: number;
  /** How the program was started, as one would type it: `bascule`, `npx bascule`, `node bin/bascule.mjs`. */
  readonly program: string;
  /** A line on stdout; nothing with `--json`. */
  line(text?: string): void;
  /** A line on stderr, where it does not mix with what the command answers; nothing with `--json`. */
  note(text: string): void;
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
  return {
    json: options.json,
    style: createStyle(options.color && terminal.color && noColor === "" && !options.json),
    columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, terminal.columns)),
    program: options.program,
    line: (text = "") => {
      if (!options.json) terminal.out(`${text}\n`);
    },
    note: (text) => {
      if (!options.json) terminal.error(`${text}\n`);
    },
    document: (value) => {
      if (options.json) terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    },
    entry: (value) => {
      if (options.json) terminal.out(`${printableJson(JSON.stringify(value))}\n`);
    },
  };
}
