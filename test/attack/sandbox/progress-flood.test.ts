import { afterEach, describe, expect, it } from "vitest";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const PLUGIN = `
  export function atOnce(args, context) { for (let i = 1; i <= 5_000; i++) context.progress(i); return "done"; }
  export async function slowly(args, context) { for (let i = 1; i <= 100; i++) { context.progress(i); await null; } return "done"; }
  export async function whileItWaits(args, context) {
    for (let i = 1; i <= 100; i++) context.progress(i);
    await Deno.stat("x").catch(() => {});
    context.progress("end");
    return "done";
  }`;

let box: TestSandbox;
afterEach(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

/** Returns the progress values that reached a host that answers each at once, or none before the call has ended. */
async function progressOf(name: string, answers: "at once" | "never"): Promise<{ output: unknown; values: unknown[] }> {
  box = startSandbox({ maximumWorkers: 1 });
  await box.load("flood", PLUGIN);
  const values: unknown[] = [];
  const over = Promise.withResolvers<HostAnswer>();
  const outcome = await box.call("flood", name, {
    hostCall({ name: operation, args }) {
      if (operation !== "progress") return Promise.resolve({ ok: true, value: {} });
      values.push(typeof args === "object" && args !== null && "value" in args ? args["value"] : undefined);
      return answers === "never" ? over.promise : Promise.resolve({ ok: true, value: null });
    },
  });
  over.resolve({ ok: true, value: null });
  return { output: outputOf(outcome), values };
}

describe("attack: a flood of progress", () => {
  it.each(["atOnce", "slowly"])("does not end the call, and the latest value is delivered: %s [T4.flood] [B3.operations]", async (name) => {
    const { output, values } = await progressOf(name, "never");
    expect(output).toBe("done");
    expect(values.length).toBeLessThanOrEqual(17);
    expect(values.at(-1)).toBe(name === "atOnce" ? 5_000 : 100);
  });

  it("reaches a host that keeps up in order, including the first and last value [T4.order]", async () => {
    const { output, values } = await progressOf("whileItWaits", "at once");
    expect(output).toBe("done");
    expect([values[0], values.at(-1), values.includes(100)]).toEqual([1, "end", true]);
    const numbers = values.filter((value) => typeof value === "number");
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });
});
