/**
 * The durable journal of events (SPEC AU3): one row per event, each sealed with all rows before it. This file creates, queues and
 * acknowledges the rows; the service thread writes them (`journal-writer.ts`).
 *
 * A call that changes something waits until its `tool.called` is durable before it acts, and its caller gets the result after the terminal
 * event is durable. One batch is written at a time and contains all rows that arrived meanwhile, so calls share commits.
 */

import { errorText } from "../platform/error-text.ts";
import type { Clock } from "../platform/platform.ts";
import { defined } from "../primitives/defined.ts";
import { createActBudget } from "./act-budget.ts";
import { createCheckpointSchedule } from "./checkpoint-schedule.ts";
import { toEventText } from "./event-text.ts";
import { type HostEvent, TERMINAL_EVENT_TYPES } from "./events.ts";
import { createCallers, holdersOf, JournalQueue, type QueuedRow } from "./journal-queue.ts";
import { MARKED_EVENTS } from "./marked-events.ts";
import type { JournalBatch, JournalWritten } from "./journal-writer.ts";
import type { Retain } from "./retain-task.ts";

/** Keeps events. Any implementation can replace the journal (`createHost({ events: { store } })`). */
export interface EventStore {
  /** Awaited before the first call runs. */
  prepare(): Promise<void>;
  /**
   * Keeps the event. Called in order. Must not throw.
   *
   * @returns whether the event is durable, if the host has to wait for that: if a `tool.called` is not durable, the host refuses a call
   * that changes something or whose payload says `required`. Never rejects.
   */
  append(event: HostEvent): Promise<boolean> | undefined;
  /** Resolves when the appended events are durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The part of the service thread that the journal uses. */
export interface JournalWriter {
  /** Rejects if the thread ends. */
  append(batch: JournalBatch): Promise<JournalWritten>;
  /** Writes a checkpoint. @param time in milliseconds since the epoch @throws {ServiceError} if it cannot be written */
  checkpoint?(time: number): Promise<{ readonly conflict?: string }>;
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Absolute; created with the first event. */
  readonly folder: string;
  readonly writer: JournalWriter;
  /** Removes the oldest file when there are too many. */
  readonly retain: (retain: Retain) => Promise<unknown>;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Returns the id of this host, for the rows with which calls begin. Absent if its calls cannot be told from those of others. */
  readonly host?: () => string | undefined;
  /** Defaults: 64 MiB of texts per file, and 8 files. */
  readonly maximumFileBytes?: number;
  readonly maximumFiles?: number;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** Milliseconds within which events without a waiting caller are collected into one batch. */
const GATHER_MS = 20;
/** Maximum characters of one batch. */
const MAX_BATCH = 1024 * 1024;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 8;
/** Maximum number of attempts while another process writes; after them the journal counts as unavailable. */
const MAX_BUSY = 100;

/** Events that are not kept: tools follow from `plugin.loaded` with its hash, deltas from their call's terminal event. */
const LEFT_OUT: ReadonlySet<string> = new Set(["tool.registered", "tool.unregistered", "tool.output_delta"]);
/** Events that start a journal, beside calls: a host that only reads leaves no files. */
const ACTS: ReadonlySet<string> = new Set(["grant.changed", "policy.reloaded", "settings.changed"]);
/** Events that a guest can emit in any number: they are batched. */
const GATHERED: ReadonlySet<string> = new Set(["capability.used", "capability.denied", "session.opened", "session.closed"]);
const PASSIVE: ReadonlySet<string> = new Set(["none", "read"]);

interface Row extends QueuedRow {
  /** Receives whether the row is durable. */
  acknowledge?: (durable: boolean) => void;
}

export function createJournal(options: JournalOptions): EventStore {
  const { writer, retain, clock, folder, onDefect, maximumFileBytes = MAX_FILE_BYTES, maximumFiles = MAX_FILES } = options;
  const acts = createActBudget();
  let retaining: Promise<void> | undefined;
  const waiting = new JournalQueue<Row>();
  const callerOf = createCallers();
  let dropped = 0;
  /** Running calls that change something: their terminal event is durable before their caller gets the result. */
  const changing = new Set<string>();
  let begun = false;
  let writing: Promise<void> | undefined;
  let stopTimer: (() => void) | undefined;
  const checkpoints = createCheckpointSchedule({ note: async (time) => (await writer.checkpoint?.(time)) ?? {}, clock, onDefect });
  let complaint: string | undefined;
  /** Whether the last attempt may have written its rows. */
  let isUncertain = false;
  let busyFor = 0;

  function markOf({ type, sessionId }: HostEvent, caller: string | undefined): Parameters<typeof toEventText>[1] {
    const host = MARKED_EVENTS.has(type) ? options.host?.() : undefined;
    return host === undefined ? undefined : { host, ...defined({ owner: caller === sessionId ? undefined : caller }) };
  }

  function append(event: HostEvent): Promise<boolean> | undefined {
    if (LEFT_OUT.has(event.type)) return undefined;
    begun ||= ACTS.has(event.type);
    const caller = callerOf(event);
    if ((event.type === "capability.used" || event.type === "capability.denied") && !acts.take(event, caller)) return undefined;
    const holders = holdersOf(event, caller);
    const summed = isTerminal(event.type) ? acts.end(event) : undefined;
    if (summed !== undefined) push({ text: summed, holders });
    const row: Row = { text: toEventText(event, markOf(event, caller)), holders };
    const isOver = push(row);
    const isUrgentEvent = isUrgent(event, changing);
    if (!begun) return undefined;
    if (isUrgentEvent || (isOver && complaint === undefined)) return durable(row);
    stopTimer ??= clock.after(GATHER_MS, () => void write());
    return undefined;
  }

  /** @returns whether one of its holders exceeds its share */
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

  /** Writes batch after batch, until the queue is empty or a write fails. */
  function write(): Promise<void> {
    stopTimer?.();
    stopTimer = undefined;
    return (writing ??= writeAll());
  }

  async function writeAll(): Promise<void> {
    let outcome: "written" | "busy" | "refused" = "written";
    do outcome = await writeBatch();
    // After a refusal, only rows that arrived since still wait for an acknowledgement.
    while (
      outcome === "written"
        ? waiting.length > 0
        : outcome === "refused" && [...waiting].some(({ acknowledge }) => acknowledge !== undefined)
    );
    // No await since the check of `waiting`: a later event starts another write.
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
        // Calls that fill files faster than they can be removed wait here.
        await retaining;
        makeRoom();
      }
      return "written";
    }
    waiting.putBack(rows);
    drop();
    // Another process writes; the next attempt may succeed.
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
      return { ok: false, busy: false, message: errorText(error) };
    }
  }

  /** Events are written meanwhile, into one more file. */
  function makeRoom(): void {
    retaining = retain({ folder, maximumFiles, maximumFileBytes, atMs: clock.now() })
      .then(() => undefined)
      .catch((error: unknown) => onDefect("Old audit files cannot be removed", error))
      .finally(() => (retaining = undefined));
  }

  /** Tells the callers that waited for the attempt that nothing is durable. The rows stay queued and are written later. */
  function refuse(asked: readonly Row[], message: string): void {
    for (const row of asked) {
      row.acknowledge?.(false);
      delete row.acknowledge;
    }
    if (complaint === undefined)
      onDefect("The audit journal cannot be written; events wait, and calls that change something are refused", message);
    complaint = message;
  }

  /** Resolves when all rows that wait now are durable, or cannot be written. */
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

/** Returns whether a tool with these side effects waits for the journal, and is refused without it. */
export function changesSomething(sideEffects: readonly string[]): boolean {
  return sideEffects.some((effect) => !PASSIVE.has(effect));
}

/** Returns whether the event must be durable before its call goes on: it changes something, or was refused. */
function isUrgent(event: HostEvent, changing: Set<string>): boolean {
  const { type, callId } = event;
  if (type === "tool.called" || type === "tool.resumed") {
    // The embedding program's redaction may have removed the member.
    const { required, sideEffects = ["redacted"] } = event.payload as Partial<typeof event.payload>;
    const isChanging = required === true || changesSomething(sideEffects);
    if (isChanging && callId !== undefined) changing.add(callId);
    return isChanging;
  }
  if (type === "tool.completed" || type === "tool.failed") return callId !== undefined && changing.delete(callId);
  return !GATHERED.has(type);
}
