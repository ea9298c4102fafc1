/** One slice of a call's guest: a step, the microtasks after it, and the status of the call at the end. */

import { TextTooLong } from "../../engine/guest-values.ts";
import type { Instance } from "../../engine/instance.ts";
import type { Steps } from "../../engine/steps.ts";
import { mayHideLost } from "../../wire/status.ts";

/** A step in the guest. The text that `invoke` returns is already a status. */
export type Step = (instance: Instance) => Steps<string | void>;

export interface TurningCall {
  /** Maximum bytes of a status. */
  readonly statusBytes: number;
  /** True if the guest's memory is kept after the call, so that no pending work may remain in it. */
  readonly isCaptured: boolean;
  /** True once the call has been told to end. */
  readonly isEnding: boolean;
  /** Checks whether the guest must stop now. */
  isStopped(): boolean;
}

interface TurnEnd {
  /** Status as returned by `Entry.poll` (`guest/call/protocol.ts`). */
  readonly status: string;
  /** Length of the status in UTF-8, including its tag. */
  readonly bytes: number;
}

const JOBS_A_SLICE = 1_000;

export function* guestTurn(step: Step, instance: Instance, call: TurningCall): Steps<TurnEnd> {
  const status = yield* statusAfter(step, instance, call);
  const bytes = instance.values.lastTextBytes;
  const isToCheck = status[0] === "d" && (call.isCaptured || mayHideLost(status));
  const lost = isToCheck ? yield* instance.callEntry("checkOutput", []) : "";
  // Logging a rejection or inspecting the output may run plugin code. The jobs that it queues belong to this call, not to the next one.
  if (call.isCaptured) yield* drainJobs(instance, call);
  return { status: lost === "" ? status : lost, bytes };
}

function* statusAfter(step: Step, instance: Instance, call: TurningCall): Steps<string> {
  try {
    const first = yield* step(instance);
    const ran = yield* drainJobs(instance, call);
    return typeof first === "string" && ran === 0 ? first : yield* instance.callEntry("poll", [], call.statusBytes);
  } catch (error) {
    // Bytes are many times longer as JSON. "Bytes have no JSON form" explains more than "the output is too long".
    const lost = error instanceof TextTooLong ? yield* instance.callEntry("checkOutput", []) : "";
    if (lost === "") throw error;
    return lost;
  }
}

/** @returns the number of jobs that ran */
function* drainJobs(instance: Instance, call: TurningCall): Steps<number> {
  let total = 0;
  while (!call.isEnding) {
    const ran = yield* instance.runJobs(JOBS_A_SLICE);
    total += ran;
    if (ran < JOBS_A_SLICE) break;
    call.isStopped();
  }
  return total;
}
