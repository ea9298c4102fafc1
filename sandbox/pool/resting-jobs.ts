/** Calls that wait, on the host's side: taking one away from its worker, and what it was answered meanwhile. */

import { type RestingCall, claimResting, isAtRest } from "../call/resting-call.ts";
import type { CallJob, Rest, Said } from "./job.ts";
import type { Thread } from "../worker/thread.ts";
import { LARGE_ANSWER_BYTES } from "../worker/untaken.ts";

/** An honest worker lays a call out every so often at most, and begins with some at once. */
const REST_EVERY_MS = 5;
const RESTS_AT_ONCE = 1_000;

/** A worker laid a call out. @returns false if it says so too often */
export function laidOut(job: CallJob, call: RestingCall, now: number): boolean {
  if (++job.rests > RESTS_AT_ONCE + (now - job.givenAt) / REST_EVERY_MS) return false;
  // An answer that was on its way meanwhile will have the call go on.
  job.rest = call.state.answers === job.answers ? { call, answers: [], isClaimed: false } : undefined;
  return true;
}

/** Whether another worker could go on with a call, should its own one end now. */
export function canMove({ rest, number }: CallJob, thread: Thread): boolean {
  return rest !== undefined && (rest.isClaimed ? !thread.hasBegun(number) : isAtRest(rest.call));
}

/** Takes a call away from its worker. @returns false if the worker goes on with it, or may */
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

/** Forgets what a call was as it waited, if it has gone on. */
export function forgetRest(job: CallJob, thread: Thread): void {
  if (!canMove(job, thread)) job.rest = undefined;
}

/** The call is over: answers that were kept for it enter no guest any more. */
export function dropRest(job: CallJob): void {
  for (const { brought } of job.rest?.answers ?? []) brought?.taken();
  job.rest = undefined;
}

/** Whether a call could go on, if its worker had a turn for it. */
export function isDue({ rest, cancelBy }: CallJob, now: number): boolean {
  if (rest === undefined) return false;
  return rest.isClaimed || rest.answers.length > 0 || cancelBy !== undefined || (rest.call.state.timerAt ?? Infinity) <= now;
}

/** Tells another worker the answers to a call that it was given, and its cancellation. */
export function tellRest(job: CallJob, thread: Thread, { answers }: Rest): void {
  for (const said of answers) sendAnswer(job, thread, said);
  if (job.cancelBy !== undefined) thread.send({ type: "abort", number: job.number });
}

export function sendAnswer(job: CallJob, thread: Thread, { operation, answer, brought }: Said): void {
  job.answers++;
  // Its bytes move: they cannot be sent once more.
  if (brought !== undefined && brought.bytes.length >= LARGE_ANSWER_BYTES) job.rest = undefined;
  thread.answer(job.number, operation, answer, brought);
}
