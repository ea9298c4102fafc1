/** Reads the journal back: whether it is as it was written, and what is in it (SPEC AU3). */

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

/** What came of checking every row. */
export interface JournalReport {
  readonly ok: boolean;
  /** Rows that can be read. */
  readonly rows: number;
  /** The number of the oldest row kept; later than 1 where older files were removed. */
  readonly first: number;
  /** The newest row: note it elsewhere to be sure later that nothing was cut off or written anew. */
  readonly head?: { readonly number: number; readonly seal: string };
  /** What was removed to make room, as the journal itself says; absent if nothing was, or by a version that kept no record of it. */
  readonly removed?: { readonly rows: number; readonly since: number; readonly counts: Readonly<Record<string, number>> };
  /** The newest row that is known outside of the journal, and the key that signs it; absent if none is. */
  readonly checkpoint?: { readonly number: number; readonly time: number; readonly publicKey: string };
  /** What a person took as it is, when (milliseconds since the epoch), and what was wrong then. */
  readonly accepted?: { readonly time: number; readonly problems: readonly string[] };
  /** What is wrong: in each file, what cannot be read and the first row that is not as it was written; then what checkpoints miss. */
  readonly problems: readonly string[];
}

/** What is known of the journal from elsewhere. */
export interface Expected {
  /** The seal of a row that was noted. */
  readonly seal?: string;
  readonly checkpoints?: readonly Checkpoint[];
}

/** Of what cannot be read in one file, so many are told. */
const MOST_DAMAGES = 20;
/** Between two turns for others. */
const TURN_ROWS = 100;

/**
 * Every row that can be read, the oldest first.
 *
 * @param onDamage told of what cannot; default: throws
 * @param from the first row that is wanted; default: of all
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
          // Nothing is known of what the first row of a journal that made room is sealed with.
          else if ((last !== undefined || next === 1) && place.journals.seal(last?.seal ?? "", next, row.text) !== row.seal)
            tell(`row ${next} is not what was written`);
          next = row.number + 1;
          last = row;
          yield row;
        }
      }
      const given = name === names.at(-1) ? highestOf(file) : next - 1;
      if (given > next - 1) tell(`row ${given} was written and is gone`);
    } finally {
      file.close();
    }
  }
}

/** Every event there is, as it was kept, the oldest first: what was kept when its file was removed comes before the others. */
export async function* readEvents(
  place: JournalPlace,
  { turn = () => Promise.resolve(), onDamage = refuseDamage }: { readonly turn?: () => Promise<void>; readonly onDamage?: OnDamage } = {},
): AsyncGenerator<JsonObject> {
  const [oldest = ""] = await namesOf(place);
  // Where nothing was removed there is nothing to look for first.
  const passes = oldest === "" || fileOf("", 1) === `/${oldest}` ? [false] : [true, false];
  for (const kept of passes) {
    let rows = 0;
    for await (const { number, text } of readJournal(place, onDamage)) {
      if (++rows % TURN_ROWS === 0) await turn();
      const found = eventOf(number, text);
      if (found === undefined && !isOwnRow(text)) onDamage(`row ${number} is no event`);
      if (found?.isKept === kept) yield found.event;
    }
  }
}

/** Finds every row that was changed, moved, put in or taken out. @param turn lets others have theirs */
export async function verifyJournal(
  place: JournalPlace,
  { seal: noted, checkpoints = [] }: Expected = {},
  turn: () => Promise<void> = () => Promise.resolve(),
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
  for (const name of names) {
    const file = openOr(place.journals, `${place.folder}/${name}`, (reason) => problems.push(`${name}: cannot be read (${reason})`));
    if (file === undefined) continue;
    const checked = await checkFile(file, {
      ...{ name, before: last, seal: place.journals.seal, turn },
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
  // Otherwise its file has said it already.
  const beginning = oldest !== undefined && fileOf("", oldest.row.number) === `/${oldest.name}` ? oldest.row : undefined;
  const begins = beginning && checkBeginning(beginning, removal, { seal: place.journals.seal, checkpoints });
  if (begins !== undefined) problems.push(`${oldest?.name ?? ""}: ${begins}`);
  if (!isNotedThere) problems.push("no row has the expected seal: rows were cut off, or the journal was written anew");
  const first = oldest?.row.number ?? 0;
  problems.push(...checkpoints.flatMap((checkpoint) => checkPoint(checkpoint, { first, last: last?.number ?? 0, found }) ?? []));
  const { since = 0, rows: gone = 0, counts = {} } = removal ?? {};
  const removed = removal && { removed: { rows: gone, since, counts } };
  return { ok: problems.length === 0, rows, first, ...removed, ...(last && { head: { number: last.number, seal: last.seal } }), problems };
}

/** What came before the oldest row there is must be on record, down to the seal, or have been gone when a checkpoint was written. */
function checkBeginning(
  row: JournalRow,
  removal: RemovalRecord | undefined,
  { seal, checkpoints }: { readonly seal: Journals["seal"]; readonly checkpoints: readonly Checkpoint[] },
): string | undefined {
  if (row.number <= 1) return undefined;
  // A host that was killed in between has said that it removes a file, and has not yet.
  if (removal !== undefined && removal.last >= row.number) return undefined;
  if (removal?.last === row.number - 1)
    return seal(removal.seal, row.number, row.text) === row.seal
      ? undefined
      : `row ${row.number} does not follow what was removed before it`;
  if (checkpoints.some(({ first }) => first === row.number)) return undefined;
  return `the rows before row ${row.number} are gone, and no record says that they were removed`;
}

/** Whether the journal still holds what a checkpoint knows of it. */
function checkPoint(
  checkpoint: Checkpoint,
  { first, last, found }: { readonly first: number; readonly last: number; readonly found: ReadonlyMap<number, string> },
): string | undefined {
  const { number, seal } = checkpoint;
  const known = `${checkpointText(checkpoint)} knows`;
  if (first === 0) return `nothing of the journal is left, and ${known} ${number} rows`;
  if (number > last) return `rows ${last + 1} to ${number} are gone: ${known} row ${number}`;
  if (found.get(number) === undefined) return `row ${number} is gone: ${known} it`;
  if (found.get(number) !== seal) return `row ${number} is not the one that ${known}: the journal was replaced, or written anew`;
  if (first > checkpoint.first) return `rows ${checkpoint.first} to ${first - 1} are gone: ${known} them, and no host removed them`;
  return undefined;
}

interface FileCheck {
  readonly name: string;
  /** The last row of the file before. */
  readonly before: JournalRow | undefined;
  readonly seal: Journals["seal"];
  readonly range: Parameters<typeof pagesOf>[1];
  readonly turn: () => Promise<void>;
  readonly onRow: (row: JournalRow) => void;
}

interface CheckedFile {
  /** Its first row. */
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
  /** After rows that cannot be read, the next one is taken as it is. */
  let isCut = false;
  const structure = file.damage();
  const problems: string[] = structure === undefined ? [] : [`damaged (${structure.replaceAll(/\s+/gu, " ")})`];
  function onDamage(damage: string): void {
    isCut = true;
    if (++damages <= MOST_DAMAGES) problems.push(damage);
  }
  for await (const page of pagesOf(file, range, onDamage)) {
    await turn();
    for (const row of page) {
      rows += 1;
      // The oldest file there is may begin in the middle: what came before it was removed as a whole file.
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
  if (damages === 0 && given > (last?.number ?? 0)) problem ??= `row ${given} was written and is gone: the end was cut off`;
  if (problem !== undefined) problems.push(problem);
  return { rows, ...(begin && { begin }), ...(last && { last }), problems };
}

function checkRow(
  row: JournalRow,
  { last, isBegin, seal }: { readonly last: JournalRow | undefined; readonly isBegin: boolean; readonly seal: Journals["seal"] },
): string | undefined {
  const before = last?.number ?? 0;
  if (row.number !== before + 1) return `row ${row.number} follows row ${before}: rows are missing, or were moved`;
  if (isBegin && last !== undefined && last.text !== CLOSING_TEXT) return `row ${row.number} continues a file that was not full`;
  return row.seal === seal(last?.seal ?? "", row.number, row.text) ? undefined : `row ${row.number} is not what was written`;
}
