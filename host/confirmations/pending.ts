/** Questions that wait for a person, whoever asks and whoever answers: the first answer counts (SPEC E2-E4). */

import type { ConfirmationRequest } from "../call/call.ts";

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
  /**
   * @param settle is called at most once.
   * @param asker the plugin or tool whose code asks, where it is not the client itself.
   * @returns how to withdraw it; undefined if there are too many.
   */
  open(pending: PendingConfirmation, settle: (approve: boolean) => void, asker?: string): (() => void) | undefined;
  answer(requestId: string, answer: ConfirmationAnswer): AnswerOutcome;
}

/** Each is a call that somebody wants, and waiting takes no slot. */
const MAX_PENDING = 256;
/** Of one caller of a door, or of one session that is nobody's: no one takes all the places from the others. */
const MAX_OWN = 64;
/** Of these, what the code of one plugin asks for: its calls of other tools, and what it lacks in the middle of a call. */
const MAX_OF_ASKER = 16;
/** Of all, for owners of which no question stands. */
const KEPT_FREE = 32;

interface Open {
  readonly pending: PendingConfirmation;
  readonly settle: (approve: boolean) => void;
  readonly asker: string | undefined;
}

export function createPendingConfirmations(): PendingConfirmations {
  const open = new Map<string, Open>();

  function hasRoom({ owner, sessionId }: PendingConfirmation, asker: string | undefined): boolean {
    const own = Array.from(open.values()).filter(({ pending }) =>
      owner === undefined ? pending.owner === undefined && pending.sessionId === sessionId : pending.owner === owner,
    );
    if (own.length === 0) return open.size < MAX_PENDING;
    const ofAsker = asker === undefined ? 0 : own.filter((one) => one.asker === asker).length;
    return open.size < MAX_PENDING - KEPT_FREE && own.length < MAX_OWN && ofAsker < MAX_OF_ASKER;
  }

  return {
    list: () => Array.from(open.values(), ({ pending }) => pending),
    open(pending, settle, asker) {
      const { requestId } = pending.request;
      if (!hasRoom(pending, asker)) return undefined;
      open.set(requestId, { pending, settle, asker });
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
