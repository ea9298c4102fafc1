/** State of the page: loaded by requests, updated by events. */

import { type Signal, signal } from "@preact/signals";
import { dismissErrors, toast } from "../components/toast.tsx";
import { ask, followEvents } from "./api.ts";
import { addEvent } from "./calls.ts";
import type { HostEvent, Plugin, Question } from "./types.ts";

export const questions: Signal<readonly Question[]> = signal([]);
export const plugins: Signal<readonly Plugin[]> = signal([]);
/** Ids of calls that can be undone. */
export const undoable: Signal<ReadonlySet<string>> = signal(new Set<string>());
export const isConnected: Signal<boolean> = signal(false);

/** Follows the host's events until the signal fires. */
export function follow(stop: AbortSignal): void {
  void followEvents(stop, onEvent, (connected) => {
    isConnected.value = connected;
    if (connected) void refresh();
  });
}

/** Runs an action of the user: clears the last error and shows a new one. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  dismissErrors();
  await load(act);
}

/** Runs an action of the page itself: shows an error, but does not clear the last one. */
export async function load(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "bad");
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
  addEvent(event);
  for (const listener of listeners) listener(event);
}

/** Types of events after which files may have changed. */
const CHANGED: ReadonlySet<string> = new Set(["tool.completed", "tool.failed", "tool.committed", "tool.undone"]);

function hasChanges({ payload: { filesModified } }: HostEvent): boolean {
  return Array.isArray(filesModified) && filesModified.length > 0;
}

const listeners: Set<(event: HostEvent) => void> = new Set();

/** Calls the listener with each live event. @returns a function that stops it */
export function onHostEvent(listener: (event: HostEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
