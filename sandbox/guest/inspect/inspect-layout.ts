/** Lays out the entries of an object on one line, in columns, or on separate lines. */

import { COMPACT, type Inspection, type Shape } from "./inspection.ts";
import {
  arrayJoin,
  bareList,
  mathFloor,
  mathMax,
  mathMin,
  mathRound,
  mathSqrt,
  stringIncludes,
  stringPadEnd,
  stringPadStart,
  stringRepeat,
} from "../language/primordials.ts";

const SEPARATOR = 2;
/** Minimum number of entries for columns. */
const COLUMNS_FROM = 7;

interface Layout {
  readonly shape: Shape;
  readonly level: number;
  /** The list shown; its numbers are aligned to the right. */
  readonly value: object;
}

export function layOut(inspection: Inspection, entries: string[], { shape, level, value }: Layout): string {
  const { options, indentation } = inspection;
  const before = shape.base === "" ? shape.open : `${shape.base} ${shape.open}`;
  if (options.compact >= 1) {
    const rows =
      shape.columns && options.compact !== COMPACT && entries.length >= COLUMNS_FROM ? toColumns(inspection, entries, value) : entries;
    // Combined rows stay rows, and deeply nested entries do not share a line.
    if (rows === entries && inspection.reached - level < options.compact && fitsLine(inspection, entries, shape)) {
      const line = arrayJoin(entries, ", ");
      if (!stringIncludes(line, "\n")) return `${before} ${line} ${shape.close}`;
    }
    entries = rows;
  }
  const margin = `\n${stringRepeat(" ", indentation)}`;
  const comma = options.trailingComma ? "," : "";
  return `${before}${margin}  ${arrayJoin(entries, `,${margin}  `)}${comma}${margin}${shape.close}`;
}

function fitsLine({ options, indentation }: Inspection, entries: string[], { base, open }: Shape): boolean {
  let length = entries.length * 2 + indentation + open.length + base.length + 10;
  for (let index = 0; index < entries.length; index++) length += entries[index]?.length ?? 0;
  return length <= options.breakLength && !stringIncludes(base, "\n");
}

/** Combines short entries into rows of equal columns, or returns the same list if that saves nothing. */
function toColumns({ options, indentation }: Inspection, entries: string[], value: object): string[] {
  const hasMore = options.iterableLimit < entries.length;
  const count = hasMore ? entries.length - 1 : entries.length;
  let total = 0;
  let longest = 0;
  for (let index = 0; index < count; index++) {
    const { length } = entries[index] ?? "";
    total += length + SEPARATOR;
    longest = mathMax(longest, length);
  }
  const width = longest + SEPARATOR;
  if (width * 3 + indentation >= options.breakLength || (total / width <= 5 && longest > 6)) return entries;

  const bias = mathSqrt(width - total / entries.length);
  const biased = mathMax(width - 3 - bias, 1);
  const columns = mathMin(
    mathMin(mathRound(mathSqrt(2.5 * biased * count) / biased), mathFloor((options.breakLength - indentation) / width)),
    mathMin(options.compact * 4, 15),
  );
  if (columns <= 1) return entries;
  const rows = toRows(entries, { count, columns, right: isNumeric(value, entries.length) });
  const more = entries[count];
  if (hasMore && more !== undefined) rows[rows.length] = more;
  return rows;
}

function toRows(
  entries: string[],
  { count, columns, right }: { readonly count: number; readonly columns: number; readonly right: boolean },
): string[] {
  const widths = bareList<number>();
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let index = column; index < count; index += columns) width = mathMax(width, entries[index]?.length ?? 0);
    widths[column] = width + SEPARATOR;
  }
  const rows = bareList<string>();
  for (let start = 0; start < count; start += columns) {
    const end = mathMin(start + columns, count);
    let row = "";
    for (let index = start; index < end; index++) {
      const entry = entries[index] ?? "";
      const width = widths[index - start] ?? 0;
      if (index < end - 1) row += right ? stringPadStart(`${entry}, `, width) : stringPadEnd(`${entry}, `, width);
      else row += right ? stringPadStart(entry, width - SEPARATOR) : entry;
    }
    rows[rows.length] = row;
  }
  return rows;
}

function isNumeric(value: object, length: number): boolean {
  // Only lists get here; entries that are not numbers are left-aligned.
  const list = value as Readonly<Record<number, unknown>>;
  for (let index = 0; index < length; index++) {
    const type = typeof list[index];
    if (type !== "number" && type !== "bigint") return false;
  }
  return true;
}
