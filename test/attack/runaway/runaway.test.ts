/**
 * Some 650 kinds of guest code that do not end by themselves. On the metered engine each is ended inside the engine: the worker survives,
 * the instance is restored byte by byte, and the next call finds no remains. Without the meter, native loops are ended with their worker.
 * `bench/runaway.ts` measures how soon.
 */

import { afterEach, describe, expect, it } from "vitest";
import type { HostAnswer } from "../../../sandbox/wire/host-call.ts";
import { EngineInterrupted } from "../../../sandbox/engine/fuel.ts";
import { GuestException } from "../../../sandbox/engine/guest-values.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { type InThreadPlugin, loadInThread, meteredModule } from "../../support/in-thread.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";
import { APIS } from "./api-kinds.ts";
import { GREEDY, NATIVE, runawayPlugin, SCRIPT, WAITING } from "./kinds.ts";
import { LANGUAGE } from "./language-kinds.ts";

const MINUTES = 60_000;
const CPU_MS = 40;
/**
 * Retries, because on a loaded machine a worker may wait so long for a processor that it is ended. Loops that are not metered fail on
 * every attempt.
 */
const ATTEMPTS = 4;

let box: TestSandbox;
afterEach(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

async function start(engine: "metered" | "plain", source: string = runawayPlugin()): Promise<void> {
  box = startSandbox({ maximumWorkers: 1, engine });
  expect(await box.load("bad", source)).toMatchObject({ ok: true });
  expect(outputOf(await box.call("bad", "canary"))).toBe(1);
}

/** Runs one kind. Returns its fault in short, whether its worker was replaced, and the canary's result afterwards. */
async function endOf(name: string, cpuMs: number): Promise<{ fault: string; replaced: boolean; canary: unknown }> {
  // The spare starts in the background. Only later starts replace a worker.
  const before = Math.max(2, box.workersStarted);
  const outcome = await box.call("bad", name, { limits: { cpuMs, wallMs: Object.hasOwn(WAITING, name) ? cpuMs : 20_000 } });
  const canary = outputOf(await box.call("bad", "canary"));
  const fault = outcome.ok ? "returned" : "limit" in outcome.fault ? `${outcome.fault.kind} ${outcome.fault.limit}` : outcome.fault.kind;
  return { fault, replaced: box.workersStarted > before, canary };
}

/** Returns the kinds that repeatedly did not end as expected. */
async function failing(
  kinds: Readonly<Record<string, string>>,
  cpuMs: (attempt: number) => number,
  isRight: (end: Awaited<ReturnType<typeof endOf>>) => boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const wrong: Record<string, unknown> = {};
  for (const name of Object.keys(kinds)) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const end = await endOf(name, cpuMs(attempt));
      if (isRight(end)) break;
      if (attempt === ATTEMPTS) wrong[name] = end;
    }
  }
  return wrong;
}

describe("attack: endless guest code on the metered engine", () => {
  it("covers at least 60 kinds", () => {
    box = startSandbox();
    expect(Object.keys({ ...NATIVE, ...SCRIPT, ...WAITING, ...GREEDY }).length).toBeGreaterThan(140);
    expect(Object.keys(NATIVE).length).toBeGreaterThan(60);
    expect(Object.keys({ ...LANGUAGE, ...APIS }).length).toBeGreaterThan(480);
  });

  for (const [what, kinds, faults] of [
    ["native loops", NATIVE, ["timeout cpu"]],
    ["script loops", SCRIPT, ["timeout cpu"]],
    ["endless waits", WAITING, ["timeout wall"]],
    ["memory hogs", GREEDY, ["timeout cpu", "exhausted memory", "exhausted timers"]],
  ] as const) {
    it(`${what} end, their worker survives, and the next call finds no remains [B3.survive]`, { timeout: 2 * MINUTES }, async () => {
      await start("metered");
      const wrong = await failing(
        kinds,
        () => CPU_MS,
        ({ fault, replaced, canary }) => faults.some((wanted) => wanted === fault) && !replaced && canary === 1,
      );
      expect(wrong).toEqual({});
    });
  }

  it("endless use of every language function and guest API ends too [B3.survive]", { timeout: 10 * MINUTES }, async () => {
    const kinds = sample({ ...LANGUAGE, ...APIS }, 16);
    await start("metered", runawayPlugin(kinds));
    const wrong = await failing(
      kinds,
      () => CPU_MS,
      // On a fast machine some exhaust memory first.
      ({ fault, replaced, canary }) => ["timeout cpu", "exhausted memory"].includes(fault) && !replaced && canary === 1,
    );
    expect(wrong).toEqual({});
  });

  it("endless code at load time ends, and the worker survives [B9.time] [B3.survive]", { timeout: 10 * MINUTES }, async () => {
    await start("metered");
    const wrong: Record<string, unknown> = {};
    for (const [name, body] of Object.entries(sample({ ...NATIVE, ...LANGUAGE }, 64))) {
      if (/\breturn\b/.test(body)) continue;
      const loaded = await box.load(name, `${body}\nexport function late() {}`, ["late"], CPU_MS);
      const canary = outputOf(await box.call("bad", "canary"));
      if (loaded.ok || !["limit", "threw", "syntax"].includes(loaded.fault.kind) || canary !== 1) wrong[name] = { loaded, canary };
    }
    expect(wrong).toEqual({});
  });

  it("endless code in an abort listener of a cancelled call ends [T3.grace] [B3.survive]", { timeout: 10 * MINUTES }, async () => {
    const kinds = sample({ ...NATIVE, ...LANGUAGE, ...APIS }, 128);
    await start("metered", whenAborted(kinds));
    const wrong: Record<string, unknown> = {};
    for (const name of Object.keys(kinds)) {
      const abort = new AbortController();
      const hostCall = (): Promise<HostAnswer> => {
        abort.abort();
        return Promise.resolve({ ok: true, value: null });
      };
      const outcome = await box.call("bad", name, { signal: abort.signal, hostCall });
      const canary = outputOf(await box.call("bad", "canary"));
      // Some exhaust memory before their grace period is over, and some end by themselves.
      const isRight = !outcome.ok && ["cancelled", "exhausted", "never_settles", "unhandled"].includes(outcome.fault.kind);
      if (!isRight || canary !== 1) wrong[name] = { outcome, canary };
    }
    expect(wrong).toEqual({});
  });

  it(
    "endless code is ended inside the engine, and its memory is restored byte by byte [B3.native] [B1.memory]",
    { timeout: 10 * MINUTES },
    async () => {
      box = startSandbox();
      const wrong: Record<string, unknown> = {};
      let plugin = await fresh();
      for (const name of Object.keys({ ...sample({ ...NATIVE, ...SCRIPT, ...GREEDY }), ...sample(LANGUAGE, 32) })) {
        const end = endInThread(plugin, name);
        plugin.restore();
        const differs = plugin.differs();
        // V8's own stack overflowed. The sandbox also drops such an instance.
        const canary = plugin.instance.broken ? 'd{"o":1}' : plugin.call("canary");
        if (differs !== undefined || canary !== 'd{"o":1}' || (Object.hasOwn(NATIVE, name) && end !== "EngineInterrupted"))
          wrong[name] = { end, differs, canary };
        plugin.restore();
        // Memory does not shrink, and all of it is compared.
        if (plugin.instance.broken || plugin.instance.bytes.length > 16 << 20) plugin = await fresh();
      }
      expect(wrong).toEqual({});
    },
  );
});

/**
 * Selects some of the kinds, because starting a worker or comparing all memory for each is slow. All of them with `RUNAWAY=all npm test
 * -- test/attack/runaway`.
 */
function sample<T>(kinds: Readonly<Record<string, T>>, every = 4): Readonly<Record<string, T>> {
  if (process.env["RUNAWAY"] === "all") return kinds;
  return Object.fromEntries(Object.entries(kinds).filter((_, index) => index % every === 0));
}

/** Returns a plugin that runs each kind in an abort listener. The call tells its host when it listens, and waits. */
function whenAborted(kinds: Readonly<Record<string, string>>): string {
  const listening = Object.entries(kinds).map(
    ([name, body]) => `export function ${name}(_args, { signal }) {
      signal.addEventListener("abort", () => { ${body} });
      void Deno.stat("listening");
      return new Promise(() => {});
    }`,
  );
  return [...listening, "let calls = 0; export function canary() { return ++calls; }"].join("\n");
}

describe("attack: endless guest code without the meter", () => {
  it("native loops are ended with their worker [B3.kill]", { timeout: 4 * MINUTES }, async () => {
    await start("plain");
    // A slow machine may still be at the preparations, which poll.
    const wrong = await failing(
      sample(NATIVE),
      (attempt) => 60 * attempt ** 2,
      ({ fault, replaced, canary }) => fault === "timeout cpu" && replaced && canary === 1,
    );
    expect(wrong).toEqual({});
  });

  it("script loops end, by interrupt or with their worker [B3]", { timeout: 4 * MINUTES }, async () => {
    await start("plain");
    const wrong = await failing(
      sample(SCRIPT),
      () => CPU_MS,
      ({ fault, canary }) => fault === "timeout cpu" && canary === 1,
    );
    expect(wrong).toEqual({});
  });
});

function fresh(): Promise<InThreadPlugin> {
  const kinds = { ...NATIVE, ...SCRIPT, ...WAITING, ...GREEDY, ...LANGUAGE };
  return loadInThread(runawayPlugin(kinds), trackedRestore, { module: meteredModule, budgetMs: 15 });
}

function endInThread(plugin: InThreadPlugin, name: string): string {
  try {
    return plugin.call(name);
  } catch (error) {
    if (error instanceof EngineInterrupted || error instanceof GuestException || error instanceof RangeError) return error.name;
    throw error;
  }
}
