/** Workers that send messages defined by the test, with a clock that the test controls. */

import { DEFAULT_LIMITS } from "../../manifests/mod.ts";
import type { BaseImage, Image } from "../../sandbox/engine/image.ts";
import type { Invocation, PluginSource, WorkerLauncher } from "../../sandbox/mod.ts";
import { type Control, openControl, type WorkerRequest } from "../../sandbox/wire/protocol.ts";
import { unpackRequest } from "../../sandbox/wire/wire.ts";

const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** An empty base image: the pool never reads images. */
export const EMPTY_BASE: BaseImage = {
  bytes: new SharedArrayBuffer(8),
  heapEnd: 8,
  randomAddress: 0,
  facts: { dataEnd: 0, stackTop: 0, breakAddress: 0, getStackPointer: "g", setStackPointer: "s", timeImport: "t" },
  handles: {
    runtime: 0,
    jobContext: 0,
    context: 0,
    undefinedValue: 0,
    argumentPointers: 0,
    entry: { define: 0, endLoading: 0, invoke: 0, settle: 0, runTimers: 0, abort: 0, poll: 0, checkOutput: 0, rejected: 0 },
  },
};
export const EMPTY_IMAGE: Image = { pages: new SharedArrayBuffer(0), heapEnd: 0 };
export const NOTHING_USED = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

export const PLUGIN: PluginSource = { name: "p", digest: "p", files: new Map(), modules: new Map(), memoryBytes: 1, loadMs: 1_000 };

export const INVOCATION: Invocation = {
  callId: "c",
  digest: "p",
  module: "main.js",
  export: "run",
  args: {},
  contextText: "{}",
  limits: DEFAULT_LIMITS,
  hostCall: () => Promise.resolve({ ok: true, value: null }),
  onLogs: () => {},
  signal: new AbortController().signal,
};

export interface ScriptedWorker {
  readonly requests: WorkerRequest[];
  readonly control: Control;
  alive: boolean;
  ended: boolean;
  /** Sends any value as a message. */
  say(message: unknown): void;
  /** Sends any value as an envelope. */
  send(envelope: unknown): void;
  exit(reason: string): void;
}

export interface ScriptedWorkers {
  readonly launcher: WorkerLauncher;
  /** Workers in the order of their start. */
  readonly workers: ScriptedWorker[];
  /** Advances the clock, and runs timers at their due times. */
  advance(milliseconds: number): void;
  /** Advances the clock as if the host got no CPU time: due timers run once, at the end. */
  starve(milliseconds: number): void;
}

/** Creates workers that report ready when booted, unless `isReady` is false. */
export function scriptedWorkers({ isReady = true }: { readonly isReady?: boolean } = {}): ScriptedWorkers {
  const workers: ScriptedWorker[] = [];
  const timers = new Map<object, { readonly at: number; readonly task: () => void }>();
  let now = 1_000;
  const launcher: WorkerLauncher = {
    start(init) {
      const requests: WorkerRequest[] = [];
      const worker: ScriptedWorker = {
        requests,
        control: openControl(init.control),
        alive: false,
        ended: false,
        say: () => {},
        send: () => {},
        exit: () => {},
      };
      workers.push(worker);
      return {
        post(envelope) {
          const came = envelope.map(unpackRequest);
          requests.push(...came);
          if (isReady && came.some(({ type }) => type === "boot")) queueMicrotask(() => worker.say({ type: "ready", base: EMPTY_BASE }));
        },
        postSyncAnswer: () => {},
        onMessage(listener) {
          worker.send = listener;
          worker.say = (message) => listener([message]);
        },
        onExit: (listener) => void (worker.exit = listener),
        keepAlive: (on) => void (worker.alive = on),
        terminate: () => Promise.resolve(void (worker.ended = true)),
      };
    },
    language: "en",
    timeZone: () => "UTC",
    runtime: "scripted",
    readEngine: () => Promise.resolve(EMPTY_MODULE),
    readCache: () => Promise.resolve(undefined),
    writeCache: () => Promise.resolve(true),
    now: () => now,
    after(delayMs, task) {
      const key = {};
      timers.set(key, { at: now + delayMs, task });
      return () => void timers.delete(key);
    },
  };
  const nextDue = (): number => Math.min(...[...timers.values()].map(({ at }) => at));
  function runDue(): void {
    for (const [key, { at, task }] of [...timers]) {
      if (at > now) continue;
      timers.delete(key);
      task();
    }
  }
  return {
    launcher,
    workers,
    advance(milliseconds) {
      const end = now + milliseconds;
      for (let due = nextDue(); due <= end; due = nextDue()) {
        now = Math.max(now, due);
        runDue();
      }
      now = end;
    },
    starve(milliseconds) {
      now += milliseconds;
      runDue();
    },
  };
}
