/** What can be asked of the durable record: by programs through `host.audit`, by people through `bascule audit` (SPEC AU3, AU5). */

import type { JsonObject } from "../../manifests/mod.ts";
import { JournalError } from "../platform/files/journal-types.ts";
import type { Slices } from "../platform/platform.ts";
import { type Service, ServiceError } from "../primitives/service/service.ts";
import type { ActQuery, RecordedActs } from "./acts.ts";
import type { ServiceTask, TaskFunction } from "../primitives/service/task.ts";
import { type OnDamage, refuseDamage } from "./file-rows.ts";
import { FOLLOWING, type FollowingEvents, rowOf } from "./following.ts";
import type { EventStore } from "./journal.ts";
import { type EventFilter, type KeptEvent, SEARCH_STEP, searchJournal } from "./search.ts";
import type { SessionState } from "./session-state.ts";
import { readParts, RECORDED_ACTS, SESSION_STATE, VERIFY_JOURNAL } from "./journal-reader.ts";
import type { JournalReport } from "./verify.ts";

/** Reads what is durable; `flush` first to see the newest. */
export interface Audit {
  /** Every event so far is durable when it resolves. */
  flush(): Promise<void>;
  /**
   * The newest `limit` (default 100) events that fit, the oldest first.
   *
   * @param onDamage told of what cannot be read; the rest is searched. Default: it throws
   * @throws {JournalError} if a file cannot be read
   */
  search(filter?: EventFilter, limit?: number, onDamage?: OnDamage): Promise<readonly KeptEvent[]>;
  /**
   * The next events after one, in their order, some 64 KB of them; undefined if what follows it is not all on record.
   *
   * @param after its id, or the row where the last of these pages ended
   * @param onDamage told of what cannot be read; the rest is there. Default: it throws
   * @throws {JournalError} if a file cannot be read
   */
  following(after: string | number, onDamage?: OnDamage): Promise<FollowingEvents | undefined>;
  /** @param expected the seal of a row that was noted earlier */
  verify(expected?: string): Promise<JournalReport>;
  session(sessionId: string): Promise<SessionState>;
  /** What a plugin did. @throws {JournalError} if a file cannot be read. */
  acts(query: ActQuery): Promise<RecordedActs>;
}

/** Where a journal and what is known of it are. Absolute paths. */
export interface AuditPlace {
  readonly auditFolder: string;
  /** Of its checkpoints. */
  readonly checkpointFile: string;
}

const DEFAULT_LIMIT = 100;

export interface AuditParts {
  /** Reads the files, so that no other work waits for them. */
  readonly service: Service;
  readonly slices: Slices;
  /** Absent where only others write. */
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
      // Events are JSON objects, as they were kept.
      const events = numbers.map((number, index) => ({ number, event: JSON.parse(texts[index] ?? "null") as JsonObject }));
      return { events, last, isEnd };
    },
    verify: (expected) => run(VERIFY_JOURNAL, { folder, checkpoints, ...(expected !== undefined && { expected }) }),
    session: async (sessionId) => await slices.run(readParts<SessionState>(await run(SESSION_STATE, { folder, sessionId }))),
    acts: async (query) => await slices.run(readParts<RecordedActs>(await run(RECORDED_ACTS, { folder, query }))),
  };
}
