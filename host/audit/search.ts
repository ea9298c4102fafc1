/** Searches events in the journal (SPEC AU3). */

import { isJsonObject, type JsonObject } from "../../manifests/mod.ts";
import { JournalError, type JournalRow } from "../platform/files/journal-types.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { createDamage, highestOf, type OnDamage, openOr, rangeIn, refuseDamage } from "./file-rows.ts";
import { eventOf, firstOf, isOwnRow, namesOf } from "./journal-files.ts";

/** A kept event with its row number. */
export interface KeptEvent {
  readonly number: number;
  readonly event: JsonObject;
}

/** Filter of events: all fields that are given must match. */
export interface EventFilter {
  /** Id of the event. */
  readonly id?: string;
  /** Text anywhere in the event's JSON, case-insensitive. */
  readonly text?: string;
  /** A type or its prefix: `tool.denied`, `tool`. */
  readonly type?: string;
  readonly tool?: string;
  readonly plugin?: string;
  readonly callId?: string;
  readonly sessionId?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  /** Only events with a lower number, for paging back. */
  readonly before?: number;
}

/** One step of a backward search from row `before`. */
export interface SearchStep {
  /** Absolute. */
  readonly folder: string;
  readonly filter: EventFilter;
  readonly before: number;
  readonly limit: number;
  /** Whether the row before `before` is the next existing one. */
  readonly isOnward?: boolean;
  /** Whether to find only events that were kept from a removed file, or only the others. */
  readonly kept: boolean;
}

export interface SearchFound {
  /** Row numbers, the newest first. */
  readonly numbers: readonly number[];
  /** Texts of the events, as kept. */
  readonly texts: readonly string[];
  /** Whether files were removed. */
  readonly isCut: boolean;
  /** Row to continue from; absent at the beginning of the journal. */
  readonly before?: number;
  /** Unreadable parts, each with its file. */
  readonly damage?: readonly string[];
}

/** Limits of one step, in rows read and characters returned: other tasks share the thread. */
const STEP_ROWS = 1_000;
const STEP_LENGTH = 64 * 1024;
/** Rows read at once: each may have 64 KB. */
const PAGE_ROWS = 100;

/**
 * Returns the newest `limit` events that match, the oldest first.
 *
 * @param step runs one step on the service thread
 * @param onDamage receives each unreadable part once
 */
export async function searchJournal(
  step: (wanted: SearchStep) => Promise<SearchFound>,
  { folder, filter, limit }: Pick<SearchStep, "folder" | "filter" | "limit">,
  onDamage: OnDamage = refuseDamage,
): Promise<readonly KeptEvent[]> {
  const found: KeptEvent[] = [];
  const damage = new Set<string>();
  /** @param kept events from removed files: they are older than all others */
  async function look(kept: boolean, from: number): Promise<boolean> {
    let before: number | undefined = from;
    let isCut = false;
    while (before !== undefined && (kept || found.length < limit)) {
      const isOnward = before !== from;
      const answer: SearchFound = await step({ folder, filter, before, isOnward, kept, limit: limit - (kept ? 0 : found.length) });
      // The texts of one step are small enough to parse at once.
      for (const [index, number] of answer.numbers.entries()) {
        found.push({ number, event: JSON.parse(answer.texts[index] ?? "null") as JsonObject });
      }
      if (kept) newest(found, limit);
      for (const text of answer.damage ?? []) damage.add(text);
      ({ before } = answer);
      isCut ||= answer.isCut;
    }
    return isCut && found.length < limit;
  }
  if (await look(false, filter.before ?? Number.MAX_SAFE_INTEGER)) await look(true, Number.MAX_SAFE_INTEGER);
  for (const text of damage) onDamage(text);
  return found.toReversed();
}

/** Sorts the events and removes duplicates: a host that was killed while it removed a file has added some twice. */
function newest(found: KeptEvent[], limit: number): void {
  const sorted = [...new Map(found.map((event) => [event.number, event])).values()].toSorted((left, right) => right.number - left.number);
  found.splice(0, found.length, ...sorted.slice(0, limit));
}

export const SEARCH_STEP: ServiceTask<typeof searchStep> = { name: "audit.search", run: searchStep };

/** A task of the service thread. */
export async function searchStep(step: SearchStep, env: Pick<TaskEnvironment, "journals" | "files">): Promise<SearchFound> {
  const { folder, filter, limit, kept } = step;
  const names = await namesOf({ ...env, folder });
  const isCut = firstOf(names[0] ?? "1") > 1;
  // Each file is named after its first row.
  const name = names.findLast((other) => firstOf(other) < step.before);
  if (name === undefined) return { numbers: [], texts: [], isCut };
  const first = firstOf(name);
  const onward = name === names[0] ? {} : { before: first };
  const damage: string[] = [];
  const stretches = createDamage((text) => damage.push(`${name}: ${text}`));
  const file = openOr(env.journals, `${folder}/${name}`, (reason) => damage.push(`${name}: cannot be read (${reason})`));
  if (file === undefined) return { numbers: [], texts: [], isCut, damage, ...onward };
  try {
    const numbers: number[] = [];
    const texts: string[] = [];
    let { before } = step;
    let page = PAGE_ROWS;
    let last: number | undefined;
    // Read before the rows, because other processes may add rows.
    const given = name === names.at(-1) ? highestOf(file) : 0;
    let later: JournalRow | undefined;
    let next = step.isOnward === true ? before - 1 : Math.min(before - 1, given);
    for (let looked = 0, length = 0; looked < STEP_ROWS && length < STEP_LENGTH && numbers.length < limit;) {
      const rows = readOr(() => file.rowsBefore(before, page));
      if (typeof rows === "string") {
        // Rows of an unreadable page are tried one by one, downward.
        if (page > 1) page = 1;
        else {
          last ??= (await rangeIn({ ...env, folder, names }, name, file)).last;
          before = Math.min(before - 1, last);
          next = before - 1;
          later = undefined;
          stretches.add(before, rows);
          looked += 1;
        }
        if (before > first) continue;
      }
      if (typeof rows === "string" || rows.length === 0) {
        stretches.end();
        if (typeof rows !== "string" && next >= first && before < Number.MAX_SAFE_INTEGER)
          damage.push(`${name}: ${rowsText(first, next)} missing`);
        return { numbers, texts, isCut, ...onward, ...(damage.length > 0 && { damage }) };
      }
      page = PAGE_ROWS;
      for (const row of rows) {
        if (length >= STEP_LENGTH || numbers.length >= limit) break;
        if (row.number < next) {
          // A damaged page may skip rows: each number in between is looked for.
          last ??= (await rangeIn({ ...env, folder, names }, name, file)).last;
          before = Math.min(next, last);
          stretches.add(before, "missing");
          next = before - 1;
          later = undefined;
          looked += 1;
          break;
        }
        stretches.end();
        if (later !== undefined && env.journals.seal(row.seal, later.number, later.text) !== later.seal)
          damage.push(`${name}: row ${later.number} does not match its seal`);
        later = row;
        before = row.number;
        next = before - 1;
        looked += 1;
        const found = eventOf(row.number, row.text);
        if (found === undefined && !isOwnRow(row.text)) damage.push(`${name}: row ${row.number} is not an event`);
        if (found?.isKept !== kept || found.number >= (filter.before ?? Infinity) || !fits(found.event, row.text, filter)) continue;
        length += row.text.length;
        numbers.push(found.number);
        texts.push(kept ? JSON.stringify(found.event) : row.text);
      }
    }
    stretches.end();
    return { numbers, texts, isCut, before, ...(damage.length > 0 && { damage }) };
  } finally {
    file.close();
  }
}

function rowsText(from: number, to: number): string {
  return from === to ? `row ${from} is` : `rows ${from} to ${to} are`;
}

/** Returns the reason instead of the rows if they cannot be read. @throws {JournalError} if another process holds a lock */
function readOr<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof JournalError && !error.busy) return error.message;
    throw error;
  }
}

function fits(event: JsonObject, text: string, filter: EventFilter): boolean {
  const { id, type, tool, plugin, callId, sessionId, since = 0, until = Infinity } = filter;
  const kind = typeof event["type"] === "string" ? event["type"] : "";
  const time = typeof event["time"] === "number" ? event["time"] : 0;
  const payload = isJsonObject(event["payload"]) ? event["payload"] : {};
  return (
    (id === undefined || event["id"] === id) &&
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
