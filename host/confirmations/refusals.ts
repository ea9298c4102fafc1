/**
 * How often a person is asked by code that nobody looked at: after a few questions in a row that nobody agreed to, it asks no
 * more for a while, so that no plugin wears a person down, or hides what matters between what does not (SPEC E4, E7).
 */

import type { Clock } from "../platform/platform.ts";
import type { Session } from "../call/session.ts";

/** One host's. */
export interface Refusals {
  /** Whether the asker may put another question in the session. */
  mayAsk(session: Session, asker: string): boolean;
  /** What came of a question of its. */
  note(session: Session, asker: string, isAgreed: boolean): void;
}

/** In a row, whoever of the asker's calls asked. */
export const MAX_REFUSED = 3;
/** Counted from the last of them. */
export const QUIET_MS: number = 10 * 60_000;

interface Row {
  count: number;
  lastMs: number;
}

export function createRefusals({ monotonic }: Pick<Clock, "monotonic">): Refusals {
  const sessions = new WeakMap<Session, Map<string, Row>>();
  return {
    mayAsk(session, asker) {
      const refusals = sessions.get(session)?.get(asker);
      return refusals === undefined || refusals.count < MAX_REFUSED || monotonic() - refusals.lastMs >= QUIET_MS;
    },
    note(session, asker, isAgreed) {
      const askers = sessions.get(session) ?? new Map<string, Row>();
      sessions.set(session, askers);
      if (isAgreed) return void askers.delete(asker);
      const now = monotonic();
      const { count, lastMs } = askers.get(asker) ?? { count: 0, lastMs: now };
      askers.set(asker, { count: now - lastMs >= QUIET_MS ? 1 : count + 1, lastMs: now });
    },
  };
}
