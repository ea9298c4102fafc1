/** Pending confirmations, from any asker and for any door: the first answer counts (SPEC E2-E4). */

import type { ConfirmationRequest } from "../call/call.ts";

/**
 * How long an approval holds. `once`: for this call. `session`: also for later calls of the tool, or the same permission of the plugin, in
 * this session and by the same chain of callers. `always`: a grant for exactly the permission that is shown is stored when the call has ended.
 */
export const ANSWER_SCOPES = ["once", "session", "always"] as const;
/** One of `ANSWER_SCOPES`. */
export type AnswerScope = (typeof ANSWER_SCOPES)[number];

/** Maximum characters of a reason for a denial. */
export const MAX_REASON_LENGTH = 500;

/** A confirmation that waits for an answer. */
export interface PendingConfirmation {
  readonly request: ConfirmationRequest;
  /** Scopes that an approval can have. */
  readonly scopes: readonly AnswerScope[];
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
  /** Default `once`. */
  readonly scope?: AnswerScope;
  /** Reason for a denial, which the caller is told. At most `MAX_REASON_LENGTH` characters. */
  readonly reason?: string;
}

/** `unknown`: the confirmation does not exist or is over. `changed`: its request differs from the one shown. `unoffered`: it has no such scope. */
export type AnswerOutcome = "answered" | "unknown" | "changed" | "unoffered";

/** The pending confirmations of one host. */
export interface PendingConfirmations {
  /** Returns the oldest first. */
  list(): readonly PendingConfirmation[];
  /**
   * @param settle is called at most once.
   * @param asker the plugin or tool whose code asks; absent if the client itself asks
   * @param isKept whether it was pending in an earlier process: it has had its place
   * @returns a function that withdraws it; undefined if there are too many
   */
  open(
    pending: PendingConfirmation,
    settle: (answer: ConfirmationAnswer) => void,
    asker?: string,
    isKept?: boolean,
  ): (() => void) | undefined;
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
  readonly settle: (answer: ConfirmationAnswer) => void;
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
    open(pending, settle, asker, isKept = false) {
      const { requestId } = pending.request;
      if (!isKept && !hasRoom(pending, asker)) return undefined;
      open.set(requestId, { pending, settle, asker });
      return () => void open.delete(requestId);
    },
    answer(requestId, answer) {
      const entry = open.get(requestId);
      if (entry === undefined) return "unknown";
      if (entry.pending.request.hash !== answer.hash) return "changed";
      if (answer.approve && !entry.pending.scopes.includes(answer.scope ?? "once")) return "unoffered";
      open.delete(requestId);
      entry.settle(answer);
      return "answered";
    },
  };
}
