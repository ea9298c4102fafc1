import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAXIMUM_STATE_BYTES } from "../../../sandbox/wire/told-state.ts";
import type { InvocationOutcome } from "../../../sandbox/mod.ts";
import { outputOf, SANDBOXES, startSandbox, type TestCall, type TestSandbox } from "../../support/sandbox.ts";

const PLUGIN = `
let count = 0;
const kept = [];
export function counted() { return ++count; }
export async function slowly() { const seen = ++count; await new Promise((resolve) => setTimeout(resolve, 5)); return seen; }
export async function asks() { count++; await Deno.stat("x").catch(() => {}); return count; }
export function random() { return Math.random(); }
export function fails() { count = 1000; throw new Error("no"); }
const seen = [];
const late = (what) => () => void seen.push(what);
const kept_ = { controller: new AbortController(), ports: new MessageChannel() };
setInterval(late("interval of the load"), 1);
kept_.ports.port2.onmessage = ({ data }) => void seen.push(data);
export function leaves(_args, context) {
  setTimeout(late("timer"), 0);
  setInterval(late("interval"), 0);
  AbortSignal.timeout(0).addEventListener("abort", late("timeout"));
  context.signal.addEventListener("abort", late("signal"));
  new Promise((resolve) => setTimeout(resolve, 0)).then(late("continuation of a timer"));
  kept_.ports.port1.postMessage("message");
  for (let index = 0; index < 20; index++) context.progress(index);
  const never = Deno.stat("x").then(late("answer"), late("answer"));
  addEventListener("unhandledrejection", late("unhandled"));
  Promise.reject({ [Symbol.for("Deno.customInspect")]: () => { Promise.resolve().then(late("job")); return "rejected"; } });
  return "left";
}
export async function looks(_args, context) {
  const atOnce = [...seen];
  seen.length = 0;
  await Deno.stat("x").catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { atOnce, later: [...new Set(seen)] };
}
export async function uses(_args, context) {
  seen.length = 0;
  kept_.ports.port1.postMessage("again");
  context.progress("told");
  const messages = () => seen.filter((what) => !what.startsWith("interval"));
  while (messages().length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  return messages();
}
export function grows() { kept.push(new Uint8Array(33 << 20).fill(1)); return kept.length; }
`;

function outcomeOfState(outcome: InvocationOutcome): unknown {
  const { droppedStateBytes = 0 } = outcome.ok ? outcome : {};
  return [outputOf(outcome), outcome.beganAfresh, droppedStateBytes > MAXIMUM_STATE_BYTES];
}

describe.each(SANDBOXES)("a plugin with session state, on the %s", (_name, options) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox(options);
    await box.load("plugin", PLUGIN);
    // Starting a process takes seconds on a loaded machine.
  }, 120_000);
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  const call = async (name: string, session?: string): Promise<unknown> =>
    outputOf(await box.call("plugin", name, session === undefined ? {} : { session }));

  it("keeps its state from call to call within a session [B2.session]", async () => {
    expect([await call("counted", "a"), await call("counted", "a"), await call("counted", "a")]).toEqual([1, 2, 3]);
    expect(await call("counted", "b")).toBe(1);
    expect(await call("counted")).toBe(1);
    expect(await call("counted", "a")).toBe(4);
  });

  it("runs the calls of a session one after another [B2.session]", async () => {
    const seen = await Promise.all(Array.from({ length: 8 }, () => call("slowly", "ordered")));
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("cancels a waiting call at once, and keeps the order of the others [T3.session] [B2.session]", async () => {
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    const first = box.call("plugin", "asks", { session: "held", hostCall: () => held.then(() => ({ ok: true, value: "{}" })) });
    const abort = new AbortController();
    const second = box.call("plugin", "counted", { session: "held", signal: abort.signal });
    const third = box.call("plugin", "counted", { session: "held" });
    abort.abort();
    expect(outputOf(await second)).toEqual({ kind: "cancelled" });
    answer();
    expect([outputOf(await first), outputOf(await third)]).toEqual([1, 2]);
  });

  it("discards the changes of a failed call [B2.session]", async () => {
    await call("counted", "failing");
    expect(await call("fails", "failing")).toMatchObject({ kind: "threw", message: "no" });
    expect(await call("counted", "failing")).toBe(2);
  });

  it("still gets new random numbers in each call [B9.random]", async () => {
    const seen = [await call("random", "r"), await call("random", "r"), await call("random", "r")];
    expect(new Set(seen).size).toBe(3);
  });

  it("answers a call whose state is too large, reports the size, and then starts with fresh state [B2.too-large]", async () => {
    expect(await call("counted", "greedy")).toBe(1);
    const outcome = await box.call("plugin", "grows", { session: "greedy" });
    expect(outcomeOfState(outcome)).toEqual([1, undefined, true]);
    expect(outcomeOfState(await box.call("plugin", "counted", { session: "greedy" }))).toEqual([1, true, false]);
    expect(outcomeOfState(await box.call("plugin", "counted", { session: "greedy" }))).toEqual([2, undefined, false]);
  });

  it("keeps the state that a call left, but not its pending work [B2.leftovers]", async () => {
    const session = crypto.randomUUID();
    const told: unknown[] = [];
    const hostCall: NonNullable<TestCall["hostCall"]> = ({ name, args }) => {
      if (name === "progress") told.push(args);
      return new Promise(() => {});
    };
    expect(outputOf(await box.call("plugin", "leaves", { session, hostCall }))).toBe("left");
    const stat = { hostCall: () => Promise.resolve({ ok: true as const, value: "{}" }) };
    expect(outputOf(await box.call("plugin", "looks", { session, ...stat }))).toEqual({
      // Logged at the call's end. The plain engine does not report rejections.
      atOnce: options.engine === "plain" ? [] : ["job"],
      later: ["interval of the load"],
    });
    told.length = 0;
    // Dropped work does not block new work: the waiting message arrives with the next one.
    expect(outputOf(await box.call("plugin", "uses", { session, hostCall }))).toEqual(["message", "again"]);
    expect(told).toEqual([{ value: "told" }]);
  });

  it("reports a call without a stored state, and frees the state with its session [B2.afresh] [LV5.states]", async () => {
    const session = crypto.randomUUID();
    const once = async (): Promise<unknown> => {
      const outcome = await box.call("plugin", "counted", { session });
      return [outputOf(outcome), outcome.beganAfresh];
    };
    expect([await once(), await once()]).toEqual([
      [1, true],
      [2, undefined],
    ]);
    box.sandbox.endSession(session);
    expect(await once()).toEqual([1, true]);
  });

  it("starts with fresh state after the plugin was loaded again", async () => {
    await box.load("again", PLUGIN);
    const count = async (): Promise<unknown> => outputOf(await box.call("again", "counted", { session: "a" }));
    expect([await count(), await count()]).toEqual([1, 2]);
    box.sandbox.unload("again");
    await box.load("again", PLUGIN);
    expect(await count()).toBe(1);
  });
});
