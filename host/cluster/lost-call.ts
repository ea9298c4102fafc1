/** The result of a call whose member died, and that may not run again (SPEC CL2). The same details as for a frozen call that cannot continue. */

import { toolError, type ToolErrorData } from "../call/errors.ts";

export function lostCall(callId: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ok: false, error: lostError(callId, "the member that ran it ended") }));
}

/** @param because ends without a period */
export function lostError(callId: string, because: string): ToolErrorData {
  return toolError("unavailable", `The call ${callId} is lost: ${because}; it may have happened (check before calling again)`, {
    details: { retryable: false, lost: true, mayHaveHappened: true },
  });
}
