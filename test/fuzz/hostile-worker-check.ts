/**
 * Tests a sandbox against one hostile worker, which sends random valid, forged or broken messages and writes random words to the memory
 * that it shares with the host. Calls of two plugins run on it, and a third plugin has an honest worker.
 */

import { LAST_LINE_BYTES, LOG_LINE_BYTES } from "../../sandbox/wire/log-lines.ts";
import { DEFAULT_LIMITS, type Limits } from "../../manifests/mod.ts";
import { createSandbox, type Sandbox } from "../../sandbox/mod.ts";
import { claim, CONTROL_BYTES, SAID, type WorkerRequest } from "../../sandbox/wire/protocol.ts";
import {
  EMPTY_BASE,
  EMPTY_IMAGE,
  INVOCATION,
  NOTHING_USED,
  PLUGIN,
  type ScriptedWorker,
  type ScriptedWorkers,
  scriptedWorkers,
} from "../support/scripted-worker.ts";
import { holes } from "../support/holes.ts";
import { createRandom, type Random } from "./random.ts";

const LIMITS: Limits = { ...DEFAULT_LIMITS, operations: 20, pendingOperations: 4, logBytes: 2_000, outputBytes: 100, wallMs: 1_000 };
/** A call has three attempts, each on a worker that may stay idle for ten seconds. Calls of a session wait for each other. */
const CALL_MS = 40_000;
const STEP_MS = 500;

/** @returns the problems found; empty if there are none */
export async function checkHostileWorker(seed: number, messages = 500): Promise<readonly string[]> {
  const check = new Check(seed);
  const onRejection = (error: unknown): void => check.note(`an unhandled rejection: ${String(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    await check.run(messages);
  } catch (error) {
    check.note(`the host threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return check.problems;
}

interface Call {
  readonly plugin: string;
  operations: number;
  logBytes: number;
  outcomes: number;
}

class Check {
  readonly problems: string[] = [];
  readonly #random: Random;
  readonly #host: ScriptedWorkers = scriptedWorkers();
  readonly #sandbox: Sandbox;
  readonly #calls: Call[] = [];
  /** The worker that is sending a message; undefined if the host acts by itself. */
  #speaking: ScriptedWorker | undefined;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#sandbox = createSandbox(this.#host.launcher, { maximumWorkers: 2, engine: "plain", isIsolated: (name) => name === "honest" });
  }

  note(problem: string): void {
    if (this.problems.length < 10) this.problems.push(problem);
  }

  async run(messages: number): Promise<void> {
    for (const name of ["honest", "p", "q"]) {
      const loading = this.#sandbox.load({ ...PLUGIN, name, digest: name });
      await this.#until(() => this.#serveHonestly(() => true), loading);
    }
    for (let count = 0; count < messages; count++) {
      if (this.#random.oneIn(20)) this.#begin(this.#random.pick(["p", "q", "honest"]));
      this.#misbehave();
      this.#serveHonestly(isHonest);
      if (this.#random.oneIn(25)) this.#host.advance(this.#random.pick([1, 5, 50, STEP_MS]));
      if (this.#random.oneIn(10)) await turn();
    }
    const canary = this.#begin("honest");
    const end = this.#calls.length * CALL_MS;
    for (let passed = 0; passed < end && this.#calls.some(({ outcomes }) => outcomes === 0); passed += STEP_MS) {
      this.#serveHonestly(isHonest);
      this.#host.advance(STEP_MS);
      await turn();
    }
    if (canary.outcomes !== 1) this.note("the honest plugin's call has no answer");
    for (const [index, call] of this.#calls.entries())
      if (call.outcomes !== 1) this.note(`call ${index} of ${call.plugin} has ${call.outcomes} answers`);
    const queued = Math.max(...this.#host.workers.map(({ requests }) => requests.length));
    if (queued > 200 * this.#calls.length + 1_000) this.note(`${queued} requests wait for a worker that does not read`);
    await this.#sandbox.close();
  }

  #begin(plugin: string): Call {
    const call: Call = { plugin, operations: 0, logBytes: 0, outcomes: 0 };
    this.#calls.push(call);
    // Identifies the call by its arguments alone.
    const args = { call: this.#calls.length - 1 };
    const outcome = this.#sandbox.invoke({
      ...INVOCATION,
      digest: plugin,
      args,
      limits: LIMITS,
      ...(this.#random.oneIn(8) ? { session: "s" } : {}),
      hostCall: async () => {
        if (++call.operations > LIMITS.operations) this.note(`call ${args.call} did ${call.operations} operations`);
        this.#requireOwn(args.call);
        if (this.#random.oneIn(3)) await turn();
        return { ok: true, value: null };
      },
      onLogs: (lines) => {
        for (const [, text] of lines) call.logBytes += text.length + LOG_LINE_BYTES;
        if (call.logBytes > LIMITS.logBytes + LAST_LINE_BYTES) this.note(`call ${args.call} logged ${call.logBytes} bytes`);
        this.#requireOwn(args.call);
      },
    });
    outcome.then(
      (answer) => {
        call.outcomes++;
        if (plugin === "honest" && !(answer.ok && JSON.stringify(answer.output) === '{"o":"honest"}'))
          this.note(`the honest plugin's call ended with ${JSON.stringify(answer)}`);
        if (answer.ok && JSON.stringify(answer.output).length > LIMITS.outputBytes) this.note("an output is longer than it may be");
      },
      (error: unknown) => this.note(`invoke() rejected: ${String(error)}`),
    );
    return call;
  }

  /** Checks that the call of an act was assigned to the worker that is sending. */
  #requireOwn(index: number): void {
    if (this.#speaking === undefined || !this.#speaking.requests.some((request) => callOf(request) === index))
      this.note(`a worker that does not have call ${index} acted for it`);
  }

  #say(worker: ScriptedWorker, message: unknown): void {
    let cloned: unknown;
    try {
      cloned = structuredClone(message);
    } catch (error) {
      // A port could not carry this value either.
      if (error instanceof Error && error.name === "DataCloneError") return;
      throw error;
    }
    this.#speaking = worker;
    worker.say(cloned);
    this.#speaking = undefined;
  }

  /** Answers requests as an honest worker, for all workers or only the honest plugin's. */
  #serveHonestly(isServed: (request: WorkerRequest) => boolean): boolean {
    let served = false;
    for (const worker of this.#host.workers.filter(({ ended }) => !ended)) {
      for (const request of worker.requests) {
        if ((request.type !== "call" && request.type !== "load") || !isServed(request) || !claim(worker.control, request.ticket)) continue;
        served = true;
        const { number } = request;
        if (request.type === "load") worker.say({ type: "loaded", number, image: EMPTY_IMAGE });
        else worker.say({ type: "done", number, output: '{"o":"honest"}', used: NOTHING_USED, lines: [] });
      }
    }
    return served;
  }

  async #until(act: () => boolean, done: Promise<unknown>): Promise<void> {
    let isDone = false;
    void done.then(() => (isDone = true));
    while (!isDone) {
      act();
      this.#host.advance(50);
      await turn();
    }
  }

  /** Performs one hostile act of a worker without the honest plugin. */
  #misbehave(): void {
    const hostile = this.#host.workers.filter(({ ended, requests }) => !ended && !requests.some(isHonest));
    const [first] = hostile;
    if (first === undefined) return;
    const worker = this.#random.pick([first, ...hostile]);
    const numbers = worker.requests.flatMap((request) => ("number" in request ? [request.number] : []));
    switch (this.#random.below(12)) {
      case 0:
        return this.#scribble(worker, numbers);
      case 1:
        if (this.#random.oneIn(30)) worker.exit("it crashed");
        return;
      case 2:
        for (const request of worker.requests) if (request.type === "call" && this.#random.oneIn(2)) claim(worker.control, request.ticket);
        return;
      case 3:
        return this.#say(worker, this.#packed(numbers));
      default:
        return this.#say(worker, this.#message(numbers));
    }
  }

  /** Writes to the shared memory, with plausible or random values. */
  #scribble({ control: { words, times, slot } }: ScriptedWorker, numbers: readonly number[]): void {
    if (this.#random.oneIn(4)) return this.#leave(words, slot, numbers);
    if (this.#random.oneIn(3))
      times[this.#random.below(times.length)] = this.#random.pick([0, 1e300, -1, Number.NaN, Infinity, 1_000, 2_000]);
    else if (this.#random.oneIn(2)) words[this.#random.below(12)] = this.#number(numbers);
    else words[this.#random.below(CONTROL_BYTES / 4 - 8)] = this.#random.bits();
  }

  /** Puts an envelope, half of one, or random data into the slot. */
  #leave(words: Int32Array, slot: Uint8Array, numbers: readonly number[]): void {
    const number = this.#number(numbers);
    const text = this.#random.pick([
      JSON.stringify([[3, number, this.#text(), ...Array.from({ length: 13 }, () => this.#random.below(9))]]),
      JSON.stringify([[4, number, this.#random.below(5), "fs.readFile", this.#text()]]),
      JSON.stringify([{ type: "failed", number, fault: { kind: "cancelled" }, used: NOTHING_USED, lines: [] }]),
      JSON.stringify([[this.#random.bits()], { __proto__: { type: "ready" } }, null, number]),
      this.#text(),
    ]);
    const { written } = new TextEncoder().encodeInto(text, slot);
    words[SAID] = this.#random.pick([written, written, this.#random.below(written + 1), this.#random.bits()]);
  }

  #number(numbers: readonly number[]): number {
    const forged = [0, 1, -1, 2, 3, this.#random.below(50), this.#random.bits()] as const;
    return this.#random.oneIn(4) ? this.#random.pick(forged) : (numbers.at(-1 - this.#random.below(3)) ?? 1);
  }

  #message(numbers: readonly number[]): unknown {
    const random = this.#random;
    const number = this.#number(numbers);
    const lines = [[random.pick(["info", "error", "fatal"]), "x".repeat(random.below(30))]];
    const message = random.pick<Record<string, unknown>>([
      {
        type: "operation",
        number,
        operation: random.below(5),
        name: random.pick(["fs.readFile", "__proto__", "x".repeat(70)]),
        text: this.#text(),
      },
      {
        type: "operation",
        number,
        operation: random.bits(),
        name: "net.fetch",
        text: this.#text(),
        bytes: new Uint8Array(random.below(64)),
      },
      { type: "logs", number, lines },
      { type: "done", number, output: this.#text(), used: NOTHING_USED, lines },
      {
        type: "done",
        number,
        output: '{"o":1}',
        used: NOTHING_USED,
        lines: [],
        state: { pages: new SharedArrayBuffer(260), heapEnd: random.bits() },
      },
      {
        type: "failed",
        number,
        fault: { kind: random.pick(["trap", "lost", "cancelled", "timeout"]), message: "m" },
        used: NOTHING_USED,
        lines,
      },
      { type: "loaded", number, image: EMPTY_IMAGE },
      { type: "refused", number, fault: { kind: "syntax", message: "m" } },
      { type: "ready", base: EMPTY_BASE },
      { type: random.oneIn(20) ? "broken" : "logs", message: "it broke" },
    ]);
    for (let left = random.below(3); left > 0; left--) {
      const keys = Object.keys(message);
      message[random.pick(["type", ...keys])] = this.#junk(0);
    }
    return random.oneIn(15) ? this.#junk(0) : message;
  }

  /** Returns messages as flat lists, some of them with a wrong item. */
  #packed(numbers: readonly number[]): unknown {
    const random = this.#random;
    const number = this.#number(numbers);
    const packed = random.pick<unknown[]>([
      [3, number, this.#text(), ...Array.from({ length: 13 }, () => random.below(9))],
      [4, number, random.below(5), random.pick(["fs.readFile", "__proto__"]), this.#text()],
    ]);
    if (random.oneIn(2)) packed[random.below(packed.length + 1)] = this.#junk(0);
    return packed;
  }

  #text(): string {
    return this.#random.pick(['{"o":1}', "{", "null", "[".repeat(500), `"${"y".repeat(200)}"`, '{"__proto__":{"a":1}}', "1e999", ""]);
  }

  #junk(depth: number): unknown {
    const random = this.#random;
    if (depth < 3 && random.oneIn(3))
      return random.oneIn(2) ? [this.#junk(depth + 1)] : { [random.pick(["type", "kind", "length", "a"])]: this.#junk(depth + 1) };
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    return random.pick([
      undefined,
      null,
      Number.NaN,
      -1,
      2 ** 53,
      10n,
      "",
      "ready",
      "x".repeat(10_000),
      true,
      cyclic,
      holes(2 ** 32 - 1),
      new Map([[1, 2]]),
      new Date(Number.NaN),
      new Error("e"),
      new Uint8Array(new SharedArrayBuffer(8)),
      new SharedArrayBuffer(0),
      new ArrayBuffer(8),
      /x/,
    ]);
  }
}

function isHonest(request: WorkerRequest): boolean {
  return (request.type === "call" || request.type === "load" || request.type === "image") && request.digest === "honest";
}

/** Returns the index of a request's call among the case's calls. */
function callOf(request: WorkerRequest): number | undefined {
  if (request.type !== "call") return undefined;
  const args: unknown = JSON.parse(request.words[2]);
  return typeof args === "object" && args !== null && "call" in args && typeof args.call === "number" ? args.call : undefined;
}

/** Lets promises and queued tasks run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
