import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../../manifests/mod.ts";
import { outputOf, SANDBOXES, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

const PLUGIN = `
let count: number = 0;
export function counted(): number { return ++count; }
export async function awaited(args: { value: number }): Promise<number> { await null; return args.value * 2; }
export function random(): unknown { return [Math.random(), crypto.randomUUID(), Date.now()]; }
export function throws(): never { throw new TypeError("first line\\nsecond line"); }
export async function rejects(): Promise<never> { await null; throw new RangeError("late"); }
export function cyclic(): unknown { const value: Record<string, unknown> = {}; value["self"] = value; return value; }
export function bigint(): unknown { return 1n; }
export function nothing(): void {}
export function never(): Promise<void> { return new Promise(() => {}); }
export async function sleeps(args: { ms: number }): Promise<string> { await new Promise((resolve) => setTimeout(resolve, args.ms)); return "woke"; }
export function nested(args: { depth: number }): unknown { let value: unknown = 0; for (let i = 0; i < args.depth; i++) value = [value]; return value; }
export function reads(args: { path: string }): string { return Deno.readTextFileSync(args.path); }
export async function readsLater(args: { path: string }): Promise<string> { return await Deno.readTextFile(args.path); }
export async function forgets(): Promise<string> { void Deno.writeTextFile("/work/x", "lost"); return "done"; }
export function notAFunction(): void {}
export const constant = 1;
`;

describe.each(SANDBOXES)("a call in the sandbox, on the %s", (_name, options) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox(options);
    expect(await box.load("plugin", PLUGIN)).toMatchObject({ ok: true });
    // Starting a process takes seconds on a loaded machine.
  }, 120_000);
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("starts from the same state every time [B2.fresh]", async () => {
    const outputs = [];
    for (let i = 0; i < 5; i++) outputs.push(outputOf(await box.call("plugin", "counted")));
    expect(outputs).toEqual([1, 1, 1, 1, 1]);
  });

  it("gives each call its own randomness and the real time [B9.random]", async () => {
    const before = Date.now();
    const seen = await Promise.all(Array.from({ length: 10 }, async () => outputOf(await box.call("plugin", "random"))));
    const rows = seen as [number, string, number][];
    expect(new Set(rows.map(([random]) => random)).size).toBe(10);
    expect(new Set(rows.map(([, uuid]) => uuid)).size).toBe(10);
    for (const [, , time] of rows) expect(time).toBeGreaterThanOrEqual(before - 1);
  });

  it("awaits promises, and returns null for undefined [X1.null]", async () => {
    expect(outputOf(await box.call("plugin", "awaited", { args: { value: 21 } }))).toBe(42);
    expect(outputOf(await box.call("plugin", "nothing"))).toBe(null);
  });

  it("reports a throw with the author's line and column [B7.positions] [B4.throw]", async () => {
    expect(outputOf(await box.call("plugin", "throws"))).toMatchObject({
      kind: "threw",
      name: "TypeError",
      message: "first line\nsecond line",
      stack: expect.stringContaining("main.ts:6:"),
    });
    expect(outputOf(await box.call("plugin", "rejects"))).toMatchObject({ kind: "threw", name: "RangeError", message: "late" });
  });

  it("fails a call whose output is not JSON [B5.json]", async () => {
    expect(outputOf(await box.call("plugin", "cyclic"))).toMatchObject({ kind: "not_json" });
    expect(outputOf(await box.call("plugin", "bigint"))).toMatchObject({ kind: "not_json" });
  });

  it("detects that a promise can never settle [B4.unsettled]", async () => {
    expect(outputOf(await box.call("plugin", "never"))).toEqual({ kind: "never_settles" });
  });

  it("refuses a result while an unawaited write is pending [B4.unawaited]", async () => {
    const outcome = await box.call("plugin", "forgets", { hostCall: () => new Promise(() => {}) });
    expect(outputOf(outcome)).toEqual({ kind: "unfinished", operations: ["fs.writeFile"] });
  });

  it("runs timers", async () => {
    expect(outputOf(await box.call("plugin", "sleeps", { args: { ms: 20 } }))).toBe("woke");
  });

  it("bounds the nesting depth of messages [B5.depth]", async () => {
    expect(outputOf(await box.call("plugin", "nested", { args: { depth: 64 } }))).toBeInstanceOf(Array);
    expect(outputOf(await box.call("plugin", "nested", { args: { depth: 65 } }))).toEqual({
      kind: "exhausted",
      limit: "jsonDepth",
      allowed: 64,
    });
  });

  it("answers operations synchronously and asynchronously, with bytes beside JSON [B5.bytes]", async () => {
    const text = "Grüße \0 \u{1f600}";
    const seen: unknown[] = [];
    const hostCall = async (operation: { name: string; args: unknown }) => {
      seen.push([operation.name, operation.args]);
      return { ok: true as const, value: null, bytes: new TextEncoder().encode(text) };
    };
    expect(outputOf(await box.call("plugin", "reads", { args: { path: "a" }, hostCall }))).toBe(text);
    expect(outputOf(await box.call("plugin", "readsLater", { args: { path: "b" }, hostCall }))).toBe(text);
    expect(seen).toEqual([
      ["fs.readFile", { path: "a" }],
      ["fs.readFile", { path: "b" }],
    ]);
  });

  it("reports a refusal to the guest as the named Deno error [C10.error]", async () => {
    expect(outputOf(await box.call("plugin", "reads", { args: { path: "a" } }))).toMatchObject({
      kind: "threw",
      name: "NotCapable",
      message: "Nothing is granted here",
    });
  });

  it("does not show the guest details of a crashed host handler [B5.host-error]", async () => {
    const lines: string[] = [];
    const outcome = await box.call("plugin", "reads", {
      args: { path: "a" },
      hostCall: () => Promise.reject(new Error("secret at /home/me")),
      onLog: (_level, line) => void lines.push(line),
    });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(lines.join()).toContain("secret at /home/me");
  });

  it("lists the available exports if one is missing", async () => {
    const fault = outputOf(await box.call("plugin", "missing"));
    expect(fault).toMatchObject({
      kind: "no_export",
      module: "main.ts",
      export: "missing",
      available: expect.arrayContaining(["counted"]),
    });
    expect(outputOf(await box.call("plugin", "constant"))).toMatchObject({ kind: "no_export" });
  });

  it("reports its usage in the units of the limits", async () => {
    const outcome = await box.call("plugin", "reads", { args: { path: "a" } });
    expect(outcome.used.operations).toBe(1);
    expect(outcome.used.memoryBytes).toBeGreaterThan(100_000);
    expect(outcome.used.memoryBytes).toBeLessThan(DEFAULT_LIMITS.memoryBytes);
  });

  it("runs concurrent calls of several plugins without mixing them", async () => {
    for (const name of ["a", "b", "c"]) await box.load(name, `export async function who(args) { await null; return "${name}" + args.n }`);
    const answers = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => outputOf(await box.call("abc"[n % 3] ?? "a", "who", { args: { n } }))),
    );
    expect(answers).toEqual(Array.from({ length: 300 }, (_, n) => `${"abc"[n % 3]}${n}`));
  });
});
