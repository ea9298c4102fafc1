import { describe, expect, it } from "vitest";
import { CryptoLimiter } from "../../../sandbox/pool/crypto-limiter.ts";
import type { WorkerRequest } from "../../../sandbox/wire/protocol.ts";

/** A worker that records which calls got a lane. */
function worker(): { readonly given: number[]; onGone: (() => void) | undefined; send(request: WorkerRequest): void } {
  const given: number[] = [];
  return { given, onGone: undefined, send: (request) => void (request.type === "lane" && given.push(request.number)) };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("CryptoLimiter", () => {
  it("grants two lanes, at most one per plugin, and alternates between plugins [LV3.crypto]", async () => {
    const lanes = new CryptoLimiter();
    const [one, other] = [worker(), worker()];
    for (const number of [1, 2, 3]) expect(lanes.hear(one, { number, wants: true }, "greedy")).toBe(true);
    lanes.hear(other, { number: 4, wants: true }, "greedy");
    await turn();
    expect([one.given, other.given]).toEqual([[1], []]);
    lanes.hear(other, { number: 5, wants: true }, "second");
    lanes.hear(other, { number: 6, wants: true }, "third");
    await turn();
    expect([one.given, other.given]).toEqual([[1], [5]]);
    expect(lanes.hear(one, { number: 1, wants: false }, "greedy")).toBe(true);
    await turn();
    // The third had not requested a lane when the greedy plugin requested its second.
    expect([one.given, other.given]).toEqual([[1, 2], [5]]);
    lanes.hear(one, { number: 2, wants: false }, "greedy");
    await turn();
    expect([one.given, other.given]).toEqual([
      [1, 2],
      [5, 6],
    ]);
  });

  it("takes back the lanes and requests of a worker that has ended [LV3.crypto, LV5]", async () => {
    const lanes = new CryptoLimiter();
    const [one, other] = [worker(), worker()];
    lanes.hear(one, { number: 1, wants: true }, "a");
    lanes.hear(one, { number: 2, wants: true }, "b");
    lanes.hear(one, { number: 3, wants: true }, "c");
    lanes.hear(other, { number: 4, wants: true }, "d");
    await turn();
    expect([one.given, other.given]).toEqual([[1, 2], []]);
    one.onGone?.();
    await turn();
    expect([one.given, other.given]).toEqual([[1, 2], [4]]);
  });

  it("ignores a worker that requests twice for a call, or returns a lane that it does not have [B5.worker]", async () => {
    const lanes = new CryptoLimiter();
    const hostile = worker();
    const say = (number: number, wants: boolean): boolean => lanes.hear(hostile, { number, wants }, "a");
    expect([say(1, false), say(1, true), say(1, true), say(2, true)]).toEqual([false, true, false, true]);
    await turn();
    expect([say(2, false), say(1, false), say(1, false)]).toEqual([false, true, false]);
    for (let number = 10; number < 2_057; number++) expect(say(number, true)).toBe(true);
    expect(say(3_000, true)).toBe(false);
  });
});
