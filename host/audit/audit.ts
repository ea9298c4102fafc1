/** Queries of the journal: by programs through `host.audit`, by users through `bascule audit` (SPEC AU3, AU5). */

import type { JsonObject } from "../../manifests/mod.ts";
import { JournalError } from "../platform/files/journal-types.ts";
import type { Slices } from "../platform/platform.ts";
import { type Service, ServiceError } from "../primitives/service/service.ts";
import { defined } from "../primitives/defined.ts";
import type { ActQuery, RecordedActs } from "./acts.ts";
import type { ServiceTask, TaskFunction } from "../primitives/service/task.ts";
import { type OnDamage, refuseDamage } from "./file-rows.ts";
import { FOLLOWING, type FollowingEvents, rowOf } from "./following.ts";
import type { EventStore } from "./journal.ts";
import { type EventFilter, type KeptEvent, SEARCH_STEP, searchJournal } from "./search.ts";
import type { SessionState } from "./session-state.ts";
import { readParts, RECORDED_ACTS, SESSION_STATE, VERIFY_JOURNAL } from "./journal-reader.ts";
import { RECORDED_CALLS, RECORDED_USE, type RecordedCalls, type RecordedUse, type UsageQuery } from "./usage.ts";
import type { JournalReport } from "./verify.ts";

/** Reads durable events; call `flush` first to include the newest. */
export interface Audit {
  /** Resolves when every event so far is durable. */
  flush(): Promise<void>;
  /**
   * Returns the newest `limit` (default 100) events that match, the oldest first.
   *
   * @param onDamage receives what cannot be read; the search goes on. Default: throws
   * @throws {JournalError} if a file cannot be read
   */
  search(filter?: EventFilter, limit?: number, onDamage?: OnDamage): Promise<readonly KeptEvent[]>;
  /**
   * Returns a page of some 64 KB with the events after a given one, in order; undefined if some of them were removed from the journal.
   *
   * @param after the event's id, or the row where the last page ended
   * @param onDamage receives what cannot be read; the page has the rest. Default: throws
   * @throws {JournalError} if a file cannot be read
   */
  following(after: string | number, onDamage?: OnDamage): Promise<FollowingEvents | undefined>;
  /** @param expected seal of a row that was noted earlier @param counted receives the number of rows so far, and of all rows */
  verify(expected?: string, counted?: Int32Array<SharedArrayBuffer>): Promise<JournalReport>;
  session(sessionId: string): Promise<SessionState>;
  /** Returns the acts of a plugin. @throws {JournalError} if a file cannot be read. */
  acts(query: ActQuery): Promise<RecordedActs>;
  /** Counts the calls of a stretch of time. Parts that cannot be read are left out and counted. */
  calls(query: UsageQuery): Promise<RecordedCalls>;
  /** Returns which tools were called in a stretch of time, by role, and what they did. As `calls`. */
  use(query: UsageQuery): Promise<RecordedUse>;
}

/** Locations of a journal and its checkpoints. Absolute paths. */
export interface AuditPlace {
  readonly auditFolder: string;
  /** File of its checkpoints. */
  readonly checkpointFile: string;
}

const DEFAULT_LIMIT = 100;

interface AuditParts {
  /** Reads the files on another thread, so that no other work waits for them. */
  readonly service: Service;
  readonly slices: Slices;
  /** Absent if only other processes write. */
  readonly store?: Pick<EventStore, "flush"> | undefined;
}

export function createAudit(
  { service, slices, store }: AuditParts,
  { auditFolder: folder, checkpointFile: checkpoints }: AuditPlace,
): Audit {
  async function run<F extends TaskFunction>(task: ServiceTask<F>, input: Parameters<F>[0]): Promise<Awaited<ReturnType<F>>> {
    try {
      return await service.run(task, input, { owner: "audit" });
    } catch (error) {
      throw error instanceof ServiceError && error.name === "JournalError" ? new JournalError(error.message, false) : error;
    }
  }
  return {
    flush: async () => await store?.flush(),
    search: (filter = {}, limit = DEFAULT_LIMIT, onDamage) =>
      searchJournal((step) => run(SEARCH_STEP, step), { folder, filter, limit }, onDamage),
    async following(after, onDamage = refuseDamage) {
      const row = typeof after === "number" ? after : await rowOf((step) => run(SEARCH_STEP, step), { folder, id: after }, onDamage);
      if (row === undefined) return undefined;
      const { numbers, texts, last, isEnd, isCut, damage } = await run(FOLLOWING, { folder, after: row });
      damage.forEach(onDamage);
      if (isCut) return undefined;
      // The events were kept as JSON objects.
      const events = numbers.map((number, index) => ({ number, event: JSON.parse(texts[index] ?? "null") as JsonObject }));
      return { events, last, isEnd };
    },
    verify: (expected, counted) => run(VERIFY_JOURNAL, { folder, checkpoints, ...defined({ expected, counted }) }),
    session: async (sessionId) => await slices.run(readParts<SessionState>(await run(SESSION_STATE, { folder, sessionId }))),
    acts: async (query) => await slices.run(readParts<RecordedActs>(await run(RECORDED_ACTS, { folder, query }))),
    calls: (query) => run(RECORDED_CALLS, { folder, ...query }),
    use: (query) => run(RECORDED_USE, { folder, ...query }),
  };
}
