/** Pending confirmations, from any asker and for any door: the first answer counts (SPEC E2-E4). */

import type { ConfirmationRequest } from "../call/call.ts";

/** A confirmation that waits for an answer. */
export interface PendingConfirmation {
  readonly request: ConfirmationRequest;
  readonly sessionId: string;
  /** Owner of the session: the caller that a door identified. */
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

/** The user's answer. */
export interface ConfirmationAnswer {
  readonly approve: boolean;
  /** The `hash` of the request that the user saw; the answer applies to no other request. */
  readonly hash: string;
}

/** `unknown`: the confirmation does not exist or is over. `changed`: its request differs from the one shown. */
export type AnswerOutcome = "answered" | "unknown" | "changed";

/** The pending confirmations of one host. */
export interface PendingConfirmations {
  /** Returns the oldest first. */
  list(): readonly PendingConfirmation[];
  /**
   * @param settle is called at most once.
   * @param asker the plugin or tool whose code asks; absent if the client itself asks
   * @returns a function that withdraws it; undefined if there are too many
   */
  open(pending: PendingConfirmation, settle: (approve: boolean) => void, asker?: string): (() => void) | undefined;
  answer(requestId: string, answer: ConfirmationAnswer): AnswerOutcome;
}

/** Maximum number of pending confirmations. Each belongs to a waiting call, which holds no slot. */
const MAX_PENDING = 256;
/** Maximum per caller of a door, or per session without an owner, so that none takes all places. */
const MAX_OWN = 64;
/** Maximum per plugin within these, for calls of other tools and for permissions requested during a call. */
const MAX_OF_ASKER = 16;
/** Places reserved for owners without a pending confirmation. */
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
