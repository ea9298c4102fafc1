/** Cryptography of a call whose tape is kept or followed: keys and signatures are random, so their answers are on the tape. */

import { errorAnswer, type LocalAnswer } from "../operations/local-answer.ts";
import type { SubtleCall } from "../operations/subtle-calls.ts";
import type { CryptoAnswer } from "./tape.ts";

/** Tells `keep` of every answer, by the number of its operation. */
export function keepingSubtle(inner: SubtleCall, keep: (operation: number, answer: LocalAnswer) => void): SubtleCall {
  let asked = 0;
  return {
    begin(request, settle) {
      const operation = asked++;
      return inner.begin(request, (answer, elapsedMs) => {
        keep(operation, answer);
        settle(answer, elapsedMs);
      });
    },
    close: () => inner.close(),
  };
}

/** Answers from the tape, and performs nothing. What it has no answer for was not answered then, and the order of entries lets none in. */
export function tapeSubtle(kept: readonly CryptoAnswer[], soon: (task: () => void) => void): SubtleCall {
  const answers = new Map(kept.map((answer) => [answer.operation, answer]));
  let asked = 0;
  return {
    begin(_request, settle) {
      const answer = answers.get(asked++) ?? errorAnswer("OperationError", "This was not answered");
      // Later, because the guest is running.
      soon(() => settle(answer, 0));
      return true;
    },
    close() {},
  };
}
