/** A session as JSON, for calls that outlive the process that opened it. */

import { createSession, type Session } from "./session.ts";

/** Everything of a session but its slots and what its calls hold in this process. */
export interface KeptSession extends Omit<Session, "slots" | "stateful" | "parent"> {
  readonly parent?: KeptSession;
}

export function toKeptSession({ slots: _slots, stateful: _stateful, parent, ...rest }: Session): KeptSession {
  return { ...rest, ...(parent && { parent: toKeptSession(parent) }) };
}

/** Calls that had begun are never refused for lack of a place in line. */
const QUEUE = Number.MAX_SAFE_INTEGER;

/** Restores a session, with its id and rights. @throws {TypeError} if it cannot be opened any more */
export function fromKeptSession({ parent, quotas, ...kept }: KeptSession): Session {
  const session = createSession({ ...kept, queue: QUEUE, ...(parent && { parent: fromKeptSession(parent) }) });
  return quotas === undefined ? session : Object.freeze({ ...session, quotas: Object.freeze([...quotas]) });
}
