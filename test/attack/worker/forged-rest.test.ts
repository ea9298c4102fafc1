import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { isWorkerMessage } from "../../../sandbox/wire/messages.ts";
import { claim, CURRENT, END_BY, ENTERED_AT } from "../../../sandbox/wire/protocol.ts";
import { hostileWorkers, turn } from "../../support/hostile-worker.ts";
import type { ScriptedWorker } from "../../support/scripted-worker.ts";

const PAGE_BYTES = 264;

/** A resting call of one page, after a number of answers. The worker never claims it. */
function rests(number: number, answers: number, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const memory = new SharedArrayBuffer(8 + PAGE_BYTES);
  const claim = new Int32Array(memory, 0, 1);
  claim[0] = 7;
  const guest = {
    runs: Uint32Array.of(0, 1),
    contents: new Uint8Array(memory, 8),
    memoryBytes: 65_536,
    usedBytes: 1,
    usedStackBytes: 1,
    fuelSpent: 0,
    registers: { stackPointer: 8, fuel: { before: 0, left: 1 }, memoryExhausted: false },
  };
  const state = {
    clock: { startedAt: 0, wallEnd: 1e9, cpuMs: 0, questions: 0, leftMs: 0, askedAt: 0, stoodMs: 0, heldUpMs: 0, givenBackMs: 0 },
    log: { bytes: 0, lines: 0, dropped: 0 },
    operations: { count: 1, atHost: [1], atPerson: [] },
    use: { operationBytes: 0, pendingOperations: 1, timers: 0, jsonDepth: 0 },
    timerAt: undefined,
    answers,
  };
  return { type: "rests", number, call: { guest, state, claim, ticket: 7, ...changes } };
}

function operation(number: number): Record<string, unknown> {
  return { type: "operation", number, operation: 1, name: "fs.writeFile", text: "{}" };
}

/** Marks the worker's thread as held by a guest of another call. */
function hold({ control }: ScriptedWorker, number: number): void {
  control.words[CURRENT] = number;
  control.times[ENTERED_AT] = 0;
  control.times[END_BY] = 1e9;
}

/** Waits for another worker, and returns the calls and messages that it received. */
async function told(workers: readonly ScriptedWorker[], first: ScriptedWorker, advance: (ms: number) => void): Promise<unknown[]> {
  const news = (): unknown[] =>
    workers.filter((worker) => worker !== first).flatMap(({ requests }) => requests.filter(({ type }) => /call|answer|abort/.test(type)));
  await expect.poll(() => (advance(50), news().length > 0), { interval: 1, timeout: 15_000 }).toBe(true);
  await turn();
  return news();
}

describe("attack: a worker lies about a resting call", () => {
  it("and acts for it after the host gave it to another worker, or again where it started [B10.moves] [B5.worker]", async () => {
    const { begin, load, workers, advance } = await hostileWorkers();
    await load("q");
    let acts = 0;
    const answers: ((answer: HostAnswer) => void)[] = [];
    const hostCall = (): Promise<HostAnswer> => (acts++, new Promise((resolve) => answers.push(resolve)));
    const { outcome, worker, number, done } = begin({ hostCall });
    const other = begin({ digest: "q" });
    expect(other.worker).toBe(worker);
    worker.say(operation(number));
    worker.say(rests(number, 0));
    hold(worker, other.number);
    answers[0]?.({ ok: true, value: "first" });
    const news = await told(workers, worker, advance);
    expect(news).toMatchObject([
      { type: "call", number, from: { ticket: 7, state: { answers: 0 } } },
      { type: "answer", number, operation: 1, answer: 'v"first"' },
    ]);
    expect(worker.requests.at(-1)).toEqual({ type: "end", number });
    worker.say(operation(number));
    worker.say({ ...done, output: '{"o":"forged"}' });
    expect(acts).toBe(1);
    workers.find((one) => one !== worker && one.requests.some(({ type }) => type === "call"))?.say(done);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
    void other.outcome;
  });

  it("and resumes it although it reported it as resting: the call is not moved [B10.moves]", async () => {
    const { begin, pass } = await hostileWorkers();
    let acts = 0;
    const { outcome, worker, number } = begin({ hostCall: async () => ({ ok: true, value: ++acts }) });
    worker.say(operation(number));
    await turn();
    worker.say(rests(number, 1));
    worker.say(operation(number));
    await pass(1);
    worker.exit("it crashed");
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
    expect(acts).toBe(2);
  });

  it("and lays it out although an answer is in flight, which another worker would miss [B10.moves]", async () => {
    const { begin, pass } = await hostileWorkers();
    const { outcome, worker, number } = begin({ hostCall: async () => ({ ok: true, value: 1 }) });
    worker.say(operation(number));
    await turn();
    worker.say(rests(number, 0));
    await pass(1);
    worker.exit("it crashed");
    expect(await outcome).toMatchObject({ ok: false, fault: { kind: "lost" } });
  });

  it("and does not escape a cancellation, which is sent to the call's new worker again [T3.parked]", async () => {
    const { begin, load, workers, advance } = await hostileWorkers();
    await load("q");
    const abort = new AbortController();
    const { outcome, worker, number, done } = begin({ signal: abort.signal });
    const other = begin({ digest: "q" });
    expect(other.worker).toBe(worker);
    worker.say(operation(number));
    await turn();
    worker.say(rests(number, 1));
    hold(worker, other.number);
    abort.abort();
    expect(await told(workers, worker, advance)).toMatchObject([
      { type: "call", number },
      { type: "abort", number },
    ]);
    workers.find((one) => one !== worker && one.requests.some(({ type }) => type === "call"))?.say(done);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
    void other.outcome;
  });

  it("and repeats it endlessly: the worker is ended [LV1.messages]", async () => {
    const { begin, defects } = await hostileWorkers();
    const { outcome, worker, number } = begin();
    for (let time = 0; time < 6_000 && !worker.ended; time++) worker.say(rests(number, 0));
    expect(worker.ended).toBe(true);
    expect(defects).toEqual(["The worker sent too many unexpected messages"]);
    void outcome;
  });

  it("and another worker resumes a call that rested often, and may lay it out again [LV4.moves]", async () => {
    const { begin, load, workers, advance } = await hostileWorkers();
    await load("q");
    const answers: ((answer: HostAnswer) => void)[] = [];
    const hostCall = (): Promise<HostAnswer> => new Promise((resolve) => answers.push(resolve));
    const { outcome, worker, number, done } = begin({ hostCall, limits: { ...DEFAULT_LIMITS, wallMs: 600_000 } });
    const other = begin({ digest: "q" });
    worker.say(operation(number));
    advance(20_000);
    for (let time = 0; time < 4_000; time++) worker.say(rests(number, 0));
    hold(worker, other.number);
    answers[0]?.({ ok: true, value: "first" });
    await told(workers, worker, advance);
    const givenTo = (one: ScriptedWorker) => one.requests.find((request) => request.type === "call" && request.number === number);
    const next = workers.find((one) => one !== worker && givenTo(one) !== undefined);
    const request = next && givenTo(next);
    if (next !== undefined && request?.type === "call") claim(next.control, request.ticket);
    next?.say(rests(number, 1));
    next?.exit("it crashed");
    const third = (): ScriptedWorker | undefined => workers.find((one) => one !== worker && one !== next && givenTo(one) !== undefined);
    await expect.poll(() => (advance(5), third() !== undefined), { interval: 1, timeout: 15_000 }).toBe(true);
    third()?.say(done);
    expect(await outcome).toMatchObject({ ok: true, output: { o: 1 } });
    void other.outcome;
  });

  it("and sends a malformed message, which is ignored [B5.message]", () => {
    expect(isWorkerMessage(rests(1, 0))).toBe(true);
    const { call } = rests(1, 0) as { call: { guest: Record<string, unknown>; state: Record<string, unknown> } };
    const guests = [
      { runs: Uint32Array.of(0, 2) },
      { runs: Uint32Array.of(1, 0) },
      { runs: Uint32Array.of(0, 1, 0, 1) },
      { runs: Uint32Array.of(0) },
      { runs: Uint32Array.of(256, 257) },
      { runs: new Uint32Array(new SharedArrayBuffer(8)) },
      { contents: new Uint8Array(1) },
      { memoryBytes: 2 ** 40 },
      { memoryBytes: 1.5 },
      { fuelSpent: -1 },
      { registers: {} },
    ];
    for (const wrong of guests)
      expect(isWorkerMessage(rests(1, 0, { guest: { ...call.guest, ...wrong } })), JSON.stringify(wrong)).toBe(false);
    // More than the 4 MiB that an honest worker lays out: the host would check all these runs on its own thread.
    const pages = 20_000;
    const large = {
      runs: Uint32Array.of(0, pages),
      contents: new Uint8Array(pages * 256 + 8),
      memoryBytes: 2 ** 24,
    };
    expect(isWorkerMessage(rests(1, 0, { guest: { ...call.guest, ...large } }))).toBe(false);
    for (const wrong of [{ clock: {} }, { answers: -1 }, { operations: { count: 1, atHost: Array(2_000).fill(1), atPerson: [] } }])
      expect(isWorkerMessage(rests(1, 0, { state: { ...call.state, ...wrong } })), JSON.stringify(wrong)).toBe(false);
    for (const wrong of [{ ticket: 0 }, { claim: new Int32Array(1) }, { claim: new Int32Array(new SharedArrayBuffer(8)) }])
      expect(isWorkerMessage(rests(1, 0, wrong))).toBe(false);
  });
});
