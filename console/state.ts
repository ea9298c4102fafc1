/** State of the page: loaded by requests, updated by events. */

import { type Signal, signal } from "@preact/signals";
import { ask, followEvents } from "./api.ts";
import type { HostEvent, Plugin, Question } from "./types.ts";

/** A call, assembled from its events. */
export interface LiveCall {
  readonly callId: string;
  readonly tool: string;
  readonly plugin?: string;
  readonly state: string;
  readonly time: number;
  /** Set for a dry run. */
  readonly isDry?: true;
  readonly durationMs?: number;
  readonly detail?: string;
}

/** Calls, newest first. */
export const calls: Signal<readonly LiveCall[]> = signal([]);
export const questions: Signal<readonly Question[]> = signal([]);
export const plugins: Signal<readonly Plugin[]> = signal([]);
/** Ids of calls that can be undone. */
export const undoable: Signal<ReadonlySet<string>> = signal(new Set<string>());
export const isConnected: Signal<boolean> = signal(false);
/** Message of the last error, shown to the user. */
export const trouble: Signal<string | undefined> = signal(undefined);

const MAX_CALLS = 200;
const DETAIL_LENGTH = 300;

const STATES: Readonly<Record<string, string>> = {
  "tool.called": "running",
  "tool.completed": "completed",
  "tool.failed": "failed",
  "tool.input_invalid": "failed",
  "tool.denied": "denied",
  "tool.confirmation_requested": "waiting",
  "tool.confirmation_resolved": "running",
};

/** Follows the host's events until the signal fires. */
export function follow(stop: AbortSignal): void {
  void followEvents(stop, onEvent, (connected) => {
    isConnected.value = connected;
    if (connected) void refresh();
  });
}

/** Runs an action of the user: clears the last error and shows a new one. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  trouble.value = undefined;
  await load(act);
}

/** Runs an action of the page itself: shows an error, but does not clear the last one. */
export async function load(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error);
  }
}

export async function refresh(): Promise<void> {
  await load(async () => {
    await Promise.all([loadQuestions(), loadPlugins(), loadUndoable()]);
  });
}

export async function loadQuestions(): Promise<void> {
  questions.value = (await ask<{ readonly confirmations: readonly Question[] }>("/v1/confirmations")).confirmations;
}

export async function loadPlugins(): Promise<void> {
  plugins.value = (await ask<{ readonly plugins: readonly Plugin[] }>("/v1/plugins")).plugins;
}

export async function loadUndoable(): Promise<void> {
  const { calls: kept } = await ask<{ readonly calls: readonly { readonly callId: string }[] }>("/v1/undo");
  undoable.value = new Set(kept.map(({ callId }) => callId));
}

function onEvent(event: HostEvent): void {
  const { type } = event;
  if (type.startsWith("tool.confirmation_")) void load(loadQuestions);
  if (type.startsWith("plugin.") || type === "grant.changed" || type === "policy.reloaded") void load(loadPlugins);
  if (CHANGED.has(type) && hasChanges(event)) void load(loadUndoable);
  const state = STATES[type];
  if (state !== undefined && event.callId !== undefined) calls.value = withCall(calls.value, event, event.callId, state);
}

/** Types of events after which files may have changed. */
const CHANGED: ReadonlySet<string> = new Set(["tool.completed", "tool.failed", "tool.committed", "tool.undone"]);

function hasChanges({ payload: { filesModified } }: HostEvent): boolean {
  return Array.isArray(filesModified) && filesModified.length > 0;
}

function withCall(known: readonly LiveCall[], event: HostEvent, callId: string, state: string): readonly LiveCall[] {
  const { payload, plugin, time } = event;
  const before = known.find((call) => call.callId === callId);
  const { tool, durationMs, message, code, output } = payload;
  const said =
    typeof message === "string"
      ? `${typeof code === "string" ? `${code}: ` : ""}${message}`
      : output === undefined
        ? undefined
        : JSON.stringify(output);
  const call: LiveCall = {
    callId,
    tool: typeof tool === "string" ? tool : (before?.tool ?? ""),
    state,
    time: before?.time ?? time,
    ...(plugin !== undefined && { plugin }),
    ...((payload["dryRun"] === true || before?.isDry === true) && { isDry: true as const }),
    ...(typeof durationMs === "number" && { durationMs }),
    ...(said !== undefined && { detail: said.slice(0, DETAIL_LENGTH) }),
  };
  return [call, ...known.filter((other) => other.callId !== callId)].toSorted((left, right) => right.time - left.time).slice(0, MAX_CALLS);
}
