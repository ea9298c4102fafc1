import { describe, expect, it } from "vitest";
import type { InvocationUsed } from "../../../sandbox/mod.ts";
import { isWorkerMessage } from "../../../sandbox/wire/messages.ts";
import { packMessage, unpackMessage } from "../../../sandbox/wire/wire.ts";
import { hostileWorkers } from "../../support/hostile-worker.ts";

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

describe("attack: a compromised worker sends a malformed result", () => {
  it("is accepted if it is well-formed [B5.message]", () => {
    expect(isWorkerMessage(DONE)).toBe(true);
    expect(isWorkerMessage({ ...DONE, used: Object.fromEntries(ALWAYS.map((name) => [name, 0])), lines: [] })).toBe(true);
  });

  it.each(Object.keys(USED))("is rejected if %s is not a count [B5.message]", (name) => {
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
  ])("is rejected if its %s is %j [B5.message]", (name, wrong) => {
    expect(isWorkerMessage({ ...DONE, [name]: wrong })).toBe(false);
  });
});

it("attack: a worker adds unknown members to a call's usage: they are dropped [B5.message]", () => {
  const said = { ...USED, note: "\u001b[2J", wallMs: 3 };
  for (const message of [
    { ...DONE, used: said },
    { type: "failed", number: 1, fault: { kind: "cancelled" }, used: said, lines: [] },
  ])
    expect(unpackMessage(message)).toEqual({ ...message, used: { ...USED, wallMs: 3 } });
});

describe("attack: a malformed result, packed as a list", () => {
  const PACKED = packMessage({ type: "done", number: 1, output: '{"o":1}', used: USED, lines: [] }) as readonly unknown[];

  it("is accepted if it is well-formed [B5.message]", () => {
    expect(unpackMessage(PACKED)).toMatchObject({ type: "done", used: USED });
  });

  it.each(PACKED.map((_item, index) => index))("is rejected if item %i is wrong, missing or duplicated [B5.message]", (index) => {
    for (const wrong of [{}, null, "1", [1], undefined])
      if (typeof wrong !== typeof PACKED[index]) expect(unpackMessage(PACKED.with(index, wrong))).toBeUndefined();
    if (index > 2) for (const wrong of [-1, NaN, Infinity]) expect(unpackMessage(PACKED.with(index, wrong))).toBeUndefined();
    expect(unpackMessage(PACKED.slice(0, index))).toBeUndefined();
    expect(unpackMessage([...PACKED, 1])).toBeUndefined();
  });

  it.each([[[]], [[4, 1]], [[4, 1, "2", "name", "{}"]], [[4, 1, 2, 3, "{}"]], [[4, 1, 2, "name", {}]], [[9, 1, 2, "name", "{}"]]])(
    "is rejected if it is %j [B5.message]",
    (packed) => {
      expect(unpackMessage(packed)).toBeUndefined();
    },
  );
});

it.each([
  ["nothing", undefined],
  ["a message without an envelope", DONE],
  ["an empty envelope", []],
  ["an oversized envelope", Array.from({ length: 65 }, () => DONE)],
])("attack: a worker keeps the host busy with %s [B1.flood] [B5.worker]", async (_what, envelope) => {
  const { begin, finish, defects } = await hostileWorkers();
  const { outcome, worker } = begin();
  for (let count = 0; count < 20_000 && !worker.ended; count++) worker.send(envelope);
  expect(defects).toEqual(["The worker sent too many unexpected messages"]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(worker.ended).toBe(true);
  finish('{"o":"elsewhere"}');
  expect(await outcome).toMatchObject({ ok: true, output: { o: "elsewhere" } });
});
