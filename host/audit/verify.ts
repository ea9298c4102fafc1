/** Reads the journal back: whether it is as it was written, and what is in it (SPEC AU3). */

import type { JournalFile, JournalRow, Journals } from "../platform/journal-types.ts";
import { JournalError } from "../platform/journal-types.ts";
import type { JsonObject } from "../../manifests/mod.ts";
import type { Files } from "../platform/platform.ts";
import { CLOSING_TEXT, eventOf, fileOf, journalFiles, OPENING_TEXT, readRemoval, type RemovalRecord } from "./journal-files.ts";

export interface JournalPlace {
  readonly journals: Journals;
  readonly files: Pick<Files, "list" | "stat">;
  /** Absolute. */
  readonly folder: string;
}

/** What came of checking every row. */
export interface JournalReport {
  readonly ok: boolean;
  readonly rows: number;
  /** The number of the oldest row kept; later than 1 where older files were removed. */
  readonly first: number;
  /** The newest row: note it elsewhere to be sure later that nothing was cut off or written anew. */
  readonly head?: { readonly number: number; readonly seal: string };
  /** What was removed to make room, as the journal itself says; absent if nothing was, or by a version that kept no record of it. */
  readonly removed?: { readonly rows: number; readonly since: number; readonly counts: Readonly<Record<string, number>> };
  /** The first thing that is wrong in each file. */
  readonly problems: readonly string[];
}

/** Each row may have 64 KB. */
const PAGE = 100;

/** Every row there is, the oldest first. @throws {JournalError} if a file cannot be read. */
export async function* readJournal(place: JournalPlace): AsyncGenerator<JournalRow> {
  for (const name of await namesOf(place)) {
    const file = place.journals.open(`${place.folder}/${name}`, "read");
    try {
      yield* rowsOf(file);
    } finally {
      file.close();
    }
  }
}

/** Every event there is, as it was kept, the oldest first: what was kept when its file was removed comes before the others. */
export async function* readEvents(place: JournalPlace, turn: () => Promise<void> = () => Promise.resolve()): AsyncGenerator<JsonObject> {
  const [oldest = ""] = await namesOf(place);
  // Where nothing was removed there is nothing to look for first.
  const passes = oldest === "" || fileOf("", 1) === `/${oldest}` ? [false] : [true, false];
  for (const kept of passes) {
    let rows = 0;
    for await (const { number, text } of readJournal(place)) {
      if (++rows % PAGE === 0) await turn();
      const found = eventOf(number, text);
      if (found?.isKept === kept) yield found.event;
    }
  }
}

/** Finds every row that was changed, moved, put in or taken out. @param expected a head that was noted earlier. @param turn lets others have theirs */
export async function verifyJournal(
  place: JournalPlace,
  expected?: string,
  turn: () => Promise<void> = () => Promise.resolve(),
): Promise<JournalReport> {
  const problems: string[] = [];
  let rows = 0;
  let first = 0;
  let last: JournalRow | undefined;
  let isExpectedThere = expected === undefined;
  let oldest: { readonly name: string; readonly row: JournalRow } | undefined;
  let removal: RemovalRecord | undefined;
  for (const name of await namesOf(place)) {
    try {
      const file = place.journals.open(`${place.folder}/${name}`, "read");
      try {
        const checked = await checkFile(file, { name, before: last, seal: place.journals.seal, expected, turn });
        rows += checked.rows;
        first ||= checked.first;
        if (checked.begin) oldest ??= { name, row: checked.begin };
        removal = checked.removal ?? removal;
        last = checked.last ?? last;
        isExpectedThere ||= checked.hasExpected;
        if (checked.problem !== undefined) problems.push(`${name}: ${checked.problem}`);
      } finally {
        file.close();
      }
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      problems.push(`${name}: cannot be read (${error.message})`);
    }
  }
  const begins = oldest && checkBeginning(oldest.row, removal, place.journals.seal);
  if (begins !== undefined) problems.push(`${oldest?.name ?? ""}: ${begins}`);
  if (!isExpectedThere) problems.push("no row has the expected seal: rows were cut off, or the journal was written anew");
  const { since = 0, rows: gone = 0, counts = {} } = removal ?? {};
  const removed = removal && { removed: { rows: gone, since, counts } };
  return { ok: problems.length === 0, rows, first, ...removed, ...(last && { head: { number: last.number, seal: last.seal } }), problems };
}

interface FileCheck {
  readonly name: string;
  /** The last row of the file before. */
  readonly before: JournalRow | undefined;
  readonly seal: Journals["seal"];
  readonly expected: string | undefined;
  readonly turn: () => Promise<void>;
}

/** What came before the oldest row there is must be on record, down to the seal; older versions removed files and kept none. */
function checkBeginning(row: JournalRow, removal: RemovalRecord | undefined, seal: Journals["seal"]): string | undefined {
  if (row.number === 1 || (removal === undefined && row.text !== OPENING_TEXT)) return undefined;
  // A host that was killed in between has said that it removes a file, and has not yet.
  if (removal !== undefined && removal.last >= row.number) return undefined;
  if (removal?.last !== row.number - 1) return `the rows before row ${row.number} are gone, and no record says that they were removed`;
  if (seal(removal.seal, row.number, row.text) === row.seal) return undefined;
  return `row ${row.number} does not follow what was removed before it`;
}

interface CheckedFile {
  /** Its first row. */
  readonly begin?: JournalRow;
  /** The newest that it holds. */
  readonly removal?: RemovalRecord;
  readonly rows: number;
  readonly first: number;
  readonly last?: JournalRow;
  readonly hasExpected: boolean;
  readonly problem?: string;
}

async function checkFile(file: JournalFile, { name, before, seal, expected, turn }: FileCheck): Promise<CheckedFile> {
  let last = before;
  let rows = 0;
  let first = 0;
  let hasExpected = false;
  let begin: JournalRow | undefined;
  let removal: RemovalRecord | undefined;
  let problem = file.damage();
  for (const row of rowsOf(file)) {
    if (rows % PAGE === 0) await turn();
    rows += 1;
    first ||= row.number;
    begin ??= row;
    removal = readRemoval(row.text) ?? removal;
    // The oldest file there is may begin in the middle: what came before it was removed as a whole file.
    const isOldest = rows === 1 && before === undefined && fileOf("", row.number) === `/${name}` && row.number > 1;
    const follows = isOldest || row.number === (last?.number ?? 0) + 1;
    if (!follows) problem ??= `row ${row.number} follows row ${last?.number ?? 0}: rows are missing, or were moved`;
    else if (rows === 1 && last !== undefined && last.text !== CLOSING_TEXT)
      problem ??= `row ${row.number} continues a file that was not full`;
    else if (!isOldest && row.seal !== seal(last?.seal ?? "", row.number, row.text))
      problem ??= `row ${row.number} is not what was written`;
    hasExpected ||= row.seal === expected;
    last = row;
  }
  if (file.highest() > (last?.number ?? 0)) problem ??= `row ${file.highest()} was written and is gone: the end was cut off`;
  return {
    rows,
    first,
    hasExpected,
    ...(begin && { begin }),
    ...(removal && { removal }),
    ...(last && { last }),
    ...(problem !== undefined && { problem }),
  };
}

function* rowsOf(file: JournalFile): Generator<JournalRow> {
  let after = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const page = file.rows(after, PAGE);
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    after = end.number;
  }
}

/** The journal's files, the oldest first; none where there is no journal yet. */
export async function namesOf({ files, folder }: Pick<JournalPlace, "files" | "folder">): Promise<readonly string[]> {
  return (await files.stat(folder)) === undefined ? [] : await journalFiles(files, folder);
}
