/** Questions that wait for a person, whoever asks and whoever answers: the first answer counts (SPEC E2-E4). */

import type { ConfirmationRequest } from "../call.ts";

/** A question that stands. */
export interface PendingConfirmation {
  readonly request: ConfirmationRequest;
  readonly sessionId: string;
  /** Of the session: the caller of a door that told who it was. */
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** A person's answer. */
export interface ConfirmationAnswer {
  readonly approve: boolean;
  /** The `hash` of what the person saw; another one is another question, and not answered by this. */
  readonly hash: string;
}

/** `unknown`: there is no such question (any more). `changed`: it is not the one that was shown. */
export type AnswerOutcome = "answered" | "unknown" | "changed";

/** The questions of one host. */
export interface PendingConfirmations {
  /** The oldest first. */
  list(): readonly PendingConfirmation[];
  /** Returns how to withdraw it; undefined if there are too many. `settle` is called at most once. */
  open(pending: PendingConfirmation, settle: (approve: boolean) => void): (() => void) | undefined;
  answer(requestId: string, answer: ConfirmationAnswer): AnswerOutcome;
}

/** Each is a call that somebody wants, and waiting takes no slot. */
const MAX_PENDING = 256;
/** Of one caller of a door, or of one session that is nobody's: no one takes all the places from the others. */
const MAX_OWN = 64;

export function createPendingConfirmations(): PendingConfirmations {
  const open = new Map<string, { readonly pending: PendingConfirmation; readonly settle: (approve: boolean) => void }>();

  function countOf({ owner, sessionId }: PendingConfirmation): number {
    let count = 0;
    for (const { pending } of open.values())
      if (owner === undefined ? pending.owner === undefined && pending.sessionId === sessionId : pending.owner === owner) count += 1;
    return count;
  }

  return {
    list: () => Array.from(open.values(), ({ pending }) => pending),
    open(pending, settle) {
      const { requestId } = pending.request;
      if (open.size >= MAX_PENDING || countOf(pending) >= MAX_OWN) return undefined;
      open.set(requestId, { pending, settle });
      return () => void open.delete(requestId);
    },
    answer(requestId, { approve, hash }) {
      const entry = open.get(requestId);
      if (entry === undefined) return "unknown";
      if (entry.pending.request.hash !== hash) return "changed";
      open.delete(requestId);
      entry.settle(approve);
      return "answered";
    },
  };
}
