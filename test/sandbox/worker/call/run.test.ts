import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../../manifests/mod.ts";
import type { Instance } from "../../../../sandbox/engine/instance.ts";
import { createModuleTable } from "../../../../sandbox/loading/modules.ts";
import { LogCredit } from "../../../../sandbox/worker/call/log-credit.ts";
import { Run } from "../../../../sandbox/worker/call/run.ts";
import { trackedRestore } from "../../../../sandbox/image/tracked-restore.ts";
import { Lease } from "../../../../sandbox/worker/lease.ts";
import { Scheduler } from "../../../../sandbox/worker/scheduler.ts";
import { CONTROL_BYTES, openControl, type SyncAnswer, type WorkerMessage } from "../../../../sandbox/wire/protocol.ts";
import { type InThreadPlugin, loadInThread, meteredModule } from "../../../support/in-thread.ts";

/** Host references are small integers that a guest can forge. This one takes the bytes of an answer. */
const TAKE_BYTES = 2;

/** Starts a call on the test's own thread, with a clock that the test controls. */
function startRun(plugin: InThreadPlugin, name: string, answer: () => SyncAnswer | undefined = () => undefined) {
  const state = { now: 1_000, posted: [] as WorkerMessage[], isFree: true, work: [] as Promise<void>[] };
  const scheduler = new Scheduler(() => state.now);
  const control = openControl(new SharedArrayBuffer(CONTROL_BYTES));
  const run = new Run(
    {
      number: 1,
      digest: "d",
      words: ["main.js", name, "{}", "{}"],
      limits: { ...DEFAULT_LIMITS, wallMs: 100 },
      files: new Map(),
      conditions: undefined,
      outputSchema: undefined,
      modules: createModuleTable(new Map(), {}),
    },
    new Lease(plugin.image, plugin.instance),
    {
      instances: { rest: () => {}, suspend: () => {}, occupy: () => state.isFree, bringBack: () => Promise.resolve() },
      resting: { rests: () => {}, takeUp: () => true },
      scheduler,
      breakDown(defect) {
        throw defect;
      },
      background: (work) => void state.work.push(work),
      control,
      local: { monotonicMs: () => 0, randomBytes: (length) => new Uint8Array(length) },
      now: () => state.now,
      threadCpuMs: () => undefined,
      epoch: () => 0,
      after: () => () => {},
      post: (message) => void state.posted.push(message),
      flush: () => {},
      logCredit: new LogCredit(control.words),
      waitForAnswer: answer,
      openSubtle: () => {
        throw new Error("No cryptography here");
      },
    },
    () => {},
  );
  return {
    run,
    state,
    turns() {
      while (scheduler.next() !== undefined);
    },
    async turnsWithInstance() {
      state.isFree = true;
      await Promise.all(state.work);
      while (scheduler.next() !== undefined);
    },
  };
}

function operations(posted: readonly WorkerMessage[]): number {
  return posted.filter(({ type }) => type === "operation").length;
}

/** Replaces the entry `settle` with `poll`, as a guest in control of its memory could, so that an answer's bytes are not taken. */
function replaceSettle({ bytes, handles }: Instance): void {
  const { settle, poll } = handles.entry;
  bytes.copyWithin(settle, poll, poll + 8);
}

describe("Run", () => {
  it("offers an answer's bytes only while it delivers the answer, because they may be in lent memory [B5.bytes]", async () => {
    const plugin = await loadInThread("export async function reads() { await Deno.readFile('x'); }", trackedRestore, {
      module: meteredModule,
    });
    const { run, state, turns } = startRun(plugin, "reads");
    run.start();
    expect(operations(state.posted)).toBe(1);
    replaceSettle(plugin.instance);
    run.answer(1, "vnull", new Uint8Array(100_000).fill(7));
    turns();
    expect(plugin.instance.callsOut.callFunction(0, 0, TAKE_BYTES)).toBe(0);
  });

  it("runs no operations for a guest whose time is over, even if the guest catches every error [B3.wall] [B3.after]", async () => {
    const source = "export function keeps() { for (let i = 0; i < 5_000; i++) try { Deno.readTextFileSync('x'); } catch {} }";
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const { run, state } = startRun(plugin, "keeps", () => {
      state.now += 1_000;
      return undefined;
    });
    run.start();
    expect(operations(state.posted)).toBe(1);
    expect(state.posted.at(-1)).toMatchObject({ type: "failed", fault: { kind: "timeout", limit: "wall" } });
  });

  it("drops lines beyond the limit, and lines that a busy host would have to queue [B3.logs] [LV1.logs]", async () => {
    const source = "export function logs() { for (let line = 0; line < 3_000; line++) console.log(''); return 'done'; }";
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const { run, state } = startRun(plugin, "logs");
    run.start();
    const parts = state.posted.flatMap((message) => ("lines" in message ? [message.lines.length] : []));
    // Half of a worker's credit, then the call's last batch with the count of dropped lines.
    expect(parts).toEqual([...Array.from({ length: 8 }, () => 64), 65]);
    expect(state.posted.at(-1)).toMatchObject({
      type: "done",
      used: { logBytes: 3_000 * 256 },
      lines: Array.from({ length: 65 }, (_, index) => (index < 64 ? ["info", ""] : ["warn", "3,000 lines, 2,424 dropped"])),
    });
  });

  it("sends log lines while the guest is computing [LV1.logs]", async () => {
    const source = "export function computes() { console.log('begun'); for (;;); }";
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const { run, state } = startRun(plugin, "computes");
    const { isStopped } = run;
    run.isStopped = () => {
      state.now += 30;
      return Reflect.apply(isStopped, run, []);
    };
    run.start();
    expect(state.posted).toMatchObject([
      { type: "logs", lines: [["info", "begun"]] },
      { type: "failed", fault: { kind: "timeout" }, lines: [] },
    ]);
  });

  it("ends without an instance if its guest is parked, and takes no further step [T3.parked]", async () => {
    const plugin = await loadInThread("export async function reads() { await Deno.readFile('x'); }", trackedRestore, {
      module: meteredModule,
    });
    const { run, state, turns, turnsWithInstance } = startRun(plugin, "reads");
    run.start();
    state.isFree = false;
    run.answer(1, "vnull", undefined);
    turns();
    run.end();
    expect(state.posted.at(-1)).toMatchObject({ type: "failed", fault: { kind: "cancelled" } });
    const { length } = state.posted;
    await turnsWithInstance();
    expect(state.posted).toHaveLength(length);
  });

  it("fires the abort signal of a parked guest as soon as it has an instance [T3.parked]", async () => {
    const source = `export async function listens(_args, { signal }) {
      signal.addEventListener("abort", () => later(signal.reason.name));
      let later;
      return await Promise.race([Deno.readFile("x"), new Promise((resolve) => (later = resolve))]);
    }`;
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const { run, state, turns, turnsWithInstance } = startRun(plugin, "listens");
    run.start();
    state.isFree = false;
    run.abort();
    turns();
    expect(state.posted.at(-1)?.type).toBe("operation");
    await turnsWithInstance();
    expect(state.posted.at(-1)).toMatchObject({ type: "done", output: '{"o":"AbortError"}' });
  });

  it("runs its steps in order once it has an instance, with their bytes [B2.parked] [B5.bytes]", async () => {
    const source = `export async function reads() {
      const seen = [];
      await Promise.all(["a", "b"].map(async (name) => seen.push(...await Deno.readFile(name))));
      return seen;
    }`;
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const { run, state, turns, turnsWithInstance } = startRun(plugin, "reads");
    run.start();
    state.isFree = false;
    const taken: string[] = [];
    run.answer(1, "vnull", new Uint8Array([1, 2]), () => taken.push("first"));
    run.answer(2, "vnull", new Uint8Array([3]));
    turns();
    expect([operations(state.posted), taken]).toEqual([2, []]);
    expect(state.posted.at(-1)?.type).toBe("operation");
    await turnsWithInstance();
    expect(state.posted.at(-1)).toMatchObject({ type: "done", output: '{"o":[1,2,3]}' });
    expect(taken).toEqual(["first"]);
    run.answer(3, "vnull", new Uint8Array([3]), () => taken.push("late"));
    expect(taken).toEqual(["first", "late"]);
  });

  it("bounds a text without a terminating zero by the memory around it [B3.output]", async () => {
    const plugin = await loadInThread("export function run() {}", trackedRestore, { module: meteredModule });
    const { values, bytes } = plugin.instance;
    // A guest in control of its memory can do this to its own allocator: no zero follows the text.
    bytes.subarray(bytes.length - (1 << 20)).fill(0x41);
    expect(() => values.textAt(bytes.length - (1 << 20), 1_000)).toThrow("The guest's text is 1048576 bytes long");
  });
});
