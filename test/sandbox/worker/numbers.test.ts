import { describe, expect, it } from "vitest";
import { claim, CONTROL_BYTES, isOffered, nextNumber, offer, openControl } from "../../../sandbox/wire/protocol.ts";

describe("numbers of jobs and tickets", () => {
  it("count on from 1 past the last that fits a word of 32 bits, so that offers are still taken", () => {
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
