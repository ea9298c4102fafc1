/** A client, or one plugin of a client, asks for as many confirmations as it can: the others' are still put. */

import { describe, expect, it } from "vitest";
import type { ConfirmationRequest } from "../../../host/call/call.ts";
import { createPendingConfirmations, type PendingConfirmations } from "../../../host/confirmations/pending.ts";

let last = 0;

/** Asks until it is refused. @returns how often that went well */
function hoard(
  pending: PendingConfirmations,
  from: { readonly owner?: string; readonly sessionId?: string; readonly asker?: string },
): number {
  const { owner, sessionId = "s", asker } = from;
  for (let asked = 0; ; asked += 1) {
    const request: ConfirmationRequest = { ...REQUEST, requestId: String((last += 1)) };
    const question = { request, sessionId, ...(owner !== undefined && { owner }), askedAt: 0, expiresAt: 1 };
    if (pending.open(question, () => undefined, asker) === undefined) return asked;
  }
}

const REQUEST: ConfirmationRequest = {
  ...{ requestId: "", callId: "c", tool: "t", args: {}, class: "write", destructive: false, projectedModifications: [], hash: "h" },
};

describe("attack: confirmations that wait for a person", () => {
  it("are a share of each token, and one for a token that has none [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    const asked = ["a", "b", "c", "d", "e", "f"].map((owner) => hoard(pending, { owner }));
    expect(asked).toEqual([64, 64, 64, 32, 1, 1]);
    // And no more than there are places.
    const late = Array.from({ length: 32 }, (_, index) => hoard(pending, { owner: `late ${index}` }));
    expect(late).toEqual([...Array.from({ length: 30 }, () => 1), 0, 0]);
  });

  it("are a share of each plugin that asks for its client, which goes on asking itself [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    const askers = ["greedy", "other", undefined];
    expect(askers.map((asker) => hoard(pending, { owner: "a", ...(asker !== undefined && { asker }) }))).toEqual([16, 16, 32]);
  });

  it("are a share of each session that is no token's [LV3.confirmations]", () => {
    const pending = createPendingConfirmations();
    expect(["1", "2"].map((sessionId) => hoard(pending, { sessionId }))).toEqual([64, 64]);
  });
});
