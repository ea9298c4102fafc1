/** Cryptography of recorded and replayed calls. Keys and signatures are random, so the recording contains their answers. */

import { errorAnswer, type LocalAnswer } from "../operations/local-answer.ts";
import type { SubtleCall } from "../operations/subtle-calls.ts";
import type { CryptoAnswer } from "../../wire/tape.ts";

/** Wraps a session and passes every answer to `keep`, with the number of its operation. */
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

/**
 * Answers from the recording and performs no cryptography. An operation without a recorded answer was never answered, and the entry order
 * lets no answer in.
 */
export function tapeSubtle(kept: readonly CryptoAnswer[], soon: (task: () => void) => void): SubtleCall {
  const answers = new Map(kept.map((answer) => [answer.operation, answer]));
  let asked = 0;
  return {
    begin(_request, settle) {
      const answer = answers.get(asked++) ?? errorAnswer("OperationError", "No answer was recorded");
      // Asynchronous, because the guest is running.
      soon(() => settle(answer, 0));
      return true;
    },
    close() {},
  };
}
