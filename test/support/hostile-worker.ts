/** A sandbox with a loaded plugin whose workers send messages that the test defines. */

import { expect, onTestFinished } from "vitest";
import { createSandbox, type Invocation, type InvocationOutcome, type Sandbox, type SandboxOptions } from "../../sandbox/mod.ts";
import { claim, type WorkerRequest } from "../../sandbox/wire/protocol.ts";
import { EMPTY_IMAGE, INVOCATION, NOTHING_USED, PLUGIN, type ScriptedWorker, scriptedWorkers } from "./scripted-worker.ts";

export interface BegunCall {
  readonly outcome: Promise<InvocationOutcome>;
  /** The worker that has taken the call. */
  readonly worker: ScriptedWorker;
  readonly number: number;
  /** The message that completes the call with output 1. */
  readonly done: Readonly<Record<string, unknown>>;
}

export interface HostileWorkers {
  readonly sandbox: Sandbox;
  readonly workers: readonly ScriptedWorker[];
  /** Defects of workers that the sandbox reported, in order. */
  readonly defects: readonly string[];
  advance(milliseconds: number): void;
  /** Advances time while the host runs only `times` times, as on an overloaded machine. */
  starve(seconds: number, times: number): Promise<void>;
  /** Advances time second by second, and lets promises continue after each one. */
  pass(seconds: number): Promise<void>;
  /** Returns the newest worker that has received work. */
  current(): ScriptedWorker;
  load(name: string): Promise<void>;
  begin(fields?: Partial<Invocation>): BegunCall;
  /** Completes the waiting call, on whichever worker it is now. */
  finish(output: string): void;
}

/** Creates a sandbox with the plugin "p" and, by default, one worker at a time. */
export async function hostileWorkers(options: SandboxOptions = {}): Promise<HostileWorkers> {
  const { launcher, workers, advance, starve } = scriptedWorkers();
  const defects: string[] = [];
  const sandbox = createSandbox(launcher, {
    maximumWorkers: 1,
    engine: "plain",
    onDefect: (message) => void defects.push(message),
    ...options,
  });
  onTestFinished(() => sandbox.close());

  function current(): ScriptedWorker {
    // Skip the spare worker, which has no work yet.
    const worker = workers.findLast(({ ended, requests }) => !ended && requests.some(({ type }) => type === "load" || type === "call"));
    if (worker === undefined) throw new Error("No worker is running");
    return worker;
  }

  async function load(name: string): Promise<void> {
    const loading = sandbox.load({ ...PLUGIN, name, digest: name });
    await turn();
    const asked = (): { readonly worker: ScriptedWorker; readonly number: number } | undefined => {
      for (const worker of workers) {
        const request = worker.requests.at(-1);
        if (request?.type === "load" && request.digest === name) return { worker, number: request.number };
      }
      return undefined;
    };
    await expect.poll(() => (advance(50), asked()), { interval: 1, timeout: 15_000 }).toBeDefined();
    asked()?.worker.say({ type: "loaded", number: asked()?.number, image: EMPTY_IMAGE });
    expect(await loading).toMatchObject({ ok: true });
  }

  await load("p");
  return {
    sandbox,
    workers,
    defects,
    advance,
    async pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        advance(1_000);
        await turn();
      }
    },
    async starve(seconds, times) {
      for (let time = 0; time < times; time++) {
        starve((seconds * 1_000) / times);
        await turn();
      }
    },
    current,
    load,
    begin(fields = {}) {
      const outcome = sandbox.invoke({ ...INVOCATION, ...fields });
      const given = workers.filter(({ ended }) => !ended).map((worker) => ({ worker, request: worker.requests.at(-1) }));
      const found = given.findLast(({ request }) => isCallOf(request, fields.digest ?? "p"));
      if (found?.request?.type !== "call") throw new Error("No worker received the call");
      const { worker, request } = found;
      claim(worker.control, request.ticket);
      return { outcome, worker, number: request.number, done: doneOf(request.number, '{"o":1}') };
    },
    finish(output) {
      const worker = workers.findLast(({ ended, requests }) => !ended && requests.at(-1)?.type === "call");
      const request = worker?.requests.at(-1);
      if (worker === undefined || request?.type !== "call") throw new Error("No call is waiting");
      worker.say(doneOf(request.number, output));
    },
  };
}

export function doneOf(number: number, output: string): Readonly<Record<string, unknown>> {
  return { type: "done", number, output, used: NOTHING_USED, lines: [] };
}

function isCallOf(request: WorkerRequest | undefined, digest: string): boolean {
  return request?.type === "call" && request.digest === digest;
}

/** Lets pending promises continue. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
