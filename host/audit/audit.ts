/** What can be asked of the durable record: by programs through `host.audit`, by people through `bascule audit` (SPEC AU3, AU5). */

import type { JsonObject } from "../../manifests/mod.ts";
import type { EventStore } from "./journal.ts";
import { type EventFilter, type KeptEvent, searchJournal } from "./search.ts";
import { rebuildSession, type SessionState } from "./session-state.ts";
import { type JournalPlace, type JournalReport, verifyJournal } from "./verify.ts";

/** Reads what is durable; `flush` first to see the newest. */
export interface Audit {
  /** Every event so far is durable when it resolves. */
  flush(): Promise<void>;
  /** The newest `limit` (default 100) events that fit, the oldest first. @throws {JournalError} if a file cannot be read. */
  search(filter?: EventFilter, limit?: number): Promise<readonly KeptEvent[]>;
  /** @param expected the seal of a row that was noted earlier */
  verify(expected?: string): Promise<JournalReport>;
  session(sessionId: string): Promise<SessionState>;
}

const DEFAULT_LIMIT = 100;
const MAX_SESSION_EVENTS = 1_000_000;

export function createAudit(place: JournalPlace, store: Pick<EventStore, "flush"> | undefined): Audit {
  return {
    flush: async () => await store?.flush(),
    search: (filter = {}, limit = DEFAULT_LIMIT) => searchJournal(place, filter, limit),
    verify: (expected) => verifyJournal(place, expected),
    async session(sessionId) {
      const kept = await searchJournal(place, { sessionId }, MAX_SESSION_EVENTS);
      return rebuildSession(
        sessionId,
        kept.map(({ event }): JsonObject => event),
      );
    },
  };
}
