/** A client, or one of its plugins, requests as many confirmations as possible: those of other clients are still shown. */

import { describe, expect, it } from "vitest";
import type { ConfirmationRequest } from "../../../host/call/call.ts";
import { createPendingConfirmations, type PendingConfirmation, type PendingConfirmations } from "../../../host/confirmations/pending.ts";

let last = 0;

/** Requests confirmations until one is refused. @returns the number of accepted ones */
function hoard(
  pending: PendingConfirmations,
  from: { readonly owner?: string; readonly sessionId?: string; readonly asker?: string },
): number {
  const { owner, sessionId = "s", asker } = from;
  for (let asked = 0; ; asked += 1) {
    const request: ConfirmationRequest = { ...REQUEST, requestId: String((last += 1)) };
    const question: PendingConfirmation = {
      request,
      scopes: ["once"],
      sessionId,
      ...(owner !== undefined && { owner }),
      askedAt: 0,
      expiresAt: 1,
    };
    if (pending.open(question, () => undefined, asker) === undefined) return asked;
  }
}

const REQUEST: ConfirmationRequest = {
  ...{ requestId: "", callId: "c", tool: "t", args: {}, class: "write", destructive: false, projectedModifications: [], hash: "h" },
};

describe("attack: confirmations that wait for the user", () => {
  it("have a share for each token, and one for each session without a token [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    const asked = ["a", "b", "c", "d", "e", "f"].map((owner) => hoard(pending, { owner }));
    expect(asked).toEqual([64, 64, 64, 32, 1, 1]);
    // The total is bounded by the number of places.
    const late = Array.from({ length: 32 }, (_, index) => hoard(pending, { owner: `late ${index}` }));
    expect(late).toEqual([...Array.from({ length: 30 }, () => 1), 0, 0]);
  });

  it("have a share for each plugin, and leave room for its client [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    const askers = ["greedy", "other", undefined];
    expect(askers.map((asker) => hoard(pending, { owner: "a", ...(asker !== undefined && { asker }) }))).toEqual([16, 16, 32]);
  });

  it("have a share for each session without a token [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    expect(["1", "2"].map((sessionId) => hoard(pending, { sessionId }))).toEqual([64, 64]);
  });
});
