/**
 * The durable record of what happened (SPEC AU3): one row an event, each sealed with all before it. The rows are written by the
 * service thread (`journal-writer.ts`); here they are made, queued and acknowledged.
 *
 * A call that changes something waits until its `tool.called` is durable before it acts, and until its end is before its caller
 * hears of it. One batch is written at a time and takes all that has gathered meanwhile, so calls share their commits.
 */

import type { Clock } from "../platform/platform.ts";
import { createActBudget } from "./act-budget.ts";
import { createCheckpointSchedule } from "./checkpoint-schedule.ts";
import { toEventText } from "./event-text.ts";
import { type HostEvent, TERMINAL_EVENT_TYPES } from "./events.ts";
import { createCallers, holdersOf, JournalQueue, type QueuedRow } from "./journal-queue.ts";
import type { JournalBatch, JournalWritten } from "./journal-writer.ts";
import type { Retain } from "./retain-task.ts";

/** Keeps events. Any implementation may take the journal's place (`createHost({ events: { store } })`). */
export interface EventStore {
  /** Awaited before the first call runs. */
  prepare(): Promise<void>;
  /**
   * Called with each event, in order. Must not throw.
   *
   * @returns whether the event is durable, for one that the host is to wait for: if a `tool.called` is not, a call that changes
   * something is refused, and any other whose payload says `required`. Never rejects.
   */
  append(event: HostEvent): Promise<boolean> | undefined;
  /** What was appended is durable when it resolves. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The service thread, as far as the journal uses it. */
export interface JournalWriter {
  /** Rejects if the thread ends. */
  append(batch: JournalBatch): Promise<JournalWritten>;
  /** Notes the newest row outside of the journal. @param time milliseconds since the epoch @throws {ServiceError} if it cannot */
  checkpoint?(time: number): Promise<{ readonly conflict?: string }>;
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Absolute; made when there is something to keep. */
  readonly folder: string;
  readonly writer: JournalWriter;
  /** Makes room, when a file is full. */
  readonly retain: (retain: Retain) => Promise<unknown>;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Default 64 MiB of texts a file, and 8 files. */
  readonly maximumFileBytes?: number;
  readonly maximumFiles?: number;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Events that are only read are kept together with the next ones within so many milliseconds. */
const GATHER_MS = 20;
/** Of one batch. */
const MAX_BATCH = 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 8;
/** Another process writes; then the journal is taken to be out of order. */
const MAX_BUSY = 100;

/** They follow from `plugin.loaded` with its digest; deltas, from what their call ends with. */
const LEFT_OUT: ReadonlySet<string> = new Set(["tool.registered", "tool.unregistered", "tool.output_delta"]);
/** What begins a journal beside calls: a host that only looks leaves nothing behind. */
const ACTS: ReadonlySet<string> = new Set(["grant.changed", "policy.reloaded", "settings.changed"]);
/** A guest can make as many as it likes: they wait for one another. */
const GATHERED: ReadonlySet<string> = new Set(["capability.used", "capability.denied", "session.opened", "session.closed"]);
const PASSIVE: ReadonlySet<string> = new Set(["none", "read"]);

interface Row extends QueuedRow {
  /** Told whether the row is durable. */
  acknowledge?: (durable: boolean) => void;
}

export function createJournal(options: JournalOptions): EventStore {
  const { writer, retain, clock, folder, onDefect, maximumFileBytes = MAX_FILE_BYTES, maximumFiles = MAX_FILES } = options;
  const acts = createActBudget();
  let retaining: Promise<void> | undefined;
  const waiting = new JournalQueue<Row>();
  const callerOf = createCallers();
  let dropped = 0;
  /** Calls that change something: what becomes of them is kept before their caller hears of it. */
  const changing = new Set<string>();
  let begun = false;
  let writing: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  const checkpoints = createCheckpointSchedule({ note: async (time) => (await writer.checkpoint?.(time)) ?? {}, clock, onDefect });
  let complaint: string | undefined;
  /** The last attempt may have written what it took. */
  let isUncertain = false;
  let busyFor = 0;

  function append(event: HostEvent): Promise<boolean> | undefined {
    if (LEFT_OUT.has(event.type)) return undefined;
    begun ||= ACTS.has(event.type);
    const caller = callerOf(event);
    if ((event.type === "capability.used" || event.type === "capability.denied") && !acts.take(event, caller)) return undefined;
    const holders = holdersOf(event, caller);
    const summed = isTerminal(event.type) ? acts.end(event) : undefined;
    if (summed !== undefined) push({ text: summed, holders });
    const row: Row = { text: toEventText(event), holders };
    const isOver = push(row);
    const isUrgentEvent = isUrgent(event, changing);
    if (!begun) return undefined;
    if (isUrgentEvent || (isOver && complaint === undefined)) return durable(row);
    stopTimer ??= clock.after(GATHER_MS, () => void write());
    return undefined;
  }

  /** @returns whether one of its holders has more than its share */
  function push(row: Row): boolean {
    const isOver = waiting.add(row);
    drop();
    return isOver;
  }

  function drop(): void {
    for (let row = waiting.drop(); row !== undefined; row = waiting.drop()) {
      row.acknowledge?.(false);
      dropped += 1;
    }
  }

  function durable(row: Row): Promise<boolean> {
    const acknowledged = new Promise<boolean>((resolve) => (row.acknowledge = resolve));
    void write();
    return acknowledged;
  }

  /** Batch after batch, until nothing waits or one cannot be written. */
  function write(): Promise<void> {
    stopTimer?.();
    stopTimer = undefined;
    return (writing ??= writeAll());
  }

  async function writeAll(): Promise<void> {
    let outcome: "written" | "busy" | "refused" = "written";
    do outcome = await writeBatch();
    // After a refusal only those wait for an answer that came in the meantime.
    while (
      outcome === "written"
        ? waiting.length > 0
        : outcome === "refused" && [...waiting].some(({ acknowledge }) => acknowledge !== undefined)
    );
    // In the same turn as the check of `waiting`: an event that comes later starts another write.
    writing = undefined;
    if (waiting.length > 0) stopTimer ??= clock.after(GATHER_MS, () => void write());
  }

  async function writeBatch(): Promise<"written" | "busy" | "refused"> {
    const rows = waiting.take(MAX_BATCH);
    const texts = rows.map(({ text }) => text);
    const noted = dropped;
    if (noted > 0) texts.unshift(JSON.stringify({ type: "journal.dropped", events: noted }));
    const asked = [...rows, ...waiting].filter(({ acknowledge }) => acknowledge !== undefined);
    const written = await attempt(texts);
    if (written.ok) {
      dropped -= noted;
      complaint = undefined;
      busyFor = 0;
      for (const row of rows) {
        waiting.release(row);
        row.acknowledge?.(true);
      }
      if (rows.length > 0) checkpoints.soon();
      if (written.isNewFile === true) {
        // Calls that fill files faster than room can be made wait here.
        await retaining;
        makeRoom();
      }
      return "written";
    }
    waiting.putBack(rows);
    drop();
    // Another process is writing; the next time it is our turn.
    if (written.busy && ++busyFor < MAX_BUSY) return "busy";
    refuse(asked, written.message);
    return "refused";
  }

  async function attempt(texts: readonly string[]): Promise<JournalWritten> {
    try {
      const written = await writer.append({ folder, maximumFileBytes, texts, again: isUncertain });
      isUncertain &&= !written.ok;
      return written;
    } catch (error) {
      isUncertain = true;
      return { ok: false, busy: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Meanwhile events go on being written, into one file more. */
  function makeRoom(): void {
    retaining = retain({ folder, maximumFiles, maximumFileBytes, atMs: clock.now() })
      .then(() => undefined)
      .catch((error: unknown) => onDefect("Old audit files cannot be removed", error))
      .finally(() => (retaining = undefined));
  }

  /** Those that waited for the attempt are told that nothing is durable; events stay, and are written when they can be. */
  function refuse(asked: readonly Row[], message: string): void {
    for (const row of asked) {
      row.acknowledge?.(false);
      delete row.acknowledge;
    }
    if (complaint === undefined)
      onDefect("The audit journal cannot be written; events wait, and calls that change something are refused", new Error(message));
    complaint = message;
  }

  /** All that waits now is durable when it resolves, or cannot be written. */
  async function flush(): Promise<void> {
    if (!begun) return;
    const last = waiting.last;
    if (last === undefined || last.acknowledge !== undefined) return await write();
    await durable(last);
  }

  return {
    async prepare() {
      begun = true;
      await write();
    },
    append,
    flush,
    async close() {
      await flush();
      await writing;
      await retaining;
      await checkpoints.close();
      stopTimer?.();
      await writer.close();
    },
  };
}

function isTerminal(type: string): boolean {
  return TERMINAL_EVENT_TYPES.some((terminal) => terminal === type);
}

/** Whether a tool with these side effects waits for the record, and is refused without it. */
export function changesSomething(sideEffects: readonly string[]): boolean {
  return sideEffects.some((effect) => !PASSIVE.has(effect));
}

/** What changes something, or was refused, is kept before it is acted on. */
function isUrgent(event: HostEvent, changing: Set<string>): boolean {
  const { type, callId } = event;
  if (type === "tool.called") {
    // The embedding program's redaction may have taken the member out.
    const { required, sideEffects = ["redacted"] } = event.payload as Partial<typeof event.payload>;
    const isChanging = required === true || changesSomething(sideEffects);
    if (isChanging && callId !== undefined) changing.add(callId);
    return isChanging;
  }
  if (type === "tool.completed" || type === "tool.failed") return callId !== undefined && changing.delete(callId);
  return !GATHERED.has(type);
}
