/** Finds events in the journal (SPEC AU3). */

import { isJsonObject, type JsonObject } from "../../manifests/mod.ts";
import { readJsonText } from "../json/json-text.ts";
import { type JournalPlace, readJournal } from "./verify.ts";

/** An event as it was kept, with its place in the journal. */
export interface KeptEvent {
  readonly number: number;
  readonly event: JsonObject;
}

/** All that is given must fit. */
export interface EventFilter {
  /** Anywhere in the event's JSON, letter case aside. */
  readonly text?: string;
  /** A type, or its beginning: `tool.denied`, `tool`. */
  readonly type?: string;
  readonly tool?: string;
  readonly plugin?: string;
  readonly callId?: string;
  readonly sessionId?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  /** Only events with a lower number: to page back. */
  readonly before?: number;
}

const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 600 } as const;

/** The newest `limit` events that fit, the oldest first. */
export async function searchJournal(place: JournalPlace, filter: EventFilter, limit: number): Promise<readonly KeptEvent[]> {
  const found: KeptEvent[] = [];
  const { before = Infinity } = filter;
  for await (const { number, text } of readJournal(place)) {
    if (number >= before) break;
    const parsed = readJsonText(text, BOUNDS);
    if (!parsed.ok || !isJsonObject(parsed.value) || !fits(parsed.value, text, filter)) continue;
    found.push({ number, event: parsed.value });
    if (found.length > limit) found.shift();
  }
  return found;
}

function fits(event: JsonObject, text: string, filter: EventFilter): boolean {
  const { type, tool, plugin, callId, sessionId, since = 0, until = Infinity } = filter;
  const kind = typeof event["type"] === "string" ? event["type"] : "";
  const time = typeof event["time"] === "number" ? event["time"] : 0;
  const payload = isJsonObject(event["payload"]) ? event["payload"] : {};
  return (
    !kind.startsWith("journal.") &&
    (type === undefined || kind === type || kind.startsWith(`${type}.`)) &&
    (tool === undefined || payload["tool"] === tool || (typeof payload["tool"] === "string" && payload["tool"].endsWith(`.${tool}`))) &&
    (plugin === undefined || event["plugin"] === plugin) &&
    (callId === undefined || event["callId"] === callId) &&
    (sessionId === undefined || event["sessionId"] === sessionId) &&
    time >= since &&
    time <= until &&
    (filter.text === undefined || text.toLowerCase().includes(filter.text.toLowerCase()))
  );
}
