import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

let box: TestSandbox;
let names = 0;

beforeAll(() => {
  box = startSandbox();
});
afterAll(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

type Files = Readonly<Record<string, string>>;

const load = (files: Files | string) => box.load(`m${++names}`, files);
const run = async (files: Files | string): Promise<unknown> => {
  expect(await load(files)).toMatchObject({ ok: true });
  return outputOf(await box.call(`m${names}`, "run"));
};

describe("using", () => {
  const RESOURCES = `const log: string[] = [];
const open = (name: string, fail = false) => ({ name, [Symbol.dispose]() { log.push("-" + name); if (fail) throw new Error("dispose " + name); } });
const openLater = (name: string) => ({ name, async [Symbol.asyncDispose]() { await null; log.push("~" + name); } });
`;

  it("disposes in reverse at the end of a block, also after return and throw [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
function inner(): string {
  using a = open("a"), b = open("b");
  log.push(a.name + b.name);
  { using c = open("c"); }
  using none = null;
  return "returned";
}
export function run(): unknown {
  const returned = inner();
  try { using d = open("d"); throw new Error("thrown"); } catch (error) { log.push((error as Error).message); }
  return [returned, log];
}`),
    ).toEqual(["returned", ["ab", "-c", "-b", "-a", "-d", "thrown"]]);
  });

  it("awaits asynchronous resources, and mixes with synchronous ones [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
export async function run() {
  {
    await using a = openLater("a");
    using b = open("b");
    await using c = openLater("c");
    log.push("body");
  }
  return log;
}`),
    ).toEqual(["body", "~c", "-b", "~a"]);
  });

  it("disposes after each iteration of a loop, nested and labelled, with and without a block [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
export async function run() {
  outer: for (using a of [open("1"), open("2"), open("3")]) {
    if (a.name === "2") continue outer;
    if (a.name === "3") break;
  }
  for (using x of [open("x")]) for (using y of [open("y")]) log.push(x.name + y.name);
  for (await using z of [openLater("z")]) log.push(z.name);
  return log;
}`),
    ).toEqual(["-1", "-2", "-3", "xy", "-y", "-x", "z", "~z"]);
  });

  it("keeps the body's error beside the errors of disposal [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
export function run() {
  try { using a = open("a", true); using b = open("b", true); throw new Error("body"); }
  catch (error: any) { return [error.name, error.error.message, error.suppressed.name, error.suppressed.error.message, error.suppressed.suppressed.message]; }
}`),
    ).toEqual(["SuppressedError", "dispose a", "SuppressedError", "dispose b", "body"]);
  });

  it("disposes of a module's top-level resources at its end, in reverse [B7.using]", async () => {
    expect(
      await run({
        "main.ts": `import { log, held } from "./held.ts"; import { later } from "./later.ts"; export const run = (): unknown => [held.name, log, later];`,
        "held.ts": `#!/usr/bin/env deno
${RESOURCES}
export { log };
using a = open("a");
export const held = a;
function inside(): void { using c = open("c"); log.push("in"); }
inside();
using b = open("b");
log.push("end"); // the last line`,
        "later.ts": `${RESOURCES}
export const later = log;
await using a = openLater("a");
using b = open("b");
log.push("end");`,
      }),
    ).toEqual(["a", ["in", "-c", "end", "-b", "-a"], ["end", "-b", "~a"]]);
  });

  it("keeps the author's lines and columns [B7.positions]", async () => {
    await load(`using held = null;
export const run = () => { throw new Error("here"); };`);
    expect(await box.call(`m${names}`, "run")).toMatchObject({ ok: false, fault: { stack: "    at run (main.ts:2:43)" } });
    await load(`const open = () => ({ [Symbol.dispose]() {} });
export function run() { using a = open(); using b = open(); throw new Error("here"); }`);
    expect(await box.call(`m${names}`, "run")).toMatchObject({ ok: false, fault: { stack: "    at run (main.ts:2:76)" } });
  });

  it("disposes of resources in the head of a counting loop after the loop, also with labels [B7.using]", async () => {
    expect(
      await run({
        "main.ts": `export { run } from "./loop.js";`,
        // The type stripper does not support this syntax.
        "loop.js": `const log = [];
const open = (name) => ({ name, [Symbol.dispose]() { log.push("-" + name); } });
export function run() {
  let turns = 0;
  again: for (using a = open("a"), b = open("b"); turns < 3; turns++) { log.push(a.name + turns); if (turns === 1) continue again; log.push(b.name); }
  try { for (using a = open("c"), b = 5; ;) log.push("never"); } catch (error) { log.push(error.name); }
  return log;
}`,
      }),
    ).toEqual(["a0", "b", "a1", "a2", "b", "-b", "-a", "-c", "TypeError"]);
  });

  it("handles the author's parentheses, names functions, and does not depend on globals that the plugin may change [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
globalThis.DisposableStack = globalThis.AsyncDisposableStack = undefined as never;
(Function.prototype as any)[Symbol.dispose] = function (this: Function) { log.push("-" + this.name); };
export async function run() {
  { using a = ("ignored", open("kept")); log.push(a.name); }
  { using named = () => {}; await using later = function () {}; }
  for (using each of [open("each")]) log.push("in");
  return log;
}`),
    ).toEqual(["kept", "-kept", "-later", "-named", "in", "-each"]);
  });

  it("awaits as often as the standard requires, and not at all if no resource was registered [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
const order: string[] = [];
async function early(leave: boolean) { order.push("early"); block: { if (leave) { order.push("left"); break block; } await using held = null; } order.push("early on"); }
async function mixed() { { await using a = null; using b = open("b"); await using c = openLater("c"); } order.push("mixed"); }
export async function run() {
  const ended = early(true);
  order.push("after");
  await ended;
  await mixed();
  return [order, log];
}`),
    ).toEqual([
      ["early", "left", "early on", "after", "mixed"],
      ["~c", "-b"],
    ]);
  });

  it("is found behind comments that contain its own syntax [B7.using]", async () => {
    expect(
      await run(`${RESOURCES}
class Held {
  static /* { */ { using a = open("a"); log.push(a.name); }
}
export async function run() {
  for (await /* using */ using b of [openLater("b")]) log.push(b.name);
  await /* using */ using c = openLater("c");
  return [Held.name, [...log]];
}`),
    ).toEqual(["Held", ["a", "-a", "b", "~b"]]);
  });

  it("is an ordinary name where it is not a keyword [B7.using]", async () => {
    expect(await run(`const using = 1; // using x = 2\nexport const run = () => { let x = using; x = using; return x; };`)).toBe(1);
  });
});

describe("`for await`", () => {
  it("awaits the promise of return() on every exit from the loop, and only then [B7.for-await]", async () => {
    expect(
      await run(`const log: string[] = [];
const source = (name: string, fail?: string) => ({ [Symbol.asyncIterator]: () => ({
  n: 0,
  async next() { return { done: this.n === 2, value: this.n++ }; },
  async return() { await null; await null; log.push("closed " + name); if (fail) throw new Error(fail); return {}; },
}) });
async function returns() { for await (const n of source("r")) return n; }
async function* yields() { outer: for await (const a of source("a")) for await (const b of source("b")) { yield a + b; continue outer; } }
const caught = (promise: Promise<unknown>) => promise.catch((error: Error) => log.push("caught " + error.message));
export async function run() {
  for await (const n of source("all")) log.push(String(n));
  for await (const n of source("break")) break;
  log.push("after");
  await returns();
  log.push("returned");
  await caught((async () => { for await (const n of source("t", "close")) throw new Error("body"); })());
  await caught((async () => { for await (const n of source("f", "close")) break; })());
  for await (const n of yields()) log.push(String(n));
  for await (const n of [1, Promise.resolve(2)]) log.push("s" + n);
  let bare = 0;
  if (log.length > 0) for await (const n of source("bare")) bare += n;
  await caught((async () => { for await (const n of 5 as never) log.push(n); })());
  return log;
}`),
    ).toEqual([
      ...["0", "1", "closed break", "after", "closed r", "returned", "closed t", "caught body", "closed f", "caught close"],
      ...["0", "closed b", "1", "closed b", "s1", "s2", 'caught The value of "for await" is not async iterable'],
    ]);
  });

  it("keeps the author's lines and columns, and works with yield in the head [B7.positions] [B7.yield]", async () => {
    await load(`export async function run() { for await (const a of [1]) throw new Error("here"); }`);
    expect(await box.call(`m${names}`, "run")).toMatchObject({ ok: false, fault: { stack: "    at run (main.ts:1:73)" } });
    expect(
      await run(`async function* g() { for await (const a of yield 1) yield a; }
export async function run() { const it = g(); await it.next(); return (await it.next([2] as never)).value; }`),
    ).toBe(2);
  });

  it("iterates a parenthesized expression, also with comments and with async as a name [B7.for-await]", async () => {
    expect(
      await run({
        "main.ts": `export async function run() {
  const seen = [];
  let async;
  for await (const x of ("ignored", [1, 2])) seen.push(x);
  for /* ) of */ await /* ( */ (async // of
    of (seen.push("once"), [3])) seen.push(async);
  return seen;
}`,
      }),
    ).toEqual([1, 2, "once", 3]);
  });

  it("closes a synchronous iterator only if the loop is left early, and throws its errors [B7.for-await]", async () => {
    expect(
      await run({
        "main.ts": `const log = [];
const source = (name: string, { fails, values = [1, 2] }: any = {}) => ({
  [Symbol.iterator]() { return this; },
  next: () => (values.length > 0 ? { done: false, value: values.shift() } : { done: true }),
  return() { log.push("closed " + name); if (fails) throw new Error(fails); return {}; },
});
const caught = (promise) => promise.catch((error) => log.push("caught " + error.message));
export async function run() {
  for await (const x of source("all", { fails: "unseen" })) log.push(x);
  await caught((async () => { for await (const x of source("left", { fails: "close" })) break; })());
  await caught((async () => { for await (const x of source("threw", { fails: "close" })) throw new Error("body"); })());
  await caught((async () => { for await (const x of source("rejected", { values: [Promise.reject(new Error("value"))] })); })());
  return log;
}`,
      }),
    ).toEqual([1, 2, "closed left", "caught close", "closed threw", "caught body", "closed rejected", "caught value"]);
  });

  it("can yield in a binding, also inside try and finally [B7.for-await] [B7.yield]", async () => {
    expect(
      await run({
        "main.ts": `async function* later(xs) { try { for await (const [a, b = yield "b"] of xs) yield [a, b]; } finally { yield "end"; } }
function* now(o) { try { for ([o.a, o[yield "key"]] of yield "xs") yield { ...o }; } finally { yield "end"; } }
export async function run() {
  const seen = [];
  const it = later([[1], [2, 3]]);
  for (const given of [undefined, "given", undefined, undefined, undefined]) seen.push((await it.next(given)).value);
  const other = now({});
  for (const given of [undefined, [[1, 2]], "k", undefined, undefined]) seen.push(other.next(given).value);
  return seen;
}`,
      }),
    ).toEqual(["b", [1, "given"], [2, 3], "end", null, "xs", "key", { a: 1, k: 2 }, "end", null]);
  });
});

describe("`yield` in the head of a loop", () => {
  it("works with labels, without blocks, delegated and nested, and keeps positions [B7.yield] [B7.positions]", async () => {
    expect(
      await run(`function* inner(): Generator<string, number[], number> { yield "delegated"; return [3]; }
function* outer(flag: boolean): Generator<unknown, string, number[]> {
  const seen: unknown[] = [];
  if (flag) again: for (const a of yield "asked") { for (const b of [(yield "nested")[0], a]) { if (b === 1) continue again; seen.push(b); } }
  for (const a of (yield* inner()).map((n) => n + 1)) seen.push(a);
  await_of: for (const [a] of [[yield "last"]]) { seen.push(a); break await_of; }
  return seen.join();
}
async function* later() { for (const a of await Promise.resolve([yield 1])) yield a; }
export async function run() {
  const steps: unknown[] = [];
  const it = outer(true);
  let next = it.next();
  const answers: unknown[] = [[1, 2], [2], [7], 5, [9]];
  while (!next.done) { steps.push(next.value); next = it.next(answers.shift() as number[]); }
  const asked = later();
  await asked.next();
  return [steps, next.value, (await asked.next("x" as never)).value];
}`),
    ).toEqual([["asked", "nested", "nested", "delegated", "last"], "2,7,2,4,9", "x"]);
    await load(`function* g() { for (const a of yield 1) throw new Error(String(a)); }
export function run() { const it = g(); it.next(); it.next([1]); }`);
    expect(await box.call(`m${names}`, "run")).toMatchObject({
      ok: false,
      fault: { stack: expect.stringContaining("at g (main.ts:1:57)") },
    });
  });
});

describe("positions in a rewritten loop", () => {
  it("stay the author's in moved, bound and body code [B7.positions] [H5.positions]", async () => {
    const source = (where: string): string => `export function run() { const it = loop(); it.next(); it.next([[1]]); }
const fail = (at: string) => { if (at === "${where}") throw new Error(at); return at; };
function* loop(): Generator<unknown, void, any[]> {
  again: for (const [a,
    b = fail("bound")] of [fail("moved"),
      ...yield 1]) {
    fail("run");
  }
}`;
    const stacks = [];
    for (const where of ["moved", "bound", "run"]) {
      await load(source(where));
      const outcome = await box.call(`m${names}`, "run");
      stacks.push(outcome.ok ? "" : /loop \((.*)\)/.exec(outcome.fault.kind === "threw" ? (outcome.fault.stack ?? "") : "")?.[1]);
    }
    expect(stacks).toEqual(["main.ts:5:32", "main.ts:5:13", "main.ts:7:9"]);
  });
});
