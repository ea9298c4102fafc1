/**
 * Writes the journal's files on the service thread (SPEC AU3).
 *
 * A folder holds files of some 64 MB, each named after the number of its first row. The last row of a full file marks its end, and the
 * chain continues in the next file; `retain-task.ts` removes the oldest.
 */

import { errorText } from "../platform/error-text.ts";
import type { JournalFile, Journals } from "../platform/files/journal-types.ts";
import { JournalError } from "../platform/files/journal-types.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { chain, CLOSING_TEXT, fileOf, journalFiles, OPENING_TEXT } from "./journal-files.ts";

/** Rows to add, in order. */
export interface JournalBatch {
  /** Absolute; created if it does not exist. */
  readonly folder: string;
  readonly texts: readonly string[];
  /** Whether an earlier attempt may have written the rows: existing ones are skipped. */
  readonly again: boolean;
  /** Maximum size of a file's texts; rows above it go to the next file. */
  readonly maximumFileBytes: number;
}

/** `busy`: another process writes; a retry may succeed. */
export type JournalWritten =
  /** `isNewFile`: the number of files may exceed the maximum now. */
  { readonly ok: true; readonly isNewFile?: boolean } | { readonly ok: false; readonly busy: boolean; readonly message: string };

/** Maximum number of rows to search for those of an earlier attempt. */
const LOOK_BACK = 20_000;

interface OpenFolder {
  file: JournalFile;
  bytes: number;
}

/** Open files by thread. Hosts of one process may share them. */
const folders = new WeakMap<Journals, Map<string, OpenFolder>>();

export const APPEND_TO_JOURNAL: ServiceTask<typeof appendToJournal> = { name: "journal.append", run: appendToJournal };

/** Synchronous while the newest file has room: calls wait for it. */
function appendToJournal(batch: JournalBatch, env: TaskEnvironment): JournalWritten | Promise<JournalWritten> {
  const open = openedIn(env).get(batch.folder);
  if (open === undefined || isFull(open, batch)) return appendLater(batch, env);
  try {
    write(open, batch, env.journals);
    return { ok: true };
  } catch (error) {
    return toFailure(error, batch, env);
  }
}

async function appendLater(batch: JournalBatch, env: TaskEnvironment): Promise<JournalWritten> {
  try {
    const open = await openFolder(batch.folder, env);
    const begins = isFull(open, batch);
    if (begins) continueInNext(open, batch, env);
    write(open, batch, env.journals);
    return { ok: true, ...(begins && { isNewFile: true }) };
  } catch (error) {
    return toFailure(error, batch, env);
  }
}

export const CLOSE_JOURNAL: ServiceTask<typeof closeJournal> = { name: "journal.close", run: closeJournal };

function closeJournal({ folder }: Pick<JournalBatch, "folder">, env: TaskEnvironment): void {
  const opened = openedIn(env);
  opened.get(folder)?.file.close();
  opened.delete(folder);
}

function openedIn({ journals }: Pick<TaskEnvironment, "journals">): Map<string, OpenFolder> {
  const opened = folders.get(journals) ?? new Map<string, OpenFolder>();
  folders.set(journals, opened);
  return opened;
}

async function openFolder(folder: string, env: TaskEnvironment): Promise<OpenFolder> {
  const { files, journals } = env;
  const known = openedIn(env).get(folder);
  if (known !== undefined) return known;
  await files.makeDirectory(folder);
  const newest = (await journalFiles(files, folder)).at(-1);
  const file = journals.open(newest === undefined ? fileOf(folder, 1) : `${folder}/${newest}`, "append");
  try {
    checkEnd(file, journals);
  } catch (error) {
    file.close();
    throw error;
  }
  const bytes = newest === undefined ? 0 : ((await files.stat(`${folder}/${newest}`))?.size ?? 0);
  const open = { file, bytes };
  openedIn(env).set(folder, open);
  return open;
}

/** Refuses to continue a damaged end, because every later seal would depend on it. @throws {JournalError} */
function checkEnd(file: JournalFile, journals: Journals): void {
  const last = file.last();
  const [before] = last === undefined ? [] : file.rowsBefore(last.number, 1);
  if (last === undefined || before === undefined) return;
  if (before.number === last.number - 1 && journals.seal(before.seal, last.number, last.text) === last.seal) return;
  throw new JournalError(
    `the end of the newest file is damaged ("bascule audit verify" lists what is readable; move the folder away to start a new journal)`,
    false,
  );
}

function isFull({ file, bytes }: OpenFolder, { maximumFileBytes }: JournalBatch): boolean {
  return bytes > maximumFileBytes || file.last()?.text === CLOSING_TEXT;
}

function write(open: OpenFolder, { texts, again }: JournalBatch, journals: Journals): void {
  if (texts.length === 0) return;
  open.file.append((last) => {
    const there =
      again && last !== undefined ? new Set(open.file.rows(last.number - LOOK_BACK, LOOK_BACK).map(({ text }) => text)) : undefined;
    const missing = there === undefined ? texts : texts.filter((text) => !there.has(text));
    for (const text of missing) open.bytes += text.length;
    return chain(journals, last, missing);
  });
}

/** Closes a file with its closing row, unless another process did, and starts the next file with the same chain. */
function continueInNext(open: OpenFolder, { folder }: JournalBatch, { journals }: TaskEnvironment): void {
  open.file.append((last) => (last === undefined || last.text === CLOSING_TEXT ? [] : chain(journals, last, [CLOSING_TEXT])));
  const end = open.file.last();
  if (end === undefined) return;
  const next = journals.open(fileOf(folder, end.number + 1), "append");
  next.append((last) => (last === undefined ? chain(journals, end, [OPENING_TEXT]) : []));
  open.file.close();
  open.file = next;
  open.bytes = 0;
}

/** The next attempt opens the file again, because the file or its disk may be gone. */
function toFailure(error: unknown, batch: JournalBatch, env: TaskEnvironment): JournalWritten {
  const busy = error instanceof JournalError && error.busy;
  if (!busy) closeJournal(batch, env);
  return { ok: false, busy, message: errorText(error) };
}
