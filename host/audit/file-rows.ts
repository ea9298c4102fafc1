/** Reads one journal file and skips damaged parts (SPEC AU3). */

import { JournalError, type JournalFile, type JournalRow, type Journals } from "../platform/files/journal-types.ts";
import type { Files } from "../platform/platform.ts";
import { firstOf } from "./journal-files.ts";

/** Receives the place and cause of each unreadable part, and of each row whose predecessor is missing. */
export type OnDamage = (damage: string) => void;

/** Refuses damage, for readers that need all rows. @throws {JournalError} always */
export function refuseDamage(damage: string): never {
  throw new JournalError(`${damage} ("bascule audit verify" lists what is readable)`, false);
}

/** Returns undefined if the file cannot be opened. @throws {JournalError} if another process holds a lock */
export function openOr(journals: Pick<Journals, "open">, path: string, onDamage: OnDamage): JournalFile | undefined {
  try {
    return journals.open(path, "read");
  } catch (error) {
    if (!(error instanceof JournalError) || error.busy) throw error;
    onDamage(error.message);
    return undefined;
  }
}

/** Rows per page. Each row may have 64 KB. */
const PAGE = 100;
/** Minimum bytes of a row in the file: its seal alone has 64. */
const SMALLEST_ROW_BYTES = 70;

/** Row numbers of a file, bounded by its name and the name of the next file. */
interface RowRange {
  /** Number of the file's first row. */
  readonly first: number;
  /** Upper bound of the row numbers. */
  readonly last: number;
}

/** Returns the length of the first run of consecutive rows; 1 if the first row does not continue the previous page. */
function jumpIn(rows: readonly JournalRow[], after: number): number {
  const first = rows[0]?.number ?? 0;
  if (after !== Number.MIN_SAFE_INTEGER && first !== after + 1) return 1;
  const jump = rows.findIndex(({ number }, index) => number !== first + index);
  return jump === -1 ? rows.length : jump;
}

/** Returns the row numbers that a journal file may hold. @param names of all files, the oldest first */
export async function rangeIn(
  { files, folder, names }: { readonly files: Pick<Files, "stat">; readonly folder: string; readonly names: readonly string[] },
  name: string,
  file: JournalFile,
): Promise<RowRange> {
  const first = firstOf(name);
  const next = names[names.indexOf(name) + 1];
  // Includes the rows in the file's write-ahead log.
  const sizes = await Promise.all(["", "-wal"].map(async (suffix) => (await files.stat(`${folder}/${name}${suffix}`))?.size ?? 0));
  // A damaged file may claim any number.
  const most = first + Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / SMALLEST_ROW_BYTES);
  const given = next === undefined ? highestOf(file) : firstOf(next) - 1;
  return { first, last: given < first ? most : Math.min(given, most) };
}

/**
 * Yields the rows of a file in pages, ascending. If a page cannot be read, its rows are tried one by one. Every attempt advances the
 * position, so the loop ends whatever the file returns. An empty page only yields the thread.
 *
 * @param range requested at the first damage
 * @param from only rows after this one; default all
 */
export async function* pagesOf(
  file: JournalFile,
  range: () => Promise<RowRange>,
  onDamage: OnDamage,
  from: number = Number.MIN_SAFE_INTEGER,
): AsyncGenerator<readonly JournalRow[]> {
  let after = from;
  let limit = PAGE;
  const damage = createDamage(onDamage);
  let known: RowRange | undefined;
  for (;;) {
    try {
      const found = file.rows(after, limit);
      const start = after;
      const rows = found.slice(0, jumpIn(found, start));
      const end = rows.at(-1);
      if (end === undefined) return damage.end();
      if (start !== Number.MIN_SAFE_INTEGER && end.number !== start + rows.length) {
        // The first row does not continue the previous one, so its number must lie in the file's range.
        known ??= await range();
        if (end.number > known.last) throw new JournalError(`row ${end.number} is out of place`, false);
      }
      damage.end();
      yield rows;
      after = end.number;
      limit = rows.length < found.length ? 1 : PAGE;
    } catch (error) {
      if (!(error instanceof JournalError) || error.busy) throw error;
      known ??= await range();
      after = Math.max(after, known.first - 1);
      if (limit > 1) {
        limit = 1;
        continue;
      }
      after += 1;
      damage.add(after, error.message);
      if (after >= known.last) return damage.end();
      if (after % PAGE === 0) yield [];
    }
  }
}

/** Merges unreadable rows into one text per range. */
export function createDamage(onDamage: OnDamage): { add(number: number, reason: string): void; end(): void } {
  let stretch: { from: number; to: number; readonly reason: string } | undefined;
  function end(): void {
    if (stretch === undefined) return;
    const { from, to, reason } = stretch;
    stretch = undefined;
    onDamage(`${from === to ? `row ${from}` : `rows ${from} to ${to}`} cannot be read (${reason})`);
  }
  return {
    add(number, reason) {
      if (stretch?.reason !== reason) end();
      stretch ??= { from: number, to: number, reason };
      stretch.from = Math.min(stretch.from, number);
      stretch.to = Math.max(stretch.to, number);
    },
    end,
  };
}

/** Returns the highest number ever assigned; 0 if the file cannot be read. */
export function highestOf(file: JournalFile): number {
  try {
    return file.highest();
  } catch (error) {
    if (error instanceof JournalError && !error.busy) return 0;
    throw error;
  }
}
