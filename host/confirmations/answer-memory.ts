/** Answers that the user gave for a whole session (SPEC E1). */

import type { Session } from "../call/session.ts";
import { untilAborted } from "../primitives/until-aborted.ts";
import type { AnswerScope } from "./pending.ts";

/**
 * The outcome of a confirmation. `silenced`: the user was not asked, because the asker was refused too often. `changed`: the call is not
 * the one that the user was shown before a restart.
 */
export type Answer = "allowed" | "denied" | "timeout" | "cancelled" | "too_many" | "silenced" | "changed";

/** An outcome with what the user added to it. */
export interface Outcome {
  readonly answer: Answer;
  /** Absent for `once`. */
  readonly scope?: AnswerScope;
  /** Reason for a denial. */
  readonly reason?: string;
}

interface RememberedQuestion {
  readonly session: Session;
  readonly key: string;
  /** False for a caller that does not wait: it needs a confirmation of its own. */
  readonly isShared: boolean;
  /** Signal of the call, to stop waiting for another call's confirmation. */
  readonly signal: AbortSignal;
}

interface SessionAnswers {
  /** Answers in the mode `prompt_once`. */
  readonly given: Map<string, Outcome>;
  readonly asking: Map<string, Promise<Outcome>>;
  /** Keys that the user approved for the session. */
  readonly approved: Set<string>;
}

interface AnswerMemory {
  /** Asks once per session. While one call asks, other calls of the same tool wait for its answer. */
  once(question: RememberedQuestion, ask: () => Promise<Outcome>): Promise<Outcome>;
  /** Returns whether an answer is remembered. @param isOnce whether the mode is `prompt_once` */
  isKnown(question: Pick<RememberedQuestion, "session" | "key">, isOnce: boolean): boolean;
  /** Asks each time, until the user approves for the session. */
  each(question: Pick<RememberedQuestion, "session" | "key">, ask: () => Promise<Outcome>): Promise<Outcome>;
}

/** Remembers approvals and refusals for the session's lifetime. */
export function createAnswerMemory(): AnswerMemory {
  const sessions = new WeakMap<Session, SessionAnswers>();

  function memoryOf(session: Session): SessionAnswers {
    const memory: SessionAnswers = sessions.get(session) ?? { given: new Map(), asking: new Map(), approved: new Set() };
    sessions.set(session, memory);
    return memory;
  }

  async function each({ session, key }: Pick<RememberedQuestion, "session" | "key">, ask: () => Promise<Outcome>): Promise<Outcome> {
    const { approved } = memoryOf(session);
    if (approved.has(key)) return { answer: "allowed" };
    const outcome = await ask();
    if (outcome.answer === "allowed" && outcome.scope === "session") approved.add(key);
    return outcome;
  }

  return {
    isKnown({ session, key }, isOnce) {
      const memory = sessions.get(session);
      return memory !== undefined && (memory.approved.has(key) || (isOnce && memory.given.has(key)));
    },
    each,
    async once(question, ask) {
      const { session, key, isShared, signal } = question;
      const memory = memoryOf(session);
      for (;;) {
        const known = memory.given.get(key);
        if (known !== undefined) return known;
        const asking = isShared ? memory.asking.get(key) : undefined;
        if (asking === undefined) break;
        await untilAborted(asking, signal);
        if (signal.aborted) return { answer: "cancelled" };
      }
      const asked = each(question, ask);
      if (isShared) memory.asking.set(key, asked);
      const outcome = await asked;
      if (isShared) memory.asking.delete(key);
      // Without an answer, the next call asks again.
      if (outcome.answer === "allowed" || outcome.answer === "denied") memory.given.set(key, outcome);
      return outcome;
    },
  };
}
