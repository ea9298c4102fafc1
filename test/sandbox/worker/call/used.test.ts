import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type TestSandbox } from "../../../support/sandbox.ts";
import { DEFAULT_LIMITS, GUEST_STACK_BYTES } from "../../../../manifests/mod.ts";
import type { InvocationUsed } from "../../../../sandbox/mod.ts";

const SOURCE = `
export const nothing = () => null;
export const deep = (args) => (args.depth > 0 ? deep({ depth: args.depth - 1 }) + 1 : 0);
export const nested = () => [[[[1]]]];
export async function pending() { await Promise.all([1, 2, 3, 4, 5].map(() => Deno.readTextFile("x").catch(() => {}))); return 0; }
export async function payload() { await Deno.writeFile("x", new Uint8Array(100_000)).catch(() => {}); return 0; }
export async function timers() {
  const ids = Array.from({ length: 7 }, () => setTimeout(() => {}, 60_000));
  for (const id of ids.slice(1)) clearTimeout(id);
  await new Promise((resolve) => setTimeout(resolve, 1));
  clearTimeout(ids[0]);
  return 0;
}
`;

describe.each(["metered", "plain"] as const)("the usage of a call, on the %s engine", (engine) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox({ engine });
    await box.load("user", SOURCE);
    await box.load("other", "export const nothing = () => null; const f = (n) => (n > 0 ? f(n - 1) + 1 : 0); f(300);");
  });
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  const used = async (name: string, args = {}): Promise<InvocationUsed> => (await box.call("user", name, { args })).used;

  it.each([
    ["pending", { pendingOperations: 5, operations: 5 }],
    ["timers", { timers: 7 }],
    ["nested", { jsonDepth: 4 }],
    ["nothing", { pendingOperations: 0, operationBytes: 0, timers: 0, jsonDepth: 0, operations: 0, logBytes: 0 }],
  ] as const)("is counted for %s [B3.used]", async (name, counted) => {
    expect(await used(name)).toMatchObject(counted);
  });

  it("is counted in bytes for arguments and payloads [B3.used]", async () => {
    expect(await used("nothing", { a: "\u00e4" })).toMatchObject({ argumentBytes: 10 });
    expect((await used("payload")).operationBytes).toBeGreaterThanOrEqual(100_000);
  });

  it("includes the peak stack size, independent of earlier calls [B3.used]", async () => {
    const little = (await used("nothing")).stackBytes;
    await box.call("other", "nothing", {});
    const again = (await used("nothing")).stackBytes;
    const much = (await used("deep", { depth: 100 })).stackBytes;
    if (engine === "plain") return expect([little, again, much]).toEqual([undefined, undefined, undefined]);
    expect(again).toBe(little);
    expect(much).toBeGreaterThan(10_000);
    expect(much).toBeLessThan(GUEST_STACK_BYTES + 65_536);
    expect((await used("deep", { depth: 100_000 })).stackBytes).toBeGreaterThan(GUEST_STACK_BYTES / 2);
    return undefined;
  });

  it("includes every limit, and never exceeds it in a call that succeeded [B3.used]", async () => {
    const { used: all, ok } = await box.call("user", "timers", {});
    const counted: Readonly<Record<string, number | undefined>> = { ...all };
    // Loading and stored data are not part of a call.
    const limits = Object.entries(DEFAULT_LIMITS).filter(([name]) => name !== "loadMs" && name !== "dataBytes");
    expect(ok).toBe(true);
    expect(limits.filter(([name, limit]) => !((counted[name] ?? Infinity) <= limit)).map(([name]) => name)).toEqual([]);
  });
});
