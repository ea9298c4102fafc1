import { describe, expect, it } from "vitest";
import type { Job } from "../../../sandbox/pool/job.ts";
import { WaitingJobs } from "../../../sandbox/pool/waiting-jobs.ts";

function job(number: number, caller?: string): Job {
  return { kind: "call", number, invocation: { caller } } as Job;
}

const numbers = (jobs: readonly Job[]): readonly number[] => jobs.map(({ number }) => number);

describe("WaitingJobs", () => {
  it("alternates between callers, and lets a new caller go first [LV3.workers]", () => {
    const waiting = new WaitingJobs();
    for (const number of [1, 2, 3]) waiting.add(job(number, "greedy"));
    waiting.add(job(4, "modest"));
    waiting.add(job(5));
    expect([waiting.size, waiting.sizeOf("greedy"), waiting.sizeOf("modest"), waiting.sizeOf("none")]).toEqual([5, 3, 1, 0]);
    const taken = waiting.takeAll();
    expect(numbers(taken)).toEqual([1, 4, 5, 2, 3]);
    expect(waiting.size).toBe(0);
    // Only one place was free.
    for (const other of taken.slice(1)) waiting.add(other);
    expect(numbers(waiting.takeAll())).toEqual([4, 5, 2, 3]);
  });

  it("returns started calls before all others, and drops finished ones", () => {
    const waiting = new WaitingJobs();
    const [one, two, three] = [job(1, "a"), job(2, "a"), job(3, "b")];
    waiting.add(one);
    waiting.add(three);
    waiting.addFirst(two);
    waiting.delete(one);
    expect([waiting.size, waiting.sizeOf("a")]).toEqual([2, 0]);
    expect(numbers(waiting.values())).toEqual([2, 3]);
    expect(numbers(waiting.takeAll())).toEqual([2, 3]);
    waiting.addFirst(two);
    waiting.delete(two);
    expect([waiting.size, waiting.takeAll()]).toEqual([0, []]);
  });
});
