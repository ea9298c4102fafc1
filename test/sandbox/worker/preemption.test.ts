import { describe, expect, it, onTestFinished } from "vitest";
import type { InvocationOutcome } from "../../../sandbox/mod.ts";
import { outputOf, SANDBOXES, startSandbox, type TestCall, type TestSandbox, type TestSandboxOptions } from "../../support/sandbox.ts";

/** Guests that never leave the engine by themselves, but in which the interpreter polls. */
const SCRIPT_LOOPS: Readonly<Record<string, string>> = {
  empty: "for (;;);",
  jobs: "let again; again = () => Promise.resolve().then(again); again(); await new Promise(() => {});",
  regex: `/^(a+)+$/.test("a".repeat(40) + "b");`,
  getters: "const o = { get a() { for (;;); } }; return o.a;",
  output: "return { toJSON() { for (;;); } };",
  swallows: "for (;;) try { await new Promise(() => { for (;;); }); } catch {}",
};
/** The same in the engine's own code, where only the meter polls. */
const NATIVE_LOOPS: Readonly<Record<string, string>> = {
  sparse: "const a = []; a.length = 4e9; for (;;) a.indexOf(1);",
  bigint: "for (;;) (7n ** 400000n).toString();",
  copies: "const a = new Uint8Array(1 << 24); for (;;) a.copyWithin(1, 0);",
  sort: "const a = Array.from({ length: 1e5 }, (_, i) => i * 7919 % 1e5); for (;;) [...a].sort((x, y) => x - y);",
};
const COMPUTE = `export function compute() {
  const m = new Map();
  for (let i = 0; i < 40_000; i++) m.set("k" + i, [i]);
  return JSON.stringify([...m]).length;
}`;
const CANARY = `
  export const sing = () => "alive";
  export const nap = () => new Promise((resolve) => setTimeout(() => resolve("rested"), 5));
  export const read = () => Deno.readTextFile("x");
  export const readNow = () => Deno.readTextFileSync("x");
`;
const ENDLESS = { wallMs: 120_000, cpuMs: 120_000 };
const answered: NonNullable<TestCall["hostCall"]> = () =>
  Promise.resolve({ ok: true, value: null, bytes: new TextEncoder().encode("text") });

async function start(options: TestSandboxOptions, sources: Readonly<Record<string, string>>): Promise<TestSandbox> {
  const box = startSandbox({ maximumWorkers: 1, behindMs: 500, ...options });
  onTestFinished(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  for (const [name, source] of Object.entries(sources)) expect(await box.load(name, source)).toMatchObject({ ok: true });
  return box;
}

function loopsOf(bodies: Readonly<Record<string, string>>): string {
  return Object.entries(bodies)
    .map(([name, body]) => `export async function ${name}() { ${body} }`)
    .join("\n");
}

/** Starts endless calls. Resolves when each has had the thread. */
function startEndless(box: TestSandbox, plugin: string, names: readonly string[]): { end(): Promise<readonly InvocationOutcome[]> } {
  const stop = new AbortController();
  const calls = names.map((name) => box.call(plugin, name, { limits: ENDLESS, signal: stop.signal }));
  return {
    end() {
      stop.abort();
      return Promise.all(calls);
    },
  };
}

/** Checks that only one worker is used. A sandbox in a process does not report its pool. */
function expectOneWorker({ sandbox }: TestSandbox): void {
  if (sandbox.use !== undefined) expect(sandbox.use()).toMatchObject({ workers: 1, queued: 0 });
}

for (const [kind, options] of SANDBOXES) {
  const loops = options.engine === "plain" ? SCRIPT_LOOPS : { ...SCRIPT_LOOPS, ...NATIVE_LOOPS };

  describe(`guests that share a worker, on the ${kind}`, { timeout: 120_000 }, () => {
    it("get their slices beside sixteen endless guests, whatever those do [LV4.slices] [LV1.hostage]", async () => {
      const box = await start(options, { loops: loopsOf(loops), canary: CANARY });
      const names = Object.keys(loops);
      const endless = startEndless(
        box,
        "loops",
        Array.from({ length: 16 }, (_, index) => names[index % names.length] ?? ""),
      );
      for (let round = 0; round < 3; round++) {
        const sung = ["sing", "nap", "read", "readNow"].map((name) => box.call("canary", name, { hostCall: answered }));
        expect((await Promise.all(sung)).map(outputOf)).toEqual(["alive", "rested", "text", "text"]);
      }
      // All on one worker: none was moved, and no other was started.
      expectOneWorker(box);
      expect((await endless.end()).map(outputOf)).toEqual(Array.from({ length: 16 }, () => ({ kind: "cancelled" })));
    });

    it("do not block others while they wait in a synchronous operation [LV4.sync]", async () => {
      const box = await start(options, { waits: CANARY, canary: CANARY });
      const { promise: sung, resolve } = Promise.withResolvers<void>();
      const waits = Array.from({ length: 4 }, () =>
        box.call("waits", "readNow", { hostCall: (operation) => sung.then(() => answered(operation)) }),
      );
      expect(outputOf(await box.call("canary", "readNow", { hostCall: answered }))).toBe("text");
      expect(outputOf(await box.call("canary", "nap"))).toBe("rested");
      resolve();
      expect((await Promise.all(waits)).map(outputOf)).toEqual(["text", "text", "text", "text"]);
      expectOneWorker(box);
    });

    it("use the same fuel and return the same results as alone: a switch is invisible to the guest [LV4.invisible]", async () => {
      const box = await start(options, { compute: COMPUTE, loops: loopsOf({ empty: "for (;;);" }) });
      const alone = await box.call("compute", "compute");
      const endless = startEndless(box, "loops", ["empty", "empty"]);
      const beside = await box.call("compute", "compute");
      await endless.end();
      expect(outputOf(beside)).toBe(outputOf(alone));
      expect(beside.used.fuel).toBe(alone.used.fuel);
      expect(beside.used.operations).toBe(alone.used.operations);
    });

    it("are recorded and replayed exactly, although others ran in between [LV4.tape] [B8.tape]", async () => {
      const source = `export async function mixed() {
        const seen = [];
        for (let i = 0; i < 3; i++) {
          let sum = 0;
          for (let j = 0; j < 200_000; j++) sum = (sum + j) % 7919;
          seen.push(sum, Date.now(), Math.random(), await Deno.readTextFile("x"), Deno.readTextFileSync("x"));
        }
        return seen;
      }`;
      const box = await start(options, { mixed: source, loops: loopsOf({ empty: "for (;;);" }) });
      const endless = startEndless(box, "loops", ["empty", "empty"]);
      const recorded = await box.call("mixed", "mixed", { hostCall: answered, conditions: { seed: "s", keepsTape: true } });
      await endless.end();
      const { tape } = recorded;
      if (tape === undefined || tape === "too_long") throw new Error("The call has no tape");
      const again = await box.call("mixed", "mixed", { hostCall: answered, conditions: { seed: "s", tape } });
      expect(outputOf(again)).toEqual(outputOf(recorded));
      expect(again.used.fuel).toBe(recorded.used.fuel);
    });

    it("load while others run, and an endless top level delays no other load [LV1.load] [LV4.load]", async () => {
      const box = await start(options, { canary: CANARY });
      const stuck = box.load("stuck", "for (;;); export const never = 1;", [], 500);
      expect(outputOf(await box.call("canary", "nap"))).toBe("rested");
      expect(await box.load("other", "export const fine = () => 1;")).toMatchObject({ ok: true });
      expect(outputOf(await box.call("other", "fine"))).toBe(1);
      expect(await stuck).toMatchObject({ ok: false, fault: { kind: "limit" } });
      expectOneWorker(box);
    });

    it("are dropped with their plugin if they were taken back before their start, and leave their limits to the next [LV4.forget]", async () => {
      const box = await start(options, { gone: CANARY, canary: CANARY, loops: loopsOf({ empty: "for (;;);" }) });
      const endless = startEndless(box, "loops", ["empty"]);
      expect(outputOf(await box.call("canary", "sing"))).toBe("alive");
      const stop = new AbortController();
      // All of this arrives while the loop has its slice.
      const taken = Array.from({ length: 4 }, () => box.call("gone", "sing", { signal: stop.signal }));
      const other = box.call("canary", "sing", { limits: { wallMs: 20_000 }, signal: stop.signal });
      stop.abort();
      box.sandbox.unload("gone");
      // In a process, the cancellation may arrive after the call.
      for (const outcome of await Promise.all([...taken, other]))
        expect(["alive", { kind: "cancelled" }]).toContainEqual(outputOf(outcome));
      expect(outputOf(await box.call("canary", "sing", { limits: { wallMs: 20_000 } }))).toBe("alive");
      await endless.end();
    });

    it("meet their own deadlines, by CPU time and by wall time [B3.wall] [B3.cpu] [LV4.deadlines]", async () => {
      const box = await start(options, { loops: loopsOf({ empty: "for (;;);" }), waits: CANARY });
      const never: NonNullable<TestCall["hostCall"]> = () => new Promise(() => {});
      const ended = await Promise.all([
        ...[1, 2, 3].map(() => box.call("loops", "empty", { limits: { wallMs: 300, cpuMs: 10_000 } })),
        ...[1, 2, 3].map(() => box.call("loops", "empty", { limits: { wallMs: 60_000, cpuMs: 100 } })),
        box.call("waits", "readNow", { limits: { wallMs: 300 }, hostCall: never }),
      ]);
      const wall = { kind: "timeout", limit: "wall", limitMs: 300 };
      const cpu = { kind: "timeout", limit: "cpu", limitMs: 100 };
      expect(ended.map(outputOf)).toEqual([wall, wall, wall, cpu, cpu, cpu, wall]);
    });
  });
}
