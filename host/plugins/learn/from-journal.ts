/** Reads a plugin's acts out of the durable record (SPEC P9). */

import { type JournalPlace, readEvents } from "../../audit/verify.ts";
import type { ActCollector } from "../../audit/acts.ts";

/** Row by row, so that it holds one event at a time. @throws {JournalError} if a file cannot be read. */
export async function collectFromJournal(place: JournalPlace, collector: ActCollector, since = 0): Promise<void> {
  for await (const event of readEvents(place)) {
    const { time, type } = event;
    // Where a session worked is known from its beginning, which may be older.
    if (type === "session.opened" || typeof time !== "number" || time >= since) collector.add(event);
  }
}
