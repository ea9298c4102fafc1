/**
 * Limits the confirmations that plugin code can request: after a few in a row that the user did not approve, it is silenced for a while, so
 * that no plugin wears the user down or hides an important confirmation among others (SPEC E4, E7).
 */

import type { Clock } from "../platform/platform.ts";
import type { Session } from "../call/session.ts";

/** The refusals of one host. */
export interface Refusals {
  /** Returns whether the asker may request another confirmation in the session. */
  mayAsk(session: Session, asker: string): boolean;
  /** Records the outcome of a confirmation. */
  note(session: Session, asker: string, isAgreed: boolean): void;
}

/** Maximum number of refusals in a row, over all calls of the asker. */
export const MAX_REFUSED = 3;
/** Silence in milliseconds after the last refusal. */
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
