/**
 * Removes the oldest file of a full journal, on the service thread: rows to keep are appended again at the end of the chain, then a row
 * that records the removal, and then the file is deleted. So the chain has no gaps, and its beginning is sealed.
 */

import type { JournalRow, Journals } from "../platform/files/journal-types.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { checkpointJournal } from "./checkpoints.ts";
import { chain, CLOSING_TEXT, eventOf, firstOf, journalFiles, readRemoval, type RemovalRecord } from "./journal-files.ts";
import { callerGroup, decideKept, type Holdings, type Share, shareOf } from "./retention.ts";

export interface Retain {
  /** Absolute. */
  readonly folder: string;
  readonly maximumFiles: number;
  readonly maximumFileBytes: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** File of the journal's checkpoints; absent if there is none. */
  readonly checkpoints?: string;
}

/** Rows that are read or added per slice of the thread. */
const PAGE_ROWS = 100;
/** Maximum number of shares that a removal record names; the rest is one sum. */
const NAMED_SHARES = 50;

interface Contents {
  readonly sizes: Holdings;
  readonly counts: ReadonlyMap<Share, number>;
  readonly last: JournalRow | undefined;
  readonly removal: RemovalRecord | undefined;
}

/** Contents of full files by path; these files no longer change. */
const known = new WeakMap<Journals, Map<string, Contents>>();

export const RETAIN_JOURNAL: ServiceTask<typeof retainJournal> = { name: "journal.retain", run: retainJournal };

/** @returns how many files went */
async function retainJournal(retain: Retain, env: TaskEnvironment): Promise<number> {
  let removed = 0;
  for (;;) {
    const names = await journalFiles(env.files, retain.folder);
    const [oldest, ...others] = names;
    if (oldest === undefined || names.length <= retain.maximumFiles) return removed;
    await removeOldest(oldest, others, retain, env);
    removed += 1;
  }
}

async function removeOldest(name: string, others: readonly string[], retain: Retain, env: TaskEnvironment): Promise<void> {
  const { folder, maximumFiles, maximumFileBytes, atMs } = retain;
  const going = await contentsOf(`${folder}/${name}`, env);
  const sizes = new Map<Share, Map<string, number>>();
  let removal = going.removal;
  for (const other of others) {
    const contents = await contentsOf(`${folder}/${other}`, env);
    for (const [share, callers] of contents.sizes) for (const [caller, size] of callers) add(partOf(sizes, share), caller, size);
    removal = contents.removal ?? removal;
  }
  const target = (maximumFiles - 1) * maximumFileBytes;
  const room = decideKept(sizes, going.sizes, { target, most: maximumFileBytes / 2 });
  const counts = new Map(Object.entries(removal?.counts ?? {}));
  for (const [share, count] of going.counts) add(counts, share, count);
  const kept: string[] = [];
  const owners = await ownersOf(`${folder}/${name}`, env);
  for await (const row of rowsBack(`${folder}/${name}`, env)) {
    const { number, text } = row;
    const { share, caller, isKept } = describe(row, owners);
    const own = room.get(share);
    const left = own?.get(caller) ?? 0;
    if (own === undefined || left < text.length) continue;
    own.set(caller, left - text.length);
    add(counts, share, -1);
    kept.push(isKept ? text : `{"type":"journal.kept","number":${number},"event":${text}}`);
  }
  kept.reverse();
  if (going.last !== undefined) {
    const { number: last, seal } = going.last;
    const record: RemovalRecord = { since: removal?.since ?? atMs, last, seal, rows: total(counts), counts: namedOf(counts) };
    kept.push(JSON.stringify({ type: "journal.removed", time: atMs, ...record }));
  }
  for (let at = 0; at < kept.length; at += PAGE_ROWS) {
    await addToNewest(kept.slice(at, at + PAGE_ROWS), folder, env);
    await env.turn();
  }
  await noteBeginning(others, retain, env);
  for (const suffix of ["", "-wal", "-shm"]) await env.files.remove(`${folder}/${name}${suffix}`);
  known.get(env.journals)?.delete(`${folder}/${name}`);
}

/**
 * Notes the new beginning of the journal before a file is removed, so that any other missing row is known not to be removed by a host.
 *
 * @throws {JournalError} if it cannot be noted, unless no checkpoint exists: then none contradicts the removal
 */
async function noteBeginning(
  [next]: readonly string[],
  { folder, checkpoints: file, atMs: time }: Retain,
  env: TaskEnvironment,
): Promise<void> {
  if (file === undefined || next === undefined) return;
  try {
    await checkpointJournal({ folder, file, time, first: firstOf(next) }, env);
  } catch (error) {
    if ((await env.files.stat(file)) !== undefined) throw error;
  }
}

async function contentsOf(path: string, env: TaskEnvironment): Promise<Contents> {
  const cache = known.get(env.journals) ?? new Map<string, Contents>();
  known.set(env.journals, cache);
  const cached = cache.get(path);
  if (cached !== undefined) return cached;
  const sizes = new Map<Share, Map<string, number>>();
  const counts = new Map<Share, number>();
  const owners = await ownersOf(path, env);
  let last: JournalRow | undefined;
  let removal: RemovalRecord | undefined;
  for await (const row of rowsBack(path, env)) {
    last ??= row;
    removal ??= readRemoval(row.text);
    const { share, caller } = describe(row, owners);
    if (share === "") continue;
    add(partOf(sizes, share), caller, row.text.length);
    add(counts, share, 1);
  }
  const contents: Contents = { sizes, counts, last, removal };
  if (last?.text === CLOSING_TEXT) cache.set(path, contents);
  return contents;
}

/** Yields the newest rows first. */
async function* rowsBack(path: string, { journals, turn }: TaskEnvironment): AsyncGenerator<JournalRow> {
  const file = journals.open(path, "read");
  try {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      // A damaged file may return any order: rows that do not descend are skipped.
      const rows = file.rowsBefore(before, PAGE_ROWS).filter(({ number }) => number < before);
      const end = rows.at(-1);
      if (end === undefined) return;
      yield* rows;
      before = end.number;
      await turn();
    }
  } finally {
    file.close();
  }
}

/** Returns the owners of the sessions that began in a file. Sessions that began in an earlier file are known by id only. */
async function ownersOf(path: string, env: TaskEnvironment): Promise<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for await (const { number, text } of rowsBack(path, env)) {
    if (!text.includes('"session.opened"')) continue;
    const { type, sessionId, payload } = eventOf(number, text)?.event ?? {};
    const owner: unknown =
      type === "session.opened" && typeof payload === "object" && payload !== null ? Reflect.get(payload, "owner") : undefined;
    if (typeof sessionId === "string" && typeof owner === "string") owners.set(sessionId, owner);
  }
  return owners;
}

interface Described {
  readonly share: Share;
  readonly caller: string;
  readonly isKept: boolean;
}

/** The journal's own rows have no share. */
function describe({ number, text }: JournalRow, owners: ReadonlyMap<string, string>): Described {
  const found = eventOf(number, text);
  if (found === undefined) return { share: "", caller: "", isKept: false };
  const { type, plugin, sessionId } = found.event;
  const share = shareOf(typeof type === "string" ? type : "", typeof plugin === "string" ? plugin : "");
  const session = typeof sessionId === "string" ? sessionId : "";
  return { share, caller: callerGroup(owners.get(session) ?? session), isKept: found.isKept };
}

function add(sums: Map<string, number>, key: string, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by);
}

function partOf(parts: Map<Share, Map<string, number>>, share: Share): Map<string, number> {
  const known = parts.get(share) ?? new Map<string, number>();
  parts.set(share, known);
  return known;
}

/** Another process, or the writing thread, may close a file at any moment; then the rows go to the next file. */
async function addToNewest(texts: readonly string[], folder: string, { journals, files, turn }: TaskEnvironment): Promise<void> {
  for (;;) {
    const name = (await journalFiles(files, folder)).at(-1);
    if (name === undefined) return;
    const file = journals.open(`${folder}/${name}`, "append");
    try {
      let isFull = false;
      file.append((last) => {
        isFull = last === undefined || last.text === CLOSING_TEXT;
        return isFull ? [] : chain(journals, last, texts);
      });
      if (!isFull) return;
    } finally {
      file.close();
    }
    await turn();
  }
}

function total(counts: ReadonlyMap<Share, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Returns the largest shares by name, and the sum of the rest. */
function namedOf(counts: ReadonlyMap<Share, number>): Readonly<Record<Share, number>> {
  const sorted = [...counts].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  const rest = total(new Map(sorted.slice(NAMED_SHARES)));
  return Object.fromEntries([...sorted.slice(0, NAMED_SHARES), ...(rest > 0 ? [["others", rest] as const] : [])]);
}
