import { expect, it } from "vitest";
import { createMemoryClock } from "../../../host/platform/memory/memory-clock.ts";
import { createPlainReads } from "../../../host/routes/plain-reads.ts";

const LIMITS = { fileBytes: 10, totalBytes: 10 };

it("leaves files to the usual way while the thread waits for a disk, and after it ended [AX3.read-many]", async () => {
  const clock = createMemoryClock(0);
  const asked: PromiseWithResolvers<unknown>[] = [];
  const service = {
    run: () => {
      const answer = Promise.withResolvers<unknown>();
      asked.push(answer);
      return answer.promise as never;
    },
  };
  const read = createPlainReads(service, clock);
  const first = read("words", ["a", "b", "c"], LIMITS);
  asked[0]?.resolve({ lengths: [1, -1, 2], bytes: Uint8Array.of(1, 2, 3) });
  expect(await first).toEqual([Uint8Array.of(1), undefined, Uint8Array.of(2, 3)]);

  const hanging = read("words", ["a"], LIMITS);
  clock.advance(2_000);
  expect(await hanging).toEqual([undefined]);
  expect([await read("other", ["a"], LIMITS), asked.length]).toEqual([[undefined], 2]);

  asked[1]?.reject(new Error("The service thread ended"));
  await expect.poll(async () => (void read("other", ["a"], LIMITS), asked.length)).toBe(3);
});
