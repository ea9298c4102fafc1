import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GUEST_STACK_BYTES } from "../../../../manifests/mod.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

/** Calls that run forever, or nearly, if they are not stopped. */
const RUNAWAYS: Readonly<Record<string, string>> = {
  loop: "for (;;);",
  recursionOfPromises: "const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});",
  swallowed: "return (async () => { for (;;) { try { await (async () => { for (;;); })(); } catch {} } })();",
  executor: "for (;;) { try { new Promise(() => { for (;;); }); } catch {} }",
  indexOf: `const hay = "a".repeat(1 << 22); for (let i = 0; i < 1e9; i++) hay.indexOf("b".repeat(10) + i);`,
  sparseJoin: "new Array(6e7) + '';",
  sparseSort: "const a = []; a.length = 4e9; a.sort();",
  bigint: "for (;;) { let n = 3n; for (let i = 0; i < 19; i++) n = n * n; }",
  bigintText: "(3n ** 600000n).toString(); (3n ** 600001n).toString(7);",
  regexp: `/^(a+)+$/.test("a".repeat(40) + "b");`,
  normalize: `"\\u0344".repeat(2e7).normalize("NFD");`,
  json: "const shared = Array(50).fill(0); let v = shared; for (let i = 0; i < 6; i++) v = Array(50).fill(v); JSON.stringify(v);",
  getterOfResult: "return { get a() { for (;;); } };",
  toJSON: "return { toJSON() { for (;;); } };",
  timers: "return new Promise(() => { setInterval(() => {}, 0); });",
};

describe.each(["metered", "plain"] as const)("limits on the %s engine", (engine) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox({ engine });
    const source = Object.entries(RUNAWAYS).map(([name, body]) => `export function ${name}() { ${body} }`);
    await box.load("runaway", source.join("\n"));
    await box.load("canary", "export function sing(args) { return args.note }");
    await box.load(
      "greedy",
      `
const kept = [];
export function nearly() { const all = []; for (let i = 0; i < 54; i++) all.push(new Uint8Array(1 << 20)); throw new Error("Error of its own"); }
export function memory() { for (;;) kept.push(new Uint8Array(1 << 20).fill(1)); }
export function objects() { for (;;) kept.push({ a: [{}] }); }
export function text() { let s = "x"; for (;;) s += s; }
export function stack() { return stack() + 1; }
export function output() { return "x".repeat(2_000_000); }
export function logs() { for (;;) console.log("x".repeat(1000)); }
export async function operations() { for (;;) await Deno.readTextFile("x").catch(() => {}); }
export function operationsSync() { for (;;) try { Deno.readTextFileSync("x") } catch {} }
export async function pending() { const all = []; for (let i = 0; i < 1000; i++) all.push(Deno.readTextFile("x")); await Promise.allSettled(all); }
export function payload() { return Deno.writeFile("x", new Uint8Array(9 << 20)); }
export function timers() { for (let i = 0; i < 2000; i++) setTimeout(() => {}, 1000); return "set"; }
`,
    );
  });
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  for (const name of Object.keys(RUNAWAYS)) {
    it(`ends ${name} at its limit, while another plugin's canary is answered [B3.time] [B10.canary]`, async () => {
      const runaway = box.call("runaway", name, { limits: { cpuMs: 100, wallMs: 400 } });
      const notes: unknown[] = [];
      let over = false;
      void runaway.then(() => (over = true));
      while (!over && notes.length < 200) notes.push(outputOf(await box.call("canary", "sing", { args: { note: notes.length } })));
      expect(notes).toEqual(notes.map((_, index) => index));
      expect(outputOf(await runaway)).toMatchObject({ kind: expect.stringMatching(/^(timeout|exhausted)$/) });
    });
  }

  it("reports which clock ran out [B3.wall] [B3.cpu]", async () => {
    expect(outputOf(await box.call("runaway", "loop", { limits: { cpuMs: 50, wallMs: 5_000 } }))).toEqual({
      kind: "timeout",
      limit: "cpu",
      limitMs: 50,
    });
    expect(outputOf(await box.call("runaway", "loop", { limits: { cpuMs: 5_000, wallMs: 50 } }))).toEqual({
      kind: "timeout",
      limit: "wall",
      limitMs: 50,
    });
    expect(outputOf(await box.call("runaway", "timers", { limits: { wallMs: 50 } }))).toEqual({
      kind: "timeout",
      limit: "wall",
      limitMs: 50,
    });
  });

  it.each([
    ["memory", "memory", 64 << 20],
    ["objects", "memory", 64 << 20],
    ["stack", "stack", GUEST_STACK_BYTES],
    ["output", "output", 1 << 20],
    ["operations", "operations", 100],
    ["operationsSync", "operations", 100],
    ["pending", "pendingOperations", 64],
    ["payload", "operationBytes", 8 << 20],
  ] as const)("%s exhausts the limit %s [B3.exhausted]", async (name, limit, allowed) => {
    const outcome = await box.call("greedy", name, { limits: limit === "operations" ? { operations: 100 } : {} });
    expect(outputOf(outcome)).toEqual({ kind: "exhausted", limit, allowed });
  });

  it("keeps a tool's own error when memory was low but sufficient [B3.memory]", async () => {
    expect(outputOf(await box.call("greedy", "nearly"))).toMatchObject({ kind: "threw", message: "Error of its own" });
  });

  it("bounds the number of timers [B3.timers]", async () => {
    const outcome = await box.call("greedy", "timers", { context: { limits: { timers: 1000 } } });
    expect(outputOf(outcome)).toEqual({ kind: "exhausted", limit: "timers", allowed: 1000 });
  });

  it("serves the next call normally after a fault [B4.after]", async () => {
    for (const name of ["memory", "stack", "text", "output"]) {
      expect(await box.call("greedy", name)).toMatchObject({ ok: false });
      expect(outputOf(await box.call("canary", "sing", { args: { note: name } }))).toBe(name);
    }
  });
});
