/**
 * The durable record of what happened (SPEC AU3): one row an event, each sealed with all before it.
 *
 * `.bascule/audit/` holds files of some 64 MB, each named after its first row's number. The last row of a full file says
 * so, and the chain goes on in the next; the oldest files are removed, so that no guest can fill the disk with its acts.
 */

import type { JsonValue } from "../../manifests/mod.ts";
import type { JournalFile, JournalRow, Journals } from "../platform/journal-types.ts";
import { JournalError } from "../platform/journal-types.ts";
import type { Clock, Files } from "../platform/platform.ts";
import type { HostEvent } from "./events.ts";

/** Keeps events. Any implementation may take the journal's place (`createHost({ events: { store } })`). */
export interface EventStore {
  /** Awaited before the first call runs. */
  prepare(): Promise<void>;
  /** Called with each event, in order. Must not throw. */
  append(event: HostEvent): void;
  /** What was appended is durable when it resolves. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalOptions {
  readonly journals: Journals;
  readonly files: Pick<Files, "list" | "makeDirectory" | "remove" | "stat">;
  readonly clock: Pick<Clock, "after">;
  /** Absolute; made when there is something to keep. */
  readonly folder: string;
  readonly onDefect: (message: string, error?: unknown) => void;
  /** Default 64 MiB of texts a file, and 8 files. */
  readonly maximumFileBytes?: number;
  readonly maximumFiles?: number;
}

/** Events that are only read are kept together with the next ones within so many milliseconds. */
const GATHER_MS = 20;
const MAX_WAITING = 10_000;
/** Larger events are kept without what makes them large. */
const MAX_TEXT_LENGTH = 64 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 8;
/** The last row of a file that is full. */
export const CLOSING_TEXT = '{"type":"journal.continued"}';

/** They follow from `plugin.loaded` with its digest; deltas, from what their call ends with. */
const LEFT_OUT: ReadonlySet<string> = new Set(["tool.registered", "tool.unregistered", "tool.output_delta"]);
/** What begins a journal beside calls: a host that only looks leaves nothing behind. */
const ACTS: ReadonlySet<string> = new Set(["grant.changed", "policy.reloaded", "settings.changed"]);
/** A guest can make as many as it likes: they wait for one another. */
const GATHERED: ReadonlySet<string> = new Set(["capability.used", "capability.denied", "session.opened", "session.closed"]);
const PASSIVE: ReadonlySet<string> = new Set(["none", "read"]);

export function createJournal(options: JournalOptions): EventStore {
  const { journals, files, clock, folder, onDefect, maximumFileBytes = MAX_FILE_BYTES, maximumFiles = MAX_FILES } = options;
  let waiting: HostEvent[] = [];
  let dropped = 0;
  /** Calls that change something: what becomes of them is kept before their caller hears of it. */
  const changing = new Set<string>();
  let begun = false;
  let opening: Promise<void> | undefined;
  let file: JournalFile | undefined;
  let bytes = 0;
  let stopTimer: (() => void) | undefined;
  let complaint: string | undefined;

  function append(event: HostEvent): void {
    if (LEFT_OUT.has(event.type)) return;
    begun ||= ACTS.has(event.type);
    waiting.push(event);
    if (waiting.length > MAX_WAITING) {
      waiting.shift();
      dropped += 1;
    }
    if (!begun) return;
    if (isUrgent(event, changing) && file !== undefined) write();
    else stopTimer ??= clock.after(GATHER_MS, () => void flush());
  }

  /** Everything that waits, in one transaction. */
  function write(): void {
    stopTimer?.();
    stopTimer = undefined;
    if (file === undefined || waiting.length === 0) return;
    const events = waiting;
    try {
      if (bytes > maximumFileBytes || file.last()?.text === CLOSING_TEXT) continueInNext();
      file.append((last) => {
        const texts = [...(dropped === 0 ? [] : [JSON.stringify({ type: "journal.dropped", events: dropped })]), ...events.map(toText)];
        for (const text of texts) bytes += text.length;
        return chain(journals, last, texts);
      });
      waiting = [];
      dropped = 0;
      complaint = undefined;
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      stopTimer = clock.after(GATHER_MS, () => void flush());
      // Another process is writing; the next time it is our turn.
      if (!error.busy && complaint !== error.message) onDefect("The audit journal cannot be written; events wait", error);
      if (!error.busy) complaint = error.message;
    }
  }

  /** Ends a file with a row that says so, unless another process did, and begins the next with the same chain. */
  function continueInNext(): void {
    if (file === undefined) return;
    file.append((last) => (last === undefined || last.text === CLOSING_TEXT ? [] : chain(journals, last, [CLOSING_TEXT])));
    const end = file.last();
    if (end === undefined) return;
    const next = journals.open(fileOf(folder, end.number + 1), "append");
    next.append((last) => (last === undefined ? chain(journals, end, ['{"type":"journal.continues"}']) : []));
    file.close();
    file = next;
    bytes = 0;
    void removeOldest().catch((error: unknown) => onDefect("Old audit files cannot be removed", error));
  }

  async function removeOldest(): Promise<void> {
    const names = await journalFiles(files, folder);
    for (const name of names.slice(0, -maximumFiles)) {
      for (const suffix of ["", "-wal", "-shm"]) await files.remove(`${folder}/${name}${suffix}`);
    }
  }

  async function open(): Promise<void> {
    await files.makeDirectory(folder);
    const newest = (await journalFiles(files, folder)).at(-1);
    file = journals.open(newest === undefined ? fileOf(folder, 1) : `${folder}/${newest}`, "append");
    bytes = newest === undefined ? 0 : ((await files.stat(`${folder}/${newest}`))?.size ?? 0);
  }

  async function flush(): Promise<void> {
    if (!begun) return;
    try {
      await (opening ??= open());
    } catch (error) {
      opening = undefined;
      if (complaint === undefined) onDefect("The audit journal cannot be opened; events wait", error);
      complaint = String(error);
    }
    write();
  }

  return {
    async prepare() {
      begun = true;
      await flush();
    },
    append,
    flush,
    async close() {
      await flush();
      stopTimer?.();
      file?.close();
      file = undefined;
    },
  };
}

/** Names of the journal's files, the oldest first. */
export async function journalFiles(files: Pick<Files, "list">, folder: string): Promise<readonly string[]> {
  const entries = await files.list(folder);
  return entries
    .filter(({ name, kind }) => kind === "file" && /^\d{12}\.db$/.test(name))
    .map(({ name }) => name)
    .toSorted();
}

/** Where the file that begins with row `number` is. */
export function fileOf(folder: string, number: number): string {
  return `${folder}/${String(number).padStart(12, "0")}.db`;
}

function chain(journals: Journals, last: JournalRow | undefined, texts: readonly string[]): readonly JournalRow[] {
  let { number, seal } = last ?? { number: 0, seal: "" };
  return texts.map((text) => {
    number += 1;
    seal = journals.seal(seal, number, text);
    return { number, seal, text };
  });
}

/** What changes something, or was refused, is kept before anybody acts on it. */
function isUrgent(event: HostEvent, changing: Set<string>): boolean {
  const { type, callId } = event;
  if (type === "tool.called") {
    const isChanging = event.payload.sideEffects.some((effect) => !PASSIVE.has(effect));
    if (isChanging && callId !== undefined) changing.add(callId);
    return isChanging;
  }
  if (type === "tool.completed" || type === "tool.failed") return callId !== undefined && changing.delete(callId);
  return !GATHERED.has(type);
}

const LARGE = ["output", "arguments", "partialOutput", "errors"] as const;

function toText(event: HostEvent): string {
  const text = JSON.stringify(event);
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const payload: Record<string, unknown> = { ...event.payload };
  for (const key of LARGE) {
    const part = JSON.stringify(payload[key]) as string | undefined;
    if (part !== undefined && part.length > 1_024) payload[key] = { leftOut: true, characters: part.length } satisfies JsonValue;
  }
  const short = JSON.stringify({ ...event, payload });
  if (short.length <= MAX_TEXT_LENGTH) return short;
  const { id, time, type, sessionId, callId, plugin, digest } = event;
  return JSON.stringify({ id, time, type, sessionId, callId, plugin, digest, payload: { leftOut: true, characters: text.length } });
}
