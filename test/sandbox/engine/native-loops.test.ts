import { afterEach, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

/** Loops inside the engine's own functions, where QuickJS never polls, and loops that poll and continue. */
const LOOPS: Readonly<Record<string, string>> = {
  sparseIndexOf: "const a = []; a.length = 4e9; a.indexOf(1);",
  sparseReverse: "const a = []; a.length = 4e9; a[0] = 1; a.reverse();",
  textIndexOf: `const hay = "a".repeat(1 << 22); const needle = "a".repeat(1 << 12) + "b"; for (;;) hay.indexOf(needle);`,
  bigint: "(7n ** 4000000n).toString();",
  json: "const shared = Array(50).fill(0); let v = shared; for (let i = 0; i < 6; i++) v = Array(50).fill(v); JSON.stringify(v);",
  fill: "const a = new Uint8Array(1 << 24); for (;;) a.fill(1);",
  swallowed: "for (;;) { try { new Promise(() => { const a = []; a.length = 4e9; a.indexOf(1); }); } catch {} }",
  microtasks: "const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});",
};
const TIMEOUT = { kind: "timeout", limit: "cpu", limitMs: 60 } as const;

describe("native loops on the metered engine", () => {
  let box: TestSandbox;
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("end at the deadline, and their worker and its other calls survive [B3.survive]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load(
      "bad",
      Object.entries(LOOPS)
        .map(([name, body]) => `export function ${name}() { ${body} }`)
        .join("\n"),
    );
    await box.load(
      "good",
      `export async function acts() { await Deno.readTextFile("x").catch(() => {}); return new Promise(() => { setInterval(() => {}, 50); }); }`,
    );
    let acted = 0;
    const abort = new AbortController();
    const active = box.call("good", "acts", {
      limits: { wallMs: 20_000 },
      signal: abort.signal,
      hostCall: async () => {
        acted++;
        return { ok: false, error: { name: "NotFound", message: "no" } };
      },
    });
    await expect.poll(() => acted).toBe(1);
    for (const name of Object.keys(LOOPS)) expect(outputOf(await box.call("bad", name, { limits: { cpuMs: 60 } })), name).toEqual(TIMEOUT);
    // If the worker had been ended, this call would be lost.
    abort.abort();
    expect(outputOf(await active)).toEqual({ kind: "cancelled" });
  });

  it("can be cancelled inside the engine [T3.native]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    await box.load("bad", `export function run() { ${LOOPS["sparseIndexOf"]} }\nexport function fine() { return 1; }`);
    const abort = new AbortController();
    const call = box.call("bad", "run", { signal: abort.signal });
    abort.abort();
    expect(outputOf(await call)).toEqual({ kind: "cancelled" });
    expect(outputOf(await box.call("bad", "fine"))).toBe(1);
  });

  it("end during a load too [B9.time]", async () => {
    box = startSandbox({ maximumWorkers: 1 });
    const loaded = await box.sandbox.load({
      name: "late",
      digest: "late",
      files: new Map([["main.js", new TextEncoder().encode("const a = []; a.length = 4e9; a.indexOf(1); export const x = 1;")]]),
      modules: new Map([["main.js", []]]),
      memoryBytes: 64 << 20,
      loadMs: 60,
    });
    expect(loaded).toEqual({
      ok: false,
      fault: {
        kind: "limit",
        message: expect.stringMatching(
          /^Loading takes more than 60 ms of CPU time; move work from the top level into the tool function, or /,
        ) as string,
      },
    });
    await box.load("next", "export function fine() { return 1; }");
    expect(outputOf(await box.call("next", "fine"))).toBe(1);
    expect(box.workersStarted).toBeLessThanOrEqual(2);
  });

  it("use the same fuel for the same call on any worker [B3.fuel]", async () => {
    box = startSandbox({ maximumWorkers: 3 });
    await box.load("p", `export function work({ n }) { return JSON.stringify(Array.from({ length: n }, (_, i) => "entry " + i)).length; }`);
    const fuels = async (n: number): Promise<number[]> =>
      (await Promise.all(Array.from({ length: 12 }, () => box.call("p", "work", { args: { n } })))).map(({ used }) => used.fuel);
    const small = new Set(await fuels(1_000));
    const large = new Set(await fuels(10_000));
    expect([small.size, large.size]).toEqual([1, 1]);
    expect(Math.min(...large)).toBeGreaterThan(Math.max(...small) + 9_000);
  });
});
