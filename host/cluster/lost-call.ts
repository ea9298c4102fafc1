/** Results that a member writes itself, without the tool (SPEC CL2). */

import { toolError, type ToolErrorData } from "../call/errors.ts";

/** The result of a call whose member died, and that may not run again. */
export function lostCall(callId: string): Uint8Array {
  return failedCall(lostError(callId, "the member that ran it ended"));
}

export function failedCall(error: ToolErrorData): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ok: false, error }));
}

/** The same details as for a frozen call that cannot continue. @param because ends without a period */
export function lostError(callId: string, because: string): ToolErrorData {
  return toolError("unavailable", `The call ${callId} is lost: ${because}; it may have happened (check before calling again)`, {
    details: { retryable: false, lost: true, mayHaveHappened: true },
  });
}
