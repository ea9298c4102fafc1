/** A hundred guests fill their memory and wait at once. Their total memory is bounded, and other calls are answered. */

import { type Envelope, unpackMessage } from "../../../sandbox/wire/wire.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { createSandbox, type HostCallHandler, type WorkerLauncher } from "../../../sandbox/mod.ts";
import { WATCH_EVERY_MS } from "../../../sandbox/pool/watchdog.ts";
import { MAXIMUM_HELD_BYTES } from "../../../sandbox/worker/held.ts";
import { FULL_BYTES } from "../../../sandbox/wire/protocol.ts";
import { INVOCATION, PLUGIN } from "../../support/scripted-worker.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const HOG = `
export async function fills() { const heap = new Uint8Array(48 << 20).fill(1); await Deno.readTextFile("x"); return heap.length; }
export async function fillsLater() { await Deno.readTextFile("x"); const heap = new Uint8Array(48 << 20).fill(1); await Deno.readTextFile("y"); return heap.length; }
`;
/** High enough for a loaded machine. */
const PATIENT = { wallMs: 600_000, cpuMs: 120_000 };
const HEAP_BYTES = 48 << 20;

describe("attack: large heaps of waiting calls", () => {
  let box: TestSandbox;
  let answers: Map<string, (() => void)[]>;
  beforeEach(async () => {
    box = startSandbox({ maximumWorkers: 1 });
    answers = new Map();
    await box.load("hog", HOG);
    await box.load("canary", "export function sing({ note }) { return note; }");
  });
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  const hostCall: HostCallHandler = ({ args }) =>
    new Promise((resolve) => {
      const { path } = args as { path: string };
      const waiting = answers.get(path) ?? [];
      waiting.push(() => resolve({ ok: true, value: null, bytes: new Uint8Array(1) }));
      answers.set(path, waiting);
    });
  const asked = (path: string): number => [...answers].find(([name]) => name.endsWith(path))?.[1].length ?? 0;
  const answer = (path: string): void => {
    for (const [name, waiting] of answers) if (name.endsWith(path)) for (const resolve of waiting.splice(0)) resolve();
  };

  async function sing(): Promise<void> {
    for (let note = 0; note < 10; note++) expect(outputOf(await box.call("canary", "sing", { args: { note } }))).toBe(note);
  }

  it("start no further call while waiting calls hold the maximum, and start it when some have ended [B3.held] [B10.fair]", async () => {
    const most = Math.ceil(FULL_BYTES / HEAP_BYTES);
    let ended = 0;
    const calls = Array.from({ length: 8 }, async () => {
      const output = outputOf(await box.call("hog", "fills", { hostCall, limits: PATIENT }));
      ended++;
      return output;
    });
    await expect.poll(() => asked("x"), { timeout: 60_000 }).toBeGreaterThanOrEqual(most - 1);
    await sing();
    expect(asked("x")).toBeLessThanOrEqual(most);
    while (ended < calls.length) {
      expect(asked("x")).toBeLessThanOrEqual(most);
      answer("x");
      await sing();
    }
    expect(await Promise.all(calls)).toEqual(calls.map(() => HEAP_BYTES));
  }, 120_000);

  it("are ended if calls grew after waiting and together hold too much [B3.held]", async () => {
    const count = Math.ceil(MAXIMUM_HELD_BYTES / HEAP_BYTES) + 3;
    let over = 0;
    const calls = Array.from({ length: count }, () => box.call("hog", "fillsLater", { hostCall, limits: PATIENT }).finally(() => over++));
    await expect.poll(() => asked("x"), { timeout: 60_000 }).toBe(count);
    answer("x");
    // Calls grow one after the other, so some are ended before they wait again.
    await expect.poll(() => asked("y") + over, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
    await sing();
    answer("y");
    const outputs = (await Promise.all(calls)).map(outputOf);
    const ended = outputs.filter((output) => output !== HEAP_BYTES);
    expect(ended.length).toBeGreaterThanOrEqual(3);
    expect(ended).toEqual(ended.map(() => ({ kind: "held_most", allowedBytes: MAXIMUM_HELD_BYTES })));
  }, 120_000);

  it("are refused by the worker itself if the host does not check [B3.held]", async () => {
    let refused = 0;
    const own = createWorkerLauncher();
    const launcher: WorkerLauncher = {
      ...own,
      after: (delayMs, task) => (delayMs === WATCH_EVERY_MS ? () => {} : own.after(delayMs, task)),
      start(init) {
        const worker = own.start(init);
        const count = (envelope: unknown): void => {
          for (const packed of envelope as Envelope) refused += Number(unpackMessage(packed)?.type === "full");
        };
        return {
          ...worker,
          onMessage: (listener) =>
            worker.onMessage((envelope) => {
              count(envelope);
              listener(envelope);
            }),
        };
      },
    };
    const sandbox = createSandbox(launcher, { maximumWorkers: 1 });
    const files = new Map([["main.js", new TextEncoder().encode(HOG)]]);
    const modules = new Map([["main.js", ["fills"]]]);
    expect(await sandbox.load({ ...PLUGIN, files, modules, memoryBytes: 64 << 20, loadMs: 5_000 })).toMatchObject({ ok: true });
    const calls = Array.from({ length: 8 }, () =>
      sandbox.invoke({ ...INVOCATION, export: "fills", hostCall, limits: { ...INVOCATION.limits, ...PATIENT } }),
    );
    // A refused call may be refused again.
    await expect.poll(() => asked("x") + refused, { timeout: 60_000 }).toBeGreaterThanOrEqual(calls.length);
    expect(refused).toBeGreaterThanOrEqual(calls.length - Math.ceil(FULL_BYTES / HEAP_BYTES));
    await sandbox.close();
    await Promise.all(calls);
  }, 120_000);
});
