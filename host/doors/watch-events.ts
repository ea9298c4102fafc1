/** Shows a client what the host does: the newest events of the journal, then each event as it happens (SPEC DI4). */

import type { JsonObject } from "../../manifests/mod.ts";
import type { HostEvent } from "../audit/events.ts";
import type { KeptEvent } from "../audit/search.ts";
import type { Host } from "../host/host-interface.ts";
import type { WatchListener } from "./operations.ts";

/** Approximate maximum JSON of the journal's newest events, in UTF-16 units. */
const MAX_RECENT_LENGTH = 1024 * 1024;
/** Maximum events that wait while the journal is read. */
const MAX_WAITING = 1_024;

/** Resolves when the signal aborts. The client gets each event once, except for those that `missed` counts. */
export async function watchEvents(host: Pick<Host, "subscribe" | "audit">, recent: number, listener: WatchListener): Promise<void> {
  const { signal, onEvent } = listener;
  let waiting: HostEvent[] | undefined = [];
  let missed = 0;
  const unsubscribe = host.subscribe((event) => {
    if (waiting === undefined) onEvent({ event: asJson(event) });
    else if (waiting.length < MAX_WAITING) waiting.push(event);
    else missed += 1;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  try {
    const kept = recent === 0 ? [] : await host.audit.search({}, recent, (damage) => onEvent({ damage }));
    if (signal.aborted) return;
    const shown = newest(kept);
    for (const event of shown) onEvent({ event });
    const ids = new Set(shown.map(({ id }) => id));
    for (const event of waiting) if (!ids.has(event.id)) onEvent({ event: asJson(event) });
    if (missed > 0) onEvent({ missed });
    waiting = undefined;
    await promise;
  } finally {
    unsubscribe();
  }
}

/** Drops the oldest events above the limit. */
function newest(kept: readonly KeptEvent[]): readonly JsonObject[] {
  let left = MAX_RECENT_LENGTH;
  const events = kept.map(({ event }) => event);
  const from = events.findLastIndex((event) => (left -= JSON.stringify(event).length) < 0);
  return events.slice(from + 1);
}

/** An event is JSON; only its interface lacks an index signature. */
function asJson(event: HostEvent): JsonObject {
  return event as unknown as JsonObject;
}
