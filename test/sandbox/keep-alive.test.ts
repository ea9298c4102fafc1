import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../manifests/mod.ts";
import type { Image } from "../../sandbox/image.ts";
import { createSandbox, type Invocation, type WorkerLauncher } from "../../sandbox/mod.ts";
import { CURRENT, ENTERED_AT, openControl, type WorkerMessage, type WorkerRequest } from "../../sandbox/worker/protocol.ts";

const EMPTY_MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
// The pool never looks into an image.
const IMAGE = { bytes: new SharedArrayBuffer(8) } as unknown as Image;
const USED = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };

/** One worker that says what the test says; spares never come. */
function scriptedWorker() {
  const requests: WorkerRequest[] = [];
  const state = { alive: false, control: openControl(new SharedArrayBuffer(1 << 13)), say: (_message: WorkerMessage): void => {} };
  const launcher: WorkerLauncher = {
    start: (init) => ({
      post: (message) => void requests.push(message as WorkerRequest),
      postSyncAnswer: () => {},
      onMessage(listener) {
        state.control = openControl(init.control);
        state.say = listener;
      },
      onExit: () => {},
      keepAlive: (on) => void (state.alive = on),
      terminate: () => Promise.resolve(),
    }),
    readEngine: () => Promise.resolve(EMPTY_MODULE),
    readCache: () => Promise.resolve(undefined),
    writeCache: () => Promise.resolve(true),
    now: () => 1_000,
    after: () => () => {},
  };
  return { requests, state, launcher };
}

const INVOCATION: Invocation = {
  callId: "c",
  digest: "p",
  module: "main.js",
  export: "run",
  args: {},
  context: {},
  limits: DEFAULT_LIMITS,
  hostCall: () => Promise.resolve({ ok: true, value: null }),
  onLog: () => {},
  signal: new AbortController().signal,
};

describe("a process with a sandbox", () => {
  it("stays alive for a call that waits for a worker, and only so long", async () => {
    const { requests, state, launcher } = scriptedWorker();
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    await expect.poll(() => requests.length).toBe(1);
    expect(state.alive).toBe(true);
    state.say({ type: "ready", base: IMAGE });
    expect(state.alive).toBe(false);

    const loading = sandbox.load({ name: "p", digest: "p", files: new Map(), modules: new Map(), memoryBytes: 1, loadMs: 1_000 });
    await expect.poll(() => requests.at(-1)?.type).toBe("load");
    state.say({ type: "loaded", number: 1, image: IMAGE });
    await loading;
    const first = sandbox.invoke(INVOCATION);
    expect(state.alive).toBe(true);
    // The first call is answered, yet its guest still holds the thread.
    state.control.times[ENTERED_AT] = 900;
    Atomics.store(state.control.words, CURRENT, 2);
    state.say({ type: "done", number: 2, output: '{"o":1}', used: USED, lines: [] });
    await first;
    expect(state.alive).toBe(false);

    const second = sandbox.invoke(INVOCATION);
    expect(requests.filter(({ type }) => type === "call").length).toBe(1);
    expect(state.alive).toBe(true);
    await sandbox.close();
    expect(await second).toMatchObject({ ok: false, fault: { kind: "cancelled" } });
  });
});
