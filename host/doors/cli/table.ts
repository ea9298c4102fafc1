/** Aligned columns for a terminal: the layout of every table of the CLI. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { printable, shortenWords, textWidth, wrapWords } from "../../primitives/text.ts";
import type { Style } from "../../primitives/style.ts";

/** Rows of a result that are shown as a table; more are easier to read elsewhere. */
const MOST_ROWS = 1_000;
/** Least width of the column that gives way. */
const LEAST_COLUMN = 12;
const GAP = "  ";

/** Layout of a table. Cells are plain text on one line; `paint` styles them after they were cut. */
interface TableOptions {
  /** Titles of the columns. */
  readonly head?: readonly string[];
  /** Default: none. */
  readonly indent?: string;
  /** Number of columns, from the left, that are aligned to the right. */
  readonly numbers?: number;
  /** Width in cells of the whole table; absent: every cell is whole. */
  readonly columns?: number;
  /** Index of the column that gives way if the table is too wide. Default: the last one. */
  readonly gives?: number;
  /** Whether the column that gives way is wrapped between words; otherwise it is cut. Only for the last column. */
  readonly wraps?: boolean;
  /** Styles of the columns. */
  readonly paint?: readonly (((text: string) => string) | undefined)[];
}

/** Formats rows in aligned columns, at most `columns` cells wide as far as one column can give way. */
export function table(rows: readonly (readonly string[])[], style: Style, options: TableOptions = {}): readonly string[] {
  const { head, indent = "", numbers = 0, columns = Infinity, paint = [], wraps = false } = options;
  const count = Math.max(0, ...[head ?? [], ...rows].map((row) => row.length));
  const { gives = count - 1 } = options;
  // A row without cells to the right of the column that gives way has their room too.
  const isOpen = (row: readonly string[]): boolean => gives < count - 1 && row.slice(gives + 1).every((cell) => cell === "");
  const natural = widthsOf([...(head === undefined ? [] : [head]), ...rows.map((row) => (isOpen(row) ? row.slice(0, gives) : row))]);
  const over = indent.length + totalOf(natural) - columns;
  const widths = natural.map((width, column) => (column === gives && over > 0 ? Math.max(LEAST_COLUMN, width - over) : width));
  const line = (cells: readonly string[], styles: TableOptions["paint"] = []): string =>
    indent +
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        const gap = " ".repeat(Math.max(0, width - textWidth(cell)));
        const shown = styles[column]?.(cell) ?? cell;
        return column < numbers ? gap + shown : column === cells.length - 1 ? shown : shown + gap;
      })
      .join(GAP)
      .trimEnd();
  const last = count - 1;
  const start = indent.length + totalOf(widths) - (widths[last] ?? 0);
  const linesOf = (row: readonly string[]): readonly string[] => {
    const width = widths[gives] ?? 0;
    if (isOpen(row)) {
      const before = indent.length + totalOf([...widths.slice(0, gives), 0]);
      return [line([...row.slice(0, gives), shortenWords(row[gives] ?? "", columns - before)], paint)];
    }
    if (!wraps || gives !== last) return [line(row.with(gives, shortenWords(row[gives] ?? "", width)), paint)];
    const [first = "", ...more] = wrapWords(row[last] ?? "", width);
    return [line(row.with(last, first), paint), ...more.map((text) => `${" ".repeat(start)}${paint[last]?.(text) ?? text}`)];
  };
  const titles = head === undefined ? [] : [style.dim(line(head))];
  return [...titles, ...rows.flatMap((row) => (row.length === count && row.length > 0 ? linesOf(row) : [line(row, paint)]))];
}

/** Formats names and what they are about: the names in colour, the rest wrapped if `columns` is given. */
export function nameTable(
  rows: readonly (readonly [string, string])[],
  style: Style,
  options: Pick<TableOptions, "indent" | "columns"> = {},
): readonly string[] {
  return table(rows, style, { indent: "  ", ...options, wraps: true, paint: [style.cyan] });
}

/** Formats commands to type, each whole, and what they do: beside them, or below where there is too little room. */
export function stepLines(
  steps: readonly (readonly [command: string, about: string])[],
  { style, room }: { readonly style: Style; readonly room: number },
): readonly string[] {
  const widest = Math.max(0, ...steps.map(([command]) => textWidth(command)));
  const longest = Math.max(0, ...steps.map(([, about]) => textWidth(about)));
  if (widest + longest + 2 * GAP.length <= room) return nameTable(steps, style);
  return steps.flatMap(([command, about]) => [
    `${GAP}${style.cyan(command)}`,
    ...wrapWords(about, room - 2 * GAP.length).map((line) => style.dim(`${GAP}${GAP}${line}`)),
  ]);
}

/**
 * Returns the lines of a list of objects whose members are texts, numbers, booleans or null (SPEC AX4).
 *
 * Undefined for every other value, and for a table that is wider than the terminal: JSON shows it without a loss.
 */
export function tableOf(
  value: JsonValue,
  { columns, style }: { readonly columns: number; readonly style: Style },
): readonly string[] | undefined {
  if (!isJsonArray(value) || value.length === 0 || value.length > MOST_ROWS || !value.every(isJsonObject)) return undefined;
  const names = [...new Set(value.flatMap(Object.keys))];
  const rows = value.map((row) => names.map((name) => cellOf(Object.hasOwn(row, name) ? row[name] : "")));
  if (names.length === 0 || rows.some((row) => row.includes(undefined))) return undefined;
  const head = names.map(printable);
  const cells = rows.map((row) => row.map((cell) => cell ?? ""));
  return totalOf(widthsOf([head, ...cells])) > columns ? undefined : table(cells, style, { head });
}

/** Returns undefined for a value that does not fit into one cell. */
function cellOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value.includes("\n") ? undefined : printable(value);
  return typeof value === "object" && value !== null ? undefined : String(value);
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
  return widths;
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}
