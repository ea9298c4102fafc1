import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import type { RestingCall } from "../../../sandbox/wire/resting-call.ts";
import type { ModuleTable } from "../../../sandbox/loading/modules.ts";
import { Calls, type CallsEnvironment, type Plugin } from "../../../sandbox/worker/calls.ts";
import { CONTROL_BYTES, offer, openControl } from "../../../sandbox/wire/protocol.ts";
import { Scheduler } from "../../../sandbox/worker/scheduler.ts";

const FROM = {
  guest: { memoryBytes: 0, runs: new Uint32Array(), contents: new Uint8Array() },
  state: { clock: { wallEnd: Infinity }, operations: { count: 1, atHost: [1], atPerson: [] }, answers: 0 },
} as unknown as RestingCall;

/** The parts of a worker that waiting calls need. */
function worker() {
  const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
  const scheduler = new Scheduler(() => 0);
  const occupied: unknown[] = [];
  const instances = { adopt() {}, heldBytes: 0 };
  const env = {
    ...{ control, scheduler, now: () => 0, after: () => () => {}, tellWaiting() {}, tellTaken() {}, afterBoot: () => ({ instances }) },
    resting: { rests() {}, takeUp: () => true },
    instances: { occupy: (lease: unknown) => (occupied.push(lease), false), bringBack: () => new Promise(() => {}) },
    background() {},
  } as unknown as CallsEnvironment;
  const plugin = { image: { heapEnd: 0 }, modules: {} as ModuleTable, outputSchemas: new Map() } as unknown as Plugin;
  const calls = new Calls(env, new Map([["p", plugin]]));
  return {
    ...{ calls, control, scheduler, occupied },
    give: (ticket: number) =>
      calls.queue({
        ...{ type: "call", number: 1, ticket, digest: "p", words: ["", "", ""], limits: DEFAULT_LIMITS, from: FROM },
      } as unknown as Parameters<Calls["queue"]>[0]),
  };
}

it("delivers the latest answers to a call that was taken back and assigned again before its first slice [LV4.moves] [B10.moves]", () => {
  const { calls, control, scheduler, occupied, give } = worker();
  give(1);
  give(2);
  offer(control, 2);
  calls.hear({ type: "answer", number: 1, operation: 1, answer: "vnull" });
  // The first assignment finds nothing to do, the second takes the call, and the third slice delivers its answer.
  expect([scheduler.next(), scheduler.next()]).toEqual([true, true]);
  expect(occupied).toEqual([]);
  expect(scheduler.next()).toBe(true);
  expect(occupied).toHaveLength(1);
  expect(scheduler.next()).toBe(undefined);
});
