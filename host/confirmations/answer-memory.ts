/** Answers that the user gave for a whole session (SPEC E1). */

import type { Session } from "../call/session.ts";
import { defined } from "../primitives/defined.ts";
import { untilAborted } from "../primitives/until-aborted.ts";
import type { AnswerScope } from "./pending.ts";
import type { SessionAnswers } from "./session-answers.ts";

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

interface AnswerMemory {
  /** Asks once per session. While one call asks, other calls of the same tool wait for its answer. */
  once(question: RememberedQuestion, ask: () => Promise<Outcome>): Promise<Outcome>;
  /** Returns whether an answer is remembered. @param isOnce whether the mode is `prompt_once` */
  isKnown(question: Pick<RememberedQuestion, "session" | "key">, isOnce: boolean): boolean;
  /** Asks each time, until the user approves for the session. */
  each(question: Pick<RememberedQuestion, "session" | "key">, ask: () => Promise<Outcome>): Promise<Outcome>;
}

/** Remembers approvals and refusals for the session's lifetime. */
export function createAnswerMemory(answers: SessionAnswers): AnswerMemory {
  /** Confirmations that are being asked, by key. */
  const sessions = new WeakMap<Session, Map<string, Promise<Outcome>>>();

  function askingIn(session: Session): Map<string, Promise<Outcome>> {
    const asking = sessions.get(session) ?? new Map<string, Promise<Outcome>>();
    sessions.set(session, asking);
    return asking;
  }

  async function each({ session, key }: Pick<RememberedQuestion, "session" | "key">, ask: () => Promise<Outcome>): Promise<Outcome> {
    const { approved } = answers.of(session);
    if (approved.has(key)) return { answer: "allowed" };
    const outcome = await ask();
    if (outcome.answer === "allowed" && outcome.scope === "session") {
      approved.add(key);
      answers.keep(session);
    }
    return outcome;
  }

  return {
    isKnown({ session, key }, isOnce) {
      const { approved, once } = answers.of(session);
      return approved.has(key) || (isOnce && once.has(key));
    },
    each,
    async once(question, ask) {
      const { session, key, isShared, signal } = question;
      const { once } = answers.of(session);
      const askingHere = askingIn(session);
      for (;;) {
        const known = once.get(key);
        if (known !== undefined) return { answer: known.isApproved ? "allowed" : "denied", ...defined({ reason: known.reason }) };
        const asking = isShared ? askingHere.get(key) : undefined;
        if (asking === undefined) break;
        await untilAborted(asking, signal);
        if (signal.aborted) return { answer: "cancelled" };
      }
      const asked = each(question, ask);
      if (isShared) askingHere.set(key, asked);
      const outcome = await asked;
      if (isShared) askingHere.delete(key);
      // Without an answer, the next call asks again.
      if (outcome.answer === "allowed" || outcome.answer === "denied") {
        once.set(key, { isApproved: outcome.answer === "allowed", ...defined({ reason: outcome.reason }) });
        answers.keep(session);
      }
      return outcome;
    },
  };
}
