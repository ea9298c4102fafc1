/** Reads the journal and verifies that it is unaltered (SPEC AU3). */

import type { JsonObject } from "../../manifests/mod.ts";
import type { JournalFile, JournalRow, Journals } from "../platform/files/journal-types.ts";
import type { Files } from "../platform/platform.ts";
import { type Checkpoint, checkpointText } from "./checkpoints.ts";
import { type OnDamage, highestOf, openOr, pagesOf, rangeIn, refuseDamage } from "./file-rows.ts";
import { CLOSING_TEXT, eventOf, fileOf, firstOf, isOwnRow, namesOf, readRemoval, type RemovalRecord } from "./journal-files.ts";

export interface JournalPlace {
  readonly journals: Journals;
  readonly files: Pick<Files, "list" | "stat">;
  /** Absolute. */
  readonly folder: string;
}

/** Result of verifying every row. */
export interface JournalReport {
  readonly ok: boolean;
  /** Number of readable rows. */
  readonly rows: number;
  /** Number of the oldest kept row; above 1 if older files were removed. */
  readonly first: number;
  /** The newest row: note it elsewhere to detect a later truncation or rewrite. */
  readonly head?: { readonly number: number; readonly seal: string };
  /** Rows removed to make room, as recorded in the journal; absent if none were, or if an older version removed them. */
  readonly removed?: { readonly rows: number; readonly since: number; readonly counts: Readonly<Record<string, number>> };
  /** The newest row in a checkpoint, and the key that signs it; absent if there is none. */
  readonly checkpoint?: { readonly number: number; readonly time: number; readonly publicKey: string };
  /** Problems that the user accepted, and the time in milliseconds since the epoch. */
  readonly accepted?: { readonly time: number; readonly problems: readonly string[] };
  /** Problems: for each file, its unreadable parts and the first altered row; then rows that checkpoints know and the journal lacks. */
  readonly problems: readonly string[];
}

/** Facts about the journal that were noted outside of it. */
interface Expected {
  /** Seal of a row that was noted. */
  readonly seal?: string;
  readonly checkpoints?: readonly Checkpoint[];
}

/** Maximum number of unreadable parts reported per file. */
const MOST_DAMAGES = 20;
/** Rows between two slices. */
const TURN_ROWS = 100;

/**
 * Yields every readable row, the oldest first.
 *
 * @param onDamage receives unreadable parts; default: throws
 * @param from the first row to yield; default: all
 * @throws {JournalError}
 */
export async function* readJournal(place: JournalPlace, onDamage: OnDamage = refuseDamage, from: number = 1): AsyncGenerator<JournalRow> {
  const names = await namesOf(place);
  const begin = Math.max(
    0,
    names.findLastIndex((name) => firstOf(name) <= from),
  );
  let next = Math.max(from, firstOf(names[begin] ?? "0"));
  let last: JournalRow | undefined;
  for (const name of names.slice(begin)) {
    const tell: OnDamage = (damage) => onDamage(`${name}: ${damage}`);
    const file = openOr(place.journals, `${place.folder}/${name}`, (reason) => tell(`cannot be read (${reason})`));
    if (file === undefined) continue;
    try {
      const before = firstOf(name) < from ? from - 1 : undefined;
      for await (const page of pagesOf(file, () => rangeIn({ ...place, names }, name, file), tell, before)) {
        for (const row of page) {
          if (row.number !== next) tell(`row ${row.number} follows row ${next - 1}`);
          // The seal before the first row of a shortened journal is unknown.
          else if ((last !== undefined || next === 1) && place.journals.seal(last?.seal ?? "", next, row.text) !== row.seal)
            tell(`row ${next} does not match its seal`);
          next = row.number + 1;
          last = row;
          yield row;
        }
      }
      const given = name === names.at(-1) ? highestOf(file) : next - 1;
      if (given > next - 1) tell(`row ${given} was written and is missing`);
    } finally {
      file.close();
    }
  }
}

/** Yields every event as kept, the oldest first: events kept from removed files come before the others. */
export async function* readEvents(
  place: JournalPlace,
  { turn = () => Promise.resolve(), onDamage = refuseDamage }: { readonly turn?: () => Promise<void>; readonly onDamage?: OnDamage } = {},
): AsyncGenerator<JsonObject> {
  const [oldest = ""] = await namesOf(place);
  // A journal without removals needs one pass only.
  const passes = oldest === "" || fileOf("", 1) === `/${oldest}` ? [false] : [true, false];
  for (const kept of passes) {
    let rows = 0;
    for await (const { number, text } of readJournal(place, onDamage)) {
      if (++rows % TURN_ROWS === 0) await turn();
      const found = eventOf(number, text);
      if (found === undefined && !isOwnRow(text)) onDamage(`row ${number} is not an event`);
      if (found?.isKept === kept) yield found.event;
    }
  }
}

/**
 * Detects every row that was changed, moved, inserted or removed.
 *
 * @param turn yields the thread between slices; it gets the number of rows so far, and of all rows as the files' names tell
 */
export async function verifyJournal(
  place: JournalPlace,
  { seal: noted, checkpoints = [] }: Expected = {},
  turn: (rows: number, total: number) => Promise<void> = () => Promise.resolve(),
): Promise<Omit<JournalReport, "checkpoint" | "accepted">> {
  const problems: string[] = [];
  const names = await namesOf(place);
  const wanted = new Set(checkpoints.map(({ number }) => number));
  const found = new Map<number, string>();
  let rows = 0;
  let last: JournalRow | undefined;
  let oldest: { readonly name: string; readonly row: JournalRow } | undefined;
  let removal: RemovalRecord | undefined;
  let isNotedThere = noted === undefined;
  const total = totalOf(place, names);
  for (const name of names) {
    const file = openOr(place.journals, `${place.folder}/${name}`, (reason) => problems.push(`${name}: cannot be read (${reason})`));
    if (file === undefined) continue;
    const checked = await checkFile(file, {
      ...{ name, before: last, seal: place.journals.seal, turn: (more) => turn(rows + more, total) },
      range: () => rangeIn({ ...place, names }, name, file),
      onRow(row) {
        if (wanted.has(row.number)) found.set(row.number, row.seal);
        isNotedThere ||= row.seal === noted;
        removal = readRemoval(row.text) ?? removal;
      },
    }).finally(() => file.close());
    rows += checked.rows;
    if (checked.begin) oldest ??= { name, row: checked.begin };
    last = checked.last ?? last;
    problems.push(...checked.problems.map((problem) => `${name}: ${problem}`));
  }
  // Otherwise the problem was reported with its file.
  const beginning = oldest !== undefined && fileOf("", oldest.row.number) === `/${oldest.name}` ? oldest.row : undefined;
  const begins = beginning && checkBeginning(beginning, removal, { seal: place.journals.seal, checkpoints });
  if (begins !== undefined) problems.push(`${oldest?.name ?? ""}: ${begins}`);
  if (!isNotedThere) problems.push("no row has the expected seal: the journal was truncated or rewritten");
  const first = oldest?.row.number ?? 0;
  problems.push(...checkpoints.flatMap((checkpoint) => checkPoint(checkpoint, { first, last: last?.number ?? 0, found }) ?? []));
  const { since = 0, rows: gone = 0, counts = {} } = removal ?? {};
  const removed = removal && { removed: { rows: gone, since, counts } };
  return { ok: problems.length === 0, rows, first, ...removed, ...(last && { head: { number: last.number, seal: last.seal } }), problems };
}

/** Returns the number of rows from the first file's name to the last file's end, at least 0. */
function totalOf({ journals, folder }: JournalPlace, names: readonly string[]): number {
  const [oldest = "", newest = oldest] = [names[0], names.at(-1)];
  const file = openOr(journals, `${folder}/${newest}`, () => {});
  if (file === undefined) return 0;
  try {
    return Math.max(0, highestOf(file) - firstOf(oldest) + 1);
  } finally {
    file.close();
  }
}

/**
 * Checks the rows before the oldest one: their removal must be recorded, including the seal, or a checkpoint must show that they were gone.
 */
function checkBeginning(
  row: JournalRow,
  removal: RemovalRecord | undefined,
  { seal, checkpoints }: { readonly seal: Journals["seal"]; readonly checkpoints: readonly Checkpoint[] },
): string | undefined {
  if (row.number <= 1) return undefined;
  // A host that was killed in between has recorded the removal of a file and has not deleted it yet.
  if (removal !== undefined && removal.last >= row.number) return undefined;
  if (removal?.last === row.number - 1)
    return seal(removal.seal, row.number, row.text) === row.seal
      ? undefined
      : `row ${row.number} does not follow what was removed before it`;
  if (checkpoints.some(({ first }) => first === row.number)) return undefined;
  return `the rows before row ${row.number} are missing, and the journal has no record of their removal`;
}

/** Checks that the journal still holds the rows of a checkpoint. */
function checkPoint(
  checkpoint: Checkpoint,
  { first, last, found }: { readonly first: number; readonly last: number; readonly found: ReadonlyMap<number, string> },
): string | undefined {
  const { number, seal } = checkpoint;
  const known = `${checkpointText(checkpoint)} has`;
  if (first === 0) return `the journal is empty, and ${known} ${number} rows`;
  if (number > last) return `rows ${last + 1} to ${number} are missing: ${known} row ${number}`;
  if (found.get(number) === undefined) return `row ${number} is missing: ${known} it`;
  if (found.get(number) !== seal) return `row ${number} differs from the one that ${known}: the journal was replaced or rewritten`;
  if (first > checkpoint.first) return `rows ${checkpoint.first} to ${first - 1} are missing: ${known} them, and no host removed them`;
  return undefined;
}

interface FileCheck {
  readonly name: string;
  /** The last row of the previous file. */
  readonly before: JournalRow | undefined;
  readonly seal: Journals["seal"];
  readonly range: Parameters<typeof pagesOf>[1];
  /** Gets the number of the file's rows so far. */
  readonly turn: (rows: number) => Promise<void>;
  readonly onRow: (row: JournalRow) => void;
}

interface CheckedFile {
  /** The file's first row. */
  readonly begin?: JournalRow;
  readonly rows: number;
  readonly last?: JournalRow;
  readonly problems: readonly string[];
}

async function checkFile(file: JournalFile, { name, before, seal, range, turn, onRow }: FileCheck): Promise<CheckedFile> {
  let last = before;
  let rows = 0;
  let begin: JournalRow | undefined;
  let problem: string | undefined;
  let damages = 0;
  /** Set after unreadable rows: the next row's seal cannot be checked. */
  let isCut = false;
  const structure = file.damage();
  const problems: string[] = structure === undefined ? [] : [`damaged (${structure.replaceAll(/\s+/gu, " ")})`];
  function onDamage(damage: string): void {
    isCut = true;
    if (++damages <= MOST_DAMAGES) problems.push(damage);
  }
  for await (const page of pagesOf(file, range, onDamage)) {
    await turn(rows);
    for (const row of page) {
      rows += 1;
      // The oldest file may begin in the middle, because earlier files were removed.
      const isOldest = begin === undefined && before === undefined && fileOf("", row.number) === `/${name}` && row.number > 1;
      if (!isOldest && !isCut) problem ??= checkRow(row, { last, isBegin: begin === undefined, seal });
      begin ??= row;
      onRow(row);
      last = row;
      isCut = false;
    }
  }
  if (damages > MOST_DAMAGES) problems.push(`${damages - MOST_DAMAGES} more places cannot be read`);
  const given = highestOf(file);
  if (damages === 0 && given > (last?.number ?? 0)) problem ??= `row ${given} was written and is missing: the end is truncated`;
  if (problem !== undefined) problems.push(problem);
  return { rows, ...(begin && { begin }), ...(last && { last }), problems };
}

function checkRow(
  row: JournalRow,
  { last, isBegin, seal }: { readonly last: JournalRow | undefined; readonly isBegin: boolean; readonly seal: Journals["seal"] },
): string | undefined {
  const before = last?.number ?? 0;
  if (row.number !== before + 1) return `row ${row.number} follows row ${before}: rows are missing or were moved`;
  if (isBegin && last !== undefined && last.text !== CLOSING_TEXT) return `row ${row.number} continues a file that was not full`;
  return row.seal === seal(last?.seal ?? "", row.number, row.text) ? undefined : `row ${row.number} does not match its seal`;
}
