import { describe, expect, it } from "vitest";
import { CONTROL_BYTES, openControl, POSTED, type WorkerMessage } from "../../../sandbox/wire/protocol.ts";
import { Inbox, Outbox } from "../../../sandbox/worker/mailboxes.ts";
import { SlotWriter } from "../../../sandbox/wire/slot.ts";
import { type Envelope, packMessage, packRequest, unpackMessage, unpackRequest } from "../../../sandbox/wire/wire.ts";
import { NOTHING_USED } from "../../support/scripted-worker.ts";
import { startSandbox } from "../../support/sandbox.ts";

const USED = { ...NOTHING_USED, argumentBytes: 1, operationBytes: 2, pendingOperations: 3, timers: 4, jsonDepth: 5, stackBytes: 6 };

function done(number: number, used: Partial<typeof USED> = {}): Extract<WorkerMessage, { type: "done" }> {
  return { type: "done", number, output: '{"o":1}', used: { ...USED, ...used }, lines: [] };
}

describe("messages in transit", () => {
  it.each([
    done(7, { wallMs: 1.25, cpuMs: 0.5, memoryBytes: 9, outputBytes: 10, logBytes: 11, operations: 12, fuel: 2 ** 40 }),
    { ...done(8), used: NOTHING_USED },
    { ...done(9), lines: [["info", "a line"]] },
    { ...done(10), tape: "too_long" },
    { type: "operation", number: 1, operation: 2, name: "fs.readFile", text: "{}" },
    { type: "operation", number: 1, operation: 0, name: "fs.writeFile", text: "{}", bytes: new Uint8Array([1, 2]) },
    { type: "full", number: 3 },
  ] as const satisfies readonly WorkerMessage[])("arrive unchanged: %j", (message) => {
    expect(unpackMessage(structuredClone(packMessage(message)))).toEqual(message);
  });

  it.each([
    { type: "call", number: 1, ticket: 2, digest: "d", words: ["main.js", "run", "{}", "{}"] },
    { type: "call", number: 1, ticket: 2, digest: "d", words: ["main.js", "run", "{}", "{}"], state: {} },
    { type: "call", number: 1, ticket: 2, digest: "d", words: ["main.js", "run", "{}", "{}"], conditions: { seed: "s" } },
    { type: "answer", number: 1, operation: 2, answer: "v1" },
    { type: "answer", number: 1, operation: 2, answer: "v1", bytes: new Uint8Array([1]) },
    { type: "end", number: 4 },
  ] as const)("arrive unchanged: %j", (request) => {
    expect(unpackRequest(structuredClone(packRequest(request)))).toEqual(request);
  });
});

describe("Inbox", () => {
  it("returns requests in order, and counts posted ones that have not arrived, also past 2³¹", () => {
    const { words } = openControl(new SharedArrayBuffer(CONTROL_BYTES));
    const inbox = new Inbox(words);
    const end = (number: number): unknown => packRequest({ type: "end", number });
    Atomics.store(words, POSTED, 4);
    inbox.add([end(1), end(2)]);
    expect([inbox.take(), inbox.waiting]).toEqual([{ type: "end", number: 1 }, 3]);
    inbox.add([end(3)]);
    expect([inbox.take(), inbox.take(), inbox.take(), inbox.waiting]).toEqual([
      { type: "end", number: 2 },
      { type: "end", number: 3 },
      undefined,
      1,
    ]);
    Atomics.store(words, POSTED, -(2 ** 31) + 2);
    expect(inbox.waiting).toBe(2 ** 31 - 1);
  });
});

describe("Outbox", () => {
  function start(waiting: number) {
    const state = { waiting, posted: [] as Envelope[] };
    const outbox = new Outbox(
      (envelope) => void state.posted.push(envelope),
      () => state.waiting,
      // The host does not poll this slot.
      new SlotWriter(openControl(new SharedArrayBuffer(CONTROL_BYTES))),
    );
    return { outbox, state };
  }

  it("sends a result at once if no request is pending", () => {
    const { outbox, state } = start(0);
    outbox.send(done(1));
    expect(state.posted).toEqual([[packMessage(done(1))]]);
  });

  it("delays results up to a quarter of the pending requests, and at most until it is flushed", () => {
    const { outbox, state } = start(12);
    for (let number = 1; number <= 4; number++) outbox.send(done(number));
    expect(state.posted.map(({ length }) => length)).toEqual([4]);
    outbox.send(done(5));
    outbox.flush();
    outbox.flush();
    expect(state.posted.map(({ length }) => length)).toEqual([4, 1]);
  });

  it("sends delayed results before an urgent message, in one envelope", () => {
    const { outbox, state } = start(100);
    outbox.send(done(1));
    outbox.send({ type: "logs", number: 2, lines: [["info", "x"]] });
    expect(state.posted.map((envelope) => envelope.map((packed) => unpackMessage(packed)?.type))).toEqual([["done", "logs"]]);
  });

  it("does not delay the result of a call with effects, which could not run again if the worker ended [B10.repeat]", () => {
    const { outbox, state } = start(100);
    outbox.send(done(1, { operations: 1 }));
    outbox.send(done(2, { logBytes: 1 }));
    outbox.send({ type: "failed", number: 3, fault: { kind: "cancelled" }, used: USED, lines: [] });
    expect(state.posted.map(({ length }) => length)).toEqual([1, 1, 1]);
  });
});

it("sends a delayed result without waiting for the next call to end [B10.answer]", async () => {
  await using box = startSandbox({ maximumWorkers: 1 });
  await box.load("p", 'export const quick = () => 1; export function slow() { for (let i = 0; i < 3e5; i++); Deno.statSync("x"); }', [
    "quick",
    "slow",
  ]);
  const answered: number[] = [];
  const quick = (number: number): Promise<unknown> => box.call("p", "quick").then(() => answered.push(number));
  await quick(0);
  let seen: readonly number[] = [];
  const hostCall = (): Promise<{ readonly ok: true; readonly value: null }> => {
    seen = [...answered];
    return Promise.resolve({ ok: true, value: null });
  };
  // One result waits while other calls are pending.
  const calls = [quick(1), box.call("p", "slow", { hostCall }), ...[2, 3, 4, 5, 6].map(quick)];
  await Promise.all(calls);
  // The slow call may have been suspended for later ones.
  expect(seen.slice(0, 2)).toEqual([0, 1]);
});
