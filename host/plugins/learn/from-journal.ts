/** Reads a plugin's acts from the journal (SPEC P9). */

import { type JournalPlace, readEvents } from "../../audit/verify.ts";
import type { ActCollector } from "../../audit/acts.ts";

/** Reads record by record, so that only one event is in memory. @throws {JournalError} if a file cannot be read. */
export async function collectFromJournal(place: JournalPlace, collector: ActCollector, since = 0): Promise<void> {
  for await (const event of readEvents(place)) {
    const { time, type } = event;
    // Sessions may have been opened before `since`, and their workspaces are needed.
    if (type === "session.opened" || typeof time !== "number" || time >= since) collector.add(event);
  }
}
