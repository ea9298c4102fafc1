/** Answers of a member to requests, and what its log says about refused messages. */

import type { ErrorCode } from "../call/errors.ts";
import type { Clock } from "../platform/threads/clock-types.ts";
import type { PlainState } from "./messages.ts";

/** An answer to a request; `incarnation` if it is about another process. */
export type Answer =
  | { readonly state: PlainState; readonly incarnation?: string; readonly taken?: number }
  | { readonly state: "refused"; readonly code: ErrorCode; readonly message: string };

/** Time between two lines about refused messages: anything on the network can send them. */
const REFUSAL_MS = 10_000;

export function otherCall(): Answer {
  return { state: "refused", code: "invalid_args", message: "Another call has this callId, with other arguments (use a new one)" };
}

export function refusal(reason: string): Answer {
  return { state: "refused", code: "unavailable", message: `A member of the cluster refuses the call: ${reason}` };
}

export function createRefusalLog(
  clock: Pick<Clock, "monotonic">,
  say: (message: string, error: undefined) => void,
): (reason: string) => void {
  let unsaid = 0;
  let saidAt: number | undefined;
  return (reason) => {
    const now = clock.monotonic();
    unsaid += 1;
    if (saidAt !== undefined && now - saidAt < REFUSAL_MS) return;
    say(`A message of the cluster is refused: ${reason}${unsaid > 1 ? ` (and ${unsaid - 1} others before)` : ""}`, undefined);
    saidAt = now;
    unsaid = 0;
  };
}
