import { describe, expect, it } from "vitest";
import type { InvocationUsed } from "../../../sandbox/mod.ts";
import { isWorkerMessage } from "../../../sandbox/worker/messages.ts";

const USED: Required<InvocationUsed> = {
  wallMs: 1.5,
  cpuMs: 1,
  memoryBytes: 2,
  outputBytes: 3,
  logBytes: 4,
  operations: 5,
  fuel: 6,
  argumentBytes: 7,
  operationBytes: 8,
  pendingOperations: 9,
  timers: 10,
  jsonDepth: 11,
  stackBytes: 12,
};
const DONE = { type: "done", number: 1, output: '{"o":1}', used: USED, lines: [["info", "text"]] };
const ALWAYS = ["wallMs", "cpuMs", "memoryBytes", "outputBytes", "logBytes", "operations", "fuel"];

describe("attack: a worker that lost control of itself answers in another shape", () => {
  it("is heard as long as all of it is as agreed [B5.message]", () => {
    expect(isWorkerMessage(DONE)).toBe(true);
    expect(isWorkerMessage({ ...DONE, used: Object.fromEntries(ALWAYS.map((name) => [name, 0])), lines: [] })).toBe(true);
  });

  it.each(Object.keys(USED))("is not heard if %s is no count [B5.message]", (name) => {
    for (const wrong of [-1, NaN, Infinity, "1", null, {}])
      expect(isWorkerMessage({ ...DONE, used: { ...USED, [name]: wrong } })).toBe(false);
    const { [name]: _left, ...rest } = { ...USED } as Record<string, number>;
    expect(isWorkerMessage({ ...DONE, used: rest })).toBe(!ALWAYS.includes(name));
  });

  it.each([
    ["number", "1"],
    ["output", { o: 1 }],
    ["output", undefined],
    ["used", null],
    ["lines", undefined],
    ["lines", [["fatal", "text"]]],
    ["lines", [["info", 1]]],
    ["state", {}],
    ["tape", 7],
  ])("is not heard if its %s is %j [B5.message]", (name, wrong) => {
    expect(isWorkerMessage({ ...DONE, [name]: wrong })).toBe(false);
  });
});
