import { describe, expect, it } from "vitest";
import { EngineInterrupted } from "../../../sandbox/engine/fuel.ts";
import { plainCopy } from "../../../sandbox/image/plain-copy.ts";
import { trackedRestore } from "../../../sandbox/image/tracked-restore.ts";
import { loadInThread, meteredModule } from "../../support/in-thread.ts";

/** Native loops in which QuickJS never polls. */
const NATIVE: Readonly<Record<string, string>> = {
  sparseIndexOf: "const a = []; a.length = 4e9; return a.indexOf(1);",
  sparseIncludes: "const a = []; a.length = 4e9; return a.includes(1);",
  sparseJoin: "return (new Array(6e7) + '').length;",
  textIndexOf: `const hay = "a".repeat(1 << 22); const needle = "a".repeat(1 << 12) + "b"; for (;;) hay.indexOf(needle);`,
  bigint: "return (7n ** 4000000n).toString().length;",
  json: "const shared = Array(50).fill(0); let v = shared; for (let i = 0; i < 6; i++) v = Array(50).fill(v); return JSON.stringify(v).length;",
  normalize: `return "\\u0344".repeat(4e6).normalize("NFD").length;`,
  copies: "const a = new Uint8Array(1 << 24); for (;;) a.copyWithin(1, 0);",
  swallowed: `for (;;) { try { new Promise(() => { const a = []; a.length = 4e9; a.indexOf(1); }); } catch {} }`,
};

describe("the meter in the engine", () => {
  for (const [name, body] of Object.entries(NATIVE)) {
    it(`ends ${name} inside the engine, and a restore repairs the instance [B3.native]`, async () => {
      const source = `export function run() { ${body} }\nlet calls = 0; export function probe() { return ++calls; }`;
      const plugin = await loadInThread(source, trackedRestore, { module: meteredModule, budgetMs: 30 });
      const { instance } = plugin;
      for (let round = 0; round < 3; round++) {
        expect(() => plugin.call("run")).toThrow(EngineInterrupted);
        expect(instance.broken).toBe(false);
        plugin.restore();
        expect(plugin.differs()).toBeUndefined();
        expect(plugin.call("probe")).toBe('d{"o":1}');
        plugin.restore();
      }
    });
  }

  it("repairs the stack pointer and all memory after each interruption [B4.heal]", async () => {
    const source = "export function run() { const a = []; a.length = 4e9; return a.indexOf(1); } export function fine() { return 1; }";
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule, budgetMs: 1 });
    for (let round = 0; round < 60; round++) {
      expect(() => plugin.call("run")).toThrow(EngineInterrupted);
      plugin.restore();
    }
    expect(plugin.differs()).toBeUndefined();
  });

  it("counts the same fuel for the same call with every restorer [B3.fuel]", async () => {
    const source = `export function run({ n }) { const m = new Map(); for (let i = 0; i < n; i++) m.set("k" + i, [i]); return JSON.stringify([...m]).length; }`;
    const counted = new Set<number>();
    for (const restorer of [plainCopy, trackedRestore]) {
      const plugin = await loadInThread(source, restorer, { module: meteredModule });
      for (let round = 0; round < 5; round++) {
        plugin.call("run", { n: 2_000 });
        counted.add(plugin.instance.fuelSpent);
        plugin.restore();
      }
    }
    expect(counted.size).toBe(1);
    expect([...counted][0]).toBeGreaterThan(20_000);
  });

  it("counts more for more work, and restarts for each call [B3.fuel]", async () => {
    const source = `export function run({ n }) { return "ab".repeat(n).split("a").length; }`;
    const plugin = await loadInThread(source, trackedRestore, { module: meteredModule });
    const fuelOf = (n: number): number => {
      plugin.call("run", { n });
      const { fuelSpent } = plugin.instance;
      plugin.restore();
      return fuelSpent;
    };
    expect(fuelOf(20_000)).toBeGreaterThan(fuelOf(1_000) + 19_000);
    expect(fuelOf(1_000)).toBe(fuelOf(1_000));
    expect(plugin.instance.fuelSpent).toBe(0);
  });

  it("counts nothing on the published engine", async () => {
    const plugin = await loadInThread("export function run() { for (let i = 0; i < 1e5; i++); }", plainCopy);
    plugin.call("run");
    expect(plugin.instance.fuelSpent).toBe(0);
  });
});
