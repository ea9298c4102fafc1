/** Finds events in the journal (SPEC AU3). */

import { isJsonObject, type JsonObject } from "../../manifests/mod.ts";
import { JournalError } from "../platform/journal-types.ts";
import type { ServiceWorld } from "../service/task.ts";
import { eventOf } from "./journal-files.ts";
import { namesOf } from "./verify.ts";

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

/** One step of a search: back from row `before`. */
export interface SearchStep {
  /** Absolute. */
  readonly folder: string;
  readonly filter: EventFilter;
  readonly before: number;
  readonly limit: number;
  /** Only those that were added again when their file was removed; else only the others. */
  readonly kept: boolean;
}

export interface SearchFound {
  /** The newest first. */
  readonly numbers: readonly number[];
  /** Their texts, as they were kept. */
  readonly texts: readonly string[];
  /** Whether files were removed. */
  readonly isCut: boolean;
  /** Where to go on; absent at the beginning of the journal. */
  readonly before?: number;
}

/** What one step looks at, and what it answers with, in rows and characters: the thread is others' too. */
const STEP_ROWS = 1_000;
const STEP_LENGTH = 64 * 1024;
/** Of rows that are read at once: each may have 64 KB. */
const PAGE_ROWS = 100;

/** The newest `limit` events that fit, the oldest first. @param step asks the service thread for one */
export async function searchJournal(
  step: (wanted: SearchStep) => Promise<SearchFound>,
  { folder, filter, limit }: Pick<SearchStep, "folder" | "filter" | "limit">,
): Promise<readonly KeptEvent[]> {
  const found: KeptEvent[] = [];
  /** @param kept those that were added again when their file was removed: they are older than all others */
  async function look(kept: boolean, from: number): Promise<boolean> {
    let before: number | undefined = from;
    let isCut = false;
    while (before !== undefined && (kept || found.length < limit)) {
      const answer: SearchFound = await step({ folder, filter, before, kept, limit: limit - (kept ? 0 : found.length) });
      // One step's texts are no more than this thread may parse at once.
      for (const [index, number] of answer.numbers.entries()) {
        found.push({ number, event: JSON.parse(answer.texts[index] ?? "null") as JsonObject });
      }
      if (kept) newest(found, limit);
      ({ before } = answer);
      isCut ||= answer.isCut;
    }
    return isCut && found.length < limit;
  }
  if (await look(false, filter.before ?? Number.MAX_SAFE_INTEGER)) await look(true, Number.MAX_SAFE_INTEGER);
  return found.toReversed();
}

/** In their order, each once: a host that was killed while it made room has added some twice. */
function newest(found: KeptEvent[], limit: number): void {
  const sorted = [...new Map(found.map((event) => [event.number, event])).values()].toSorted((left, right) => right.number - left.number);
  found.splice(0, found.length, ...sorted.slice(0, limit));
}

/** A task of the service thread. */
export async function searchStep(step: SearchStep, world: Pick<ServiceWorld, "journals" | "files">): Promise<SearchFound> {
  const { folder, filter, limit, kept } = step;
  const names = await namesOf({ ...world, folder });
  const isCut = firstOf(names[0] ?? "1") > 1;
  // Each is named after its first row.
  const name = names.findLast((other) => firstOf(other) < step.before);
  if (name === undefined) return { numbers: [], texts: [], isCut };
  const file = world.journals.open(`${folder}/${name}`, "read");
  try {
    const numbers: number[] = [];
    const texts: string[] = [];
    let { before } = step;
    for (let looked = 0, length = 0; looked < STEP_ROWS && length < STEP_LENGTH && numbers.length < limit;) {
      const rows = file.rowsBefore(before, PAGE_ROWS);
      if (rows.length === 0) return { numbers, texts, isCut, ...(name !== names[0] && { before: firstOf(name) }) };
      for (const row of rows) {
        if (length >= STEP_LENGTH || numbers.length >= limit) break;
        // A damaged file may answer in any order.
        if (row.number >= before) throw new JournalError(`${name} is damaged: row ${row.number} is not where it belongs`, false);
        before = row.number;
        looked += 1;
        const found = eventOf(row.number, row.text);
        if (found?.isKept !== kept || found.number >= (filter.before ?? Infinity) || !fits(found.event, row.text, filter)) continue;
        length += row.text.length;
        numbers.push(found.number);
        texts.push(kept ? JSON.stringify(found.event) : row.text);
      }
    }
    return { numbers, texts, isCut, before };
  } finally {
    file.close();
  }
}

function firstOf(name: string): number {
  return Number.parseInt(name, 10);
}

function fits(event: JsonObject, text: string, filter: EventFilter): boolean {
  const { type, tool, plugin, callId, sessionId, since = 0, until = Infinity } = filter;
  const kind = typeof event["type"] === "string" ? event["type"] : "";
  const time = typeof event["time"] === "number" ? event["time"] : 0;
  const payload = isJsonObject(event["payload"]) ? event["payload"] : {};
  return (
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
