/** Calls of the host, assembled from events: those of the journal, and those that arrive while the page is open. */

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ask } from "./api.ts";
import type { HostEvent } from "./types.ts";

/** A call as the table shows it. */
export interface CallRow {
  readonly callId: string;
  readonly tool: string;
  readonly plugin?: string;
  readonly sessionId?: string;
  readonly chainId?: string;
  readonly state: CallState;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly durationMs?: number;
  /** Code of the error. */
  readonly code?: string;
  readonly message?: string;
  readonly isDry?: true;
}

export const CALL_STATES = ["running", "waiting", "completed", "failed", "denied"] as const;
export type CallState = (typeof CALL_STATES)[number];

/** Maximum calls in the page. Above that, the oldest are dropped. */
const MAX_CALLS = 20_000;
const PAGE = 1_000;

const STATES: ReadonlyMap<string, CallState> = new Map<string, CallState>([
  ["tool.called", "running"],
  ["tool.completed", "completed"],
  ["tool.failed", "failed"],
  ["tool.input_invalid", "failed"],
  ["tool.denied", "denied"],
  ["tool.confirmation_requested", "waiting"],
  ["tool.confirmation_resolved", "running"],
]);
const ENDED: ReadonlySet<string> = new Set(["completed", "failed", "denied"]);

const known: Map<string, CallRow> = new Map();
const version: Signal<number> = signal(0);

/** All known calls, newest first. */
export const calls: ReadonlySignal<readonly CallRow[]> = computed(() => {
  void version.value;
  return [...known.values()].toSorted((left, right) => right.time - left.time || (left.callId < right.callId ? 1 : -1));
});

/** Whether the journal may have older calls, and how they load. */
export const history: Signal<"unread" | "loading" | "more" | "whole"> = signal("unread");

/** Row numbers up to which each type was read. */
const read: Map<string, number> = new Map();

/** Adds a live event. */
export function addEvent(event: HostEvent): void {
  if (!add(event)) return;
  for (const callId of known.keys()) {
    if (known.size <= MAX_CALLS) break;
    known.delete(callId);
  }
  scheduleUpdate();
}

let isScheduled = false;

/** Redraws once per frame, however many events arrive. */
function scheduleUpdate(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    version.value += 1;
  });
}

/** Loads calls that are older than the known ones. @throws {RequestError} if the journal cannot be read */
export async function loadOlder(): Promise<void> {
  if (history.value === "loading" || history.value === "whole") return;
  history.value = "loading";
  let isMore = false;
  try {
    for (const type of STATES.keys()) {
      const before = read.get(type);
      if (before === 0) continue;
      const query = new URLSearchParams({
        type,
        limit: String(PAGE),
        brief: "true",
        ...(before !== undefined && { before: String(before) }),
      });
      const { events } = await ask<{ readonly events: readonly { readonly number: number; readonly event: HostEvent }[] }>(
        `/v1/audit?${query}`,
      );
      const isWhole = events.length < PAGE;
      read.set(type, isWhole ? 0 : (events[0]?.number ?? 0));
      isMore ||= !isWhole;
      for (const { event } of events) add(event);
    }
  } finally {
    history.value = isMore && known.size < MAX_CALLS ? "more" : "whole";
    version.value += 1;
  }
}

/** Time around a call in which the other calls of its chain are searched. */
const CHAIN_MS = 3_600_000;

/** Loads the calls of a chain that ran around a time. @throws {RequestError} if the journal cannot be read */
export async function loadChain(chainId: string, time: number): Promise<void> {
  const query = new URLSearchParams({
    ...{ text: chainId, type: "tool", brief: "true", limit: String(PAGE) },
    ...{ since: String(Math.max(0, Math.floor(time - CHAIN_MS))), until: String(Math.ceil(time + CHAIN_MS)) },
  });
  const { events } = await ask<{ readonly events: readonly { readonly event: HostEvent }[] }>(`/v1/audit?${query}`);
  for (const { event } of events) add(event);
  version.value += 1;
}

function add(event: HostEvent): boolean {
  const state = STATES.get(event.type);
  const { callId } = event;
  if (state === undefined || callId === undefined) return false;
  known.set(callId, toRow(event, callId, state, known.get(callId)));
  return true;
}

function toRow(event: HostEvent, callId: string, state: CallState, before: CallRow | undefined): CallRow {
  const { payload, plugin, sessionId, chainId, time } = event;
  const { tool, durationMs, message, code } = payload;
  // Events of the journal arrive type by type: an end is not undone by a beginning.
  const isOver = before !== undefined && ENDED.has(before.state);
  return {
    callId,
    tool: typeof tool === "string" ? tool : (before?.tool ?? ""),
    state: isOver ? before.state : state,
    time: Math.min(before?.time ?? time, time),
    ...(plugin === undefined ? before?.plugin !== undefined && { plugin: before.plugin } : { plugin }),
    ...(sessionId === undefined ? before?.sessionId !== undefined && { sessionId: before.sessionId } : { sessionId }),
    ...(chainId === undefined ? before?.chainId !== undefined && { chainId: before.chainId } : { chainId }),
    ...((payload["dryRun"] === true || before?.isDry === true) && { isDry: true as const }),
    ...(typeof durationMs === "number" ? { durationMs } : before?.durationMs !== undefined && { durationMs: before.durationMs }),
    ...(typeof code === "string"
      ? { code }
      : event.type === "tool.input_invalid"
        ? { code: "input_invalid" }
        : before?.code !== undefined && { code: before.code }),
    ...(typeof message === "string" ? { message: message.slice(0, 300) } : before?.message !== undefined && { message: before.message }),
  };
}
