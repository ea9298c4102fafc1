/** One turn of a call's guest: a step, the microtasks after it, and where the call stands then. */

import { TextTooLong } from "../engine/guest-values.ts";
import type { Instance } from "../engine/instance.ts";
import type { Steps } from "../engine/steps.ts";
import { mayHideLost } from "./status.ts";

/** Something done in the guest; the text of `invoke` already says where the call stands. */
export type Step = (instance: Instance) => Steps<string | void>;

export interface TurningCall {
  /** Longest status. */
  readonly statusBytes: number;
  /** Nothing of the guest may be left over: its memory is kept when the call is done. */
  readonly isCaptured: boolean;
  /** True once the call has been told to end. */
  readonly isEnding: boolean;
  /** Whether the guest must stop now. */
  isStopped(): boolean;
}

export interface TurnEnd {
  /** As `Entry.poll` answers (`guest/protocol.ts`). */
  readonly status: string;
  /** Its length in UTF-8, with the tag. */
  readonly bytes: number;
}

const JOBS_A_SLICE = 1_000;

export function* guestTurn(step: Step, instance: Instance, call: TurningCall): Steps<TurnEnd> {
  const status = yield* statusAfter(step, instance, call);
  const bytes = instance.values.lastTextBytes;
  const isToCheck = status[0] === "d" && (call.isCaptured || mayHideLost(status));
  const lost = isToCheck ? yield* instance.callEntry("checkOutput", []) : "";
  // To log a rejection, or to look at the output, may run the plugin's code. A job that it leaves is this call's, not the next one's.
  if (call.isCaptured) yield* drainJobs(instance, call);
  return { status: lost === "" ? status : lost, bytes };
}

function* statusAfter(step: Step, instance: Instance, call: TurningCall): Steps<string> {
  try {
    const first = yield* step(instance);
    const ran = yield* drainJobs(instance, call);
    return typeof first === "string" && ran === 0 ? first : yield* instance.callEntry("poll", [], call.statusBytes);
  } catch (error) {
    // Bytes are many times as long in JSON: that they have no JSON form says more than that the output is too long.
    const lost = error instanceof TextTooLong ? yield* instance.callEntry("checkOutput", []) : "";
    if (lost === "") throw error;
    return lost;
  }
}

/** @returns how many jobs ran. */
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
