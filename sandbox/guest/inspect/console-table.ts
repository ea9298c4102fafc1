/** `console.table` in Deno's layout. */

import { classify } from "./classify.ts";
import { inspect } from "./inspect.ts";
import { DEFAULT_INSPECT, type InspectOptions } from "./inspection.ts";
import {
  arrayIsArray,
  arrayJoin,
  bareList,
  mapForEach,
  mapGet,
  mapHas,
  mapSet,
  mathMax,
  objectHasOwn,
  objectKeys,
  PrimordialMap,
  setForEach,
  stringPadEnd,
  stringPadStart,
  stringRepeat,
} from "../language/primordials.ts";

const CELL: InspectOptions = { ...DEFAULT_INSPECT, depth: 1, strAbbreviateSize: 200 };
const MAX_ROWS = 1_000;
const MAX_COLUMNS = 100;
/** Column for the value of a row that is not an object. */
const VALUES = "Values";

interface Row {
  readonly index: string;
  readonly cells: Map<string, string>;
}

/** @returns undefined if `data` is not an object; the caller then prints it like `console.log` */
export function showTable(data: unknown, only: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const kind = classify(data);
  const rows = bareList<Row>();
  const columns = bareList<string>();
  const isKeyed = kind === "map";
  const add = (index: string, value: unknown, key?: unknown): void => {
    if (rows.length >= MAX_ROWS) return;
    const cells = new PrimordialMap<string, string>();
    if (isKeyed) mapSet(cells, "Key", inspect(key, CELL));
    fillCells(cells, value, isKeyed);
    rows[rows.length] = { index, cells };
    mapForEach(cells, (_text, column) => {
      if (column !== VALUES && !contains(columns, column) && columns.length < MAX_COLUMNS) columns[columns.length] = column;
    });
  };
  if (isKeyed) mapForEach(data as ReadonlyMap<unknown, unknown>, (value, key) => add(`${rows.length}`, value, key));
  else if (kind === "set") setForEach(data, (value) => add(`${rows.length}`, value));
  else addProperties(data, add);
  const chosen = arrayIsArray(only) ? textsOf(only) : withValues(columns, rows);
  return frame(isKeyed || kind === "set" ? "(iter idx)" : "(idx)", chosen, rows);
}

function addProperties(data: object, add: (index: string, value: unknown) => void): void {
  const keys = objectKeys(data);
  for (let index = 0; index < keys.length && index < MAX_ROWS; index++) {
    const key = keys[index];
    // Own enumerable keys of an object.
    if (key !== undefined) add(key, (data as Readonly<Record<string, unknown>>)[key]);
  }
}

function fillCells(cells: Map<string, string>, value: unknown, isKeyed: boolean): void {
  if (isKeyed || ((typeof value !== "object" || value === null) && typeof value !== "function")) {
    mapSet(cells, VALUES, inspect(value, CELL));
    return;
  }
  const keys = objectKeys(value);
  for (let index = 0; index < keys.length && index < MAX_COLUMNS; index++) {
    const key = keys[index];
    if (key !== undefined) mapSet(cells, key, inspect((value as Readonly<Record<string, unknown>>)[key], CELL));
  }
}

function withValues(columns: string[], rows: Row[]): string[] {
  for (let index = 0; index < rows.length; index++) {
    if (mapHas(rows[index]?.cells, VALUES)) {
      columns[columns.length] = VALUES;
      break;
    }
  }
  return columns;
}

function textsOf(values: unknown[]): string[] {
  const texts = bareList<string>();
  for (let index = 0; index < values.length && index < MAX_COLUMNS; index++) {
    if (objectHasOwn(values, index)) texts[texts.length] = `${values[index] as string}`;
  }
  return texts;
}

function contains(list: string[], text: string): boolean {
  for (let index = 0; index < list.length; index++) if (list[index] === text) return true;
  return false;
}

function frame(corner: string, columns: string[], rows: Row[]): string {
  const grid = bareList<string[]>();
  const widths = bareList<number>();
  grid[0] = gridRow(corner, columns, (column) => column);
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row !== undefined) grid[index + 1] = gridRow(row.index, columns, (column) => mapGet(row.cells, column) ?? "");
  }
  for (let index = 0; index < grid.length; index++) {
    const cells = grid[index] ?? [];
    for (let column = 0; column < cells.length; column++) widths[column] = mathMax(widths[column] ?? 0, (cells[column] ?? "").length + 2);
  }
  const right = numericColumns(grid, widths.length);
  const lines = bareList<string>();
  lines[0] = rule("┌", "┬", "┐", widths);
  for (let index = 0; index < grid.length; index++) {
    lines[lines.length] = line(grid[index] ?? [], widths, index === 0 ? [] : right);
    if (index === 0) lines[lines.length] = rule("├", "┼", "┤", widths);
  }
  lines[lines.length] = rule("└", "┴", "┘", widths);
  return arrayJoin(lines, "\n");
}

function gridRow(first: string, columns: string[], cell: (column: string) => string): string[] {
  const cells = bareList<string>();
  cells[0] = first;
  for (let index = 0; index < columns.length; index++) cells[index + 1] = cell(columns[index] ?? "");
  return cells;
}

/** Returns the columns that hold numbers only, which are aligned to the right. */
function numericColumns(grid: string[][], columns: number): boolean[] {
  const right = bareList<boolean>();
  for (let column = 0; column < columns; column++) {
    right[column] = true;
    for (let index = 1; index < grid.length; index++) {
      const text = grid[index]?.[column] ?? "";
      if (!(+text === +text)) right[column] = false;
    }
  }
  return right;
}

function rule(left: string, middle: string, right: string, widths: number[]): string {
  const parts = bareList<string>();
  for (let index = 0; index < widths.length; index++) parts[index] = stringRepeat("─", widths[index] ?? 0);
  return `${left}${arrayJoin(parts, middle)}${right}`;
}

function line(cells: string[], widths: number[], right: boolean[]): string {
  const parts = bareList<string>();
  for (let index = 0; index < cells.length; index++) {
    const room = (widths[index] ?? 2) - 2;
    const text = cells[index] ?? "";
    parts[index] = right[index] === true ? stringPadStart(text, room) : stringPadEnd(text, room);
  }
  return `│ ${arrayJoin(parts, " │ ")} │`;
}
