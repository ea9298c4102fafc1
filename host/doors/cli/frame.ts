/** Formats a problem with its source lines, as compilers do. */

import type { PluginProblem } from "../operations.ts";
import { printable } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";
import type { Output } from "./output.ts";

const MARGIN = 12;
const BEFORE_COLUMN = 24;

/** Layout of problems. */
interface FrameOptions extends Pick<Output, "columns" | "program" | "style"> {
  /** The plugin's folder as shown to the user. */
  readonly folder: string;
}

/**
 * Formats one problem: place, message, source lines and fix.
 *
 * ```
 * error plugins/demo/main.ts:3:9 Expected an expression
 *     2 | export function run() {
 *   > 3 |   return ;;
 *       |         ^
 * ```
 */
export function problemLines(problem: PluginProblem, options: FrameOptions): readonly string[] {
  const { style } = options;
  const word = problem.severity === "error" ? style.red("error") : style.yellow("warning");
  const lines = [`${word} ${style.bold(placeOf(problem, options.folder))} ${printable(problem.message)}`];
  lines.push(...frameLines(problem, options));
  if (problem.fix !== undefined) lines.push(`  ${style.dim("fix")} ${printable(asTyped(problem.fix, options.program))}`);
  return lines;
}

function placeOf(problem: PluginProblem, folder: string): string {
  const file = problem.file === undefined ? folder : `${folder}/${problem.file}`;
  const position = problem.line === undefined ? "" : `:${problem.line}:${problem.column ?? 1}`;
  const pointer = problem.pointer === "" ? "" : ` ${problem.pointer}`;
  return printable(`${file}${position}${pointer}`);
}

function frameLines(problem: PluginProblem, options: FrameOptions): readonly string[] {
  const { frame, line, column } = problem;
  if (!frame || line === undefined) return [];
  const { style } = options;
  const digits = String(frame.first + frame.lines.length - 1).length;
  const width = Math.max(BEFORE_COLUMN, options.columns - digits - MARGIN);
  const start = column !== undefined && column >= width ? column - BEFORE_COLUMN : 0;
  const lines: string[] = [];
  for (const [index, text] of frame.lines.entries()) {
    const number = frame.first + index;
    const label = String(number).padStart(digits);
    if (number !== line) {
      // The lines around show where the code is, so they are shown from their beginning.
      lines.push(style.dim(`    ${label} | ${marked(text, 0, width)}`));
      continue;
    }
    lines.push(`${style.red("  >")} ${label} | ${marked(text, start, width)}`);
    if (column === undefined) continue;
    // Escaping can widen the text before the mark, so measure its printable form.
    const before = cut(text.slice(0, column - 1), start, width);
    const mark = start > 0 ? 1 : 0;
    lines.push(`${" ".repeat(4 + digits)} | ${" ".repeat([...before].length + mark)}${style.red("^")}`);
  }
  return lines;
}

/** Cuts the line to the terminal's width, with "…" at each end where it goes on. */
function marked(text: string, start: number, width: number): string {
  return `${start > 0 ? "…" : ""}${cut(text, start, width)}${text.length > start + width ? "…" : ""}`;
}

function cut(text: string, start: number, width: number): string {
  return printable(text.slice(start, start + width).replaceAll("\t", "  "));
}
