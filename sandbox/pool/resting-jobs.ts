/** Host side of waiting calls: claims them from their worker, and keeps their answers meanwhile. */

import { type RestingCall, claimResting, isAtRest } from "../wire/resting-call.ts";
import type { CallJob, Rest, Said } from "./job.ts";
import type { Thread } from "./thread.ts";
import { LARGE_ANSWER_BYTES } from "../wire/untaken.ts";

/** Minimum average interval at which an honest worker lays a call out, after an initial number. */
const REST_EVERY_MS = 5;
const RESTS_AT_ONCE = 1_000;

/** Handles a worker's message that it laid a call out. @returns false if the worker sends it too often */
export function laidOut(job: CallJob, call: RestingCall, now: number): boolean {
  if (++job.rests > RESTS_AT_ONCE + (now - job.givenAt) / REST_EVERY_MS) return false;
  // If an answer was in flight, the call will resume with it, so this rest is outdated.
  job.rest = call.state.answers === job.answers ? { call, answers: [], isClaimed: false } : undefined;
  return true;
}

/** True if another worker could resume the call if its own worker ended now. */
export function canMove({ rest, number }: CallJob, thread: Thread): boolean {
  return rest !== undefined && (rest.isClaimed ? !thread.hasBegun(number) : isAtRest(rest.call));
}

/** Claims a call from its worker. @returns false if the worker resumes it, or may */
export function claimRest(job: CallJob, thread: Thread): boolean {
  const { rest, number } = job;
  if (rest === undefined) return false;
  if (rest.isClaimed ? !thread.takeBack(number) : !claimResting(rest.call)) {
    job.rest = undefined;
    return false;
  }
  if (!rest.isClaimed) thread.send({ type: "end", number });
  rest.isClaimed = true;
  job.answers = rest.call.state.answers;
  return true;
}

/** Drops the resting state of a call that has resumed. */
export function forgetRest(job: CallJob, thread: Thread): void {
  if (!canMove(job, thread)) job.rest = undefined;
}

/** Releases the stored answers of a call that is over. */
export function dropRest(job: CallJob): void {
  for (const { brought } of job.rest?.answers ?? []) brought?.taken();
  job.rest = undefined;
}

/** True if the call could continue if its worker had a slice for it. */
export function isDue({ rest, cancelBy }: CallJob, now: number): boolean {
  if (rest === undefined) return false;
  return rest.isClaimed || rest.answers.length > 0 || cancelBy !== undefined || (rest.call.state.timerAt ?? Infinity) <= now;
}

/** Sends a worker the stored answers of a call that it was given, and its cancellation. */
export function tellRest(job: CallJob, thread: Thread, { answers }: Rest): void {
  for (const said of answers) sendAnswer(job, thread, said);
  if (job.cancelBy !== undefined) thread.send({ type: "abort", number: job.number });
}

export function sendAnswer(job: CallJob, thread: Thread, { operation, answer, brought }: Said): void {
  job.answers++;
  // Large bytes are transferred, so they cannot be sent again.
  if (brought !== undefined && brought.bytes.length >= LARGE_ANSWER_BYTES) job.rest = undefined;
  thread.answer(job.number, operation, answer, brought);
}
