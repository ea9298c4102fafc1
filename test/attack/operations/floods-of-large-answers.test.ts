/** Plugins request dozens of large answers and take none: the host holds no more than documented, and others get theirs. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import {
  type Answering,
  ANSWERS_IN_FLIGHT,
  answerOperation,
  type AskingCall,
  createOperationRoom,
  type OperationRoom,
} from "../../../sandbox/pool/answer-operation.ts";
import type { GiveBack } from "../../../sandbox/pool/shares.ts";
import type { Brought } from "../../../sandbox/wire/untaken.ts";
import type { HostCallHandler } from "../../../sandbox/mod.ts";
import { INVOCATION } from "../../support/scripted-worker.ts";
import { outputOf, SANDBOXES, startSandbox } from "../../support/sandbox.ts";

const ANSWER_BYTES = 4 * 1024 * 1024;
const MAIN = `
export const hoards = () => { for (let read = 0; read < 60; read++) Deno.readFile("large").catch(() => {}); for (;;); };
export const reads = async () => (await Deno.readFile("large")).length;
export const blocks = () => Deno.readFileSync("large").length;
export const leaves = () => { for (let read = 0; read < 60; read++) void Deno.readFile("large"); return "left" };
`;
const CLOCK = { after: (delayMs: number, task: () => void) => setTimeout(task, delayMs) };
const NEVER = new AbortController().signal;

/** A host handler with large answers; counts the bytes that it read and that were not taken yet. */
function largeAnswers(): { readonly handler: HostCallHandler; readonly inFlight: () => number; readonly most: () => number } {
  let inFlight = 0;
  let most = 0;
  return {
    inFlight: () => inFlight,
    most: () => most,
    async handler({ room }) {
      if ((await room?.(ANSWER_BYTES, NEVER)) !== true) throw new Error("No room was made");
      inFlight += ANSWER_BYTES;
      most = Math.max(most, inFlight);
      return { ok: true, value: null, bytes: new Uint8Array(ANSWER_BYTES), moves: true, taken: () => void (inFlight -= ANSWER_BYTES) };
    },
  };
}

/** A worker that takes nothing, with a plugin's call that reads until it gets no more answers. */
async function reading(
  thread: FakeThread,
  {
    plugin,
    caller,
    room,
    reads,
  }: { readonly plugin: string; readonly caller?: string; readonly room: OperationRoom; readonly reads: number },
): Promise<AskingCall> {
  const job: AskingCall = {
    ...{ number: 1, thread, effects: 0, operations: 0, pendingOperations: 0, asking: 0 },
    invocation: { ...INVOCATION, ...(caller !== undefined && { caller }), limits: DEFAULT_LIMITS, hostCall: largeAnswers().handler },
  };
  for (let operation = 1; operation <= reads; operation++)
    answerOperation(thread, job, { type: "operation", number: 1, operation, name: "fs.readFile", text: "{}" }, { plugin, room });
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  return job;
}

interface FakeThread extends Answering {
  readonly brought: Brought[];
}

function fakeThread(): FakeThread {
  const brought: Brought[] = [];
  const bring = (more: Brought | undefined): void => void (more && brought.push(more));
  return {
    brought,
    answer: (_number, _operation, _text, more) => bring(more),
    answerSync: (_number, _text, more) => bring(more),
    unheard() {},
  };
}

describe("attack: answers that are not taken", () => {
  it("are bounded for a call, a plugin, a worker and in total, and a plugin's first gets through [LV1.answers, LV3.answers]", async () => {
    const room = createOperationRoom(CLOCK);
    const [a, b, c] = [fakeThread(), fakeThread(), fakeThread()];
    const counts: number[] = [];
    const flood = async (thread: FakeThread, plugin: string): Promise<void> => {
      const before = thread.brought.length;
      await reading(thread, { plugin, room, reads: 20 });
      counts.push(thread.brought.length - before);
    };
    // In units of 4 MiB: 16 for a call, 32 for a plugin, 64 for a worker, 128 in total.
    for (const plugin of ["p1", "p1", "p1", "p2", "p2", "p3"]) await flood(a, plugin);
    expect(counts).toEqual([4, 4, 0, 4, 4, 0]);
    for (const plugin of ["p3", "p3", "p4", "p4"]) await flood(b, plugin);
    await flood(c, "p5");
    expect(counts.slice(6)).toEqual([4, 4, 4, 4, 0]);
    const small: GiveBack[] = [];
    for (const plugin of ["p5", "p6"]) {
      const taken = room.inFlight.takeNow({ size: 1024 * 1024, party: plugin, line: 1, within: [] });
      if (taken !== undefined) small.push(taken);
    }
    expect(small).toHaveLength(2);
    for (const giveBack of small) giveBack();
    a.brought[0]?.taken();
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(a.brought.length + b.brought.length + c.brought.length).toBe(33);
  });

  it("are at most half of the total for one caller, whatever plugins it calls, and less than a plugin's share [LV1.answers, LV3.answers]", async () => {
    const room = createOperationRoom(CLOCK);
    const counts: number[] = [];
    const flood = async (plugin: string, caller: string): Promise<void> => {
      // Each on its own worker, so that the worker's bound is not reached.
      const thread = fakeThread();
      await reading(thread, { plugin, caller, room, reads: 20 });
      counts.push(thread.brought.length);
    };
    // In units of 4 MiB: 16 for a call, 24 for a caller of a plugin's 32, 64 for a caller.
    for (const plugin of ["p1", "p1", "p1", "p2", "p2", "p3"]) await flood(plugin, "greedy");
    expect(counts).toEqual([4, 2, 0, 4, 2, 4]);
    await flood("p4", "greedy");
    for (const plugin of ["p1", "p4"]) await flood(plugin, "modest");
    expect(counts.slice(6)).toEqual([0, 2, 4]);
  });
});

describe.each(SANDBOXES)("attack: floods of large answers (%s)", (_, options) => {
  it("hold a call's and a plugin's share, and none of others [LV1.answers, LV3.answers]", async () => {
    await using box = startSandbox({ ...options, maximumWorkers: 3 });
    await box.load("evil", MAIN);
    await box.load("other", MAIN);
    const large = largeAnswers();
    const hostCall = large.handler;
    const hoards = [1, 2].map(() => box.call("evil", "hoards", { hostCall, limits: { cpuMs: 300 } }));
    for (const name of ["reads", "blocks"]) expect(outputOf(await box.call("other", name, { hostCall }))).toBe(ANSWER_BYTES);
    for (const outcome of await Promise.all(hoards)) expect(outcome).toMatchObject({ ok: false, fault: { kind: "timeout", limit: "cpu" } });
    expect(large.most()).toBeLessThanOrEqual(ANSWERS_IN_FLIGHT.plugin + 2 * ANSWER_BYTES);
    // A terminated call releases everything, including answers that were read for it afterwards.
    await expect.poll(large.inFlight, { timeout: 30_000 }).toBe(0);
    expect(outputOf(await box.call("evil", "reads", { hostCall }))).toBe(ANSWER_BYTES);
    await expect.poll(large.inFlight, { timeout: 30_000 }).toBe(0);
  });

  it("are released by calls that end without them [LV5.answers]", async () => {
    await using box = startSandbox({ ...options, maximumWorkers: 1 });
    await box.load("evil", MAIN);
    const large = largeAnswers();
    for (let round = 0; round < 5; round++) {
      expect(outputOf(await box.call("evil", "leaves", { hostCall: large.handler }))).toBe("left");
      await expect.poll(large.inFlight, { timeout: 30_000 }).toBe(0);
    }
    expect(large.most()).toBeLessThanOrEqual(ANSWERS_IN_FLIGHT.call);
  });
});
