import { describe, expect, it } from "vitest";
import { claim, CONTROL_BYTES, isOffered, nextNumber, offer, openControl } from "../../../sandbox/wire/protocol.ts";

describe("numbers of jobs and tickets", () => {
  it("wrap to 1 after the largest 32-bit number, so that offers can still be claimed", () => {
    const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
    let ticket = 2 ** 31 - 3;
    for (let round = 0; round < 5; round++) {
      ticket = nextNumber(ticket);
      offer(control, ticket);
      expect(isOffered(control, ticket)).toBe(true);
      expect(claim(control, ticket)).toBe(true);
      expect(claim(control, ticket)).toBe(false);
    }
    expect(ticket).toBe(3);
  });
});
