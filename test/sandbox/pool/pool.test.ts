import { afterEach, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const NATIVE_LOOP = "export function runaway() { return new Array(6e7) + '' + new Array(6e7); }";

describe("the pool", () => {
  let box: TestSandbox;
  afterEach(async () => {
    await box[Symbol.asyncDispose]();
  });

  it("runs calls without effects again when their worker is ended, and only those [B10.rerun]", async () => {
    // Without a meter, a native loop can only be ended together with its worker.
    box = startSandbox({ maximumWorkers: 1, engine: "plain" });
    await box.load("bad", NATIVE_LOOP);
    await box.load(
      "good",
      `export async function waits() { await new Promise((r) => setTimeout(r, 300)); return "fresh"; }
export async function acts() {
  // A key belongs to its worker, so the call cannot resume elsewhere.
  await crypto.subtle.importKey("raw", new Uint8Array(16), "AES-GCM", false, ["encrypt"]);
  await Deno.readTextFile("x").catch(() => {});
  await new Promise((r) => setTimeout(r, 60_000));
  return "acted";
}`,
    );
    const innocent = box.call("good", "waits");
    let acted = 0;
    const active = box.call("good", "acts", {
      hostCall: async () => {
        acted++;
        return { ok: false, error: { name: "NotFound", message: "no" } };
      },
    });
    await expect.poll(() => acted).toBe(1);
    const bad = await box.call("bad", "runaway", { limits: { cpuMs: 50 } });
    expect(outputOf(bad)).toMatchObject({ kind: "timeout" });
    expect(outputOf(await innocent)).toBe("fresh");
    expect(outputOf(await active)).toEqual({ kind: "lost" });
    expect(acted).toBe(1);
  });

  it("never again shares a worker with a plugin that caused a worker to be ended [LV1.innocent, B10.apart]", async () => {
    box = startSandbox({ maximumWorkers: 1, engine: "plain" });
    // Longer than the second that a worker gets if calls of others would be lost.
    await box.load("bad", "export function runaway() { const holes = []; holes.length = 2 ** 32 - 1; return holes.indexOf(1); }");
    await box.load("good", `export async function acts() { return await Deno.readTextFile("x"); }`);
    const runaway = async (): Promise<unknown> => outputOf(await box.call("bad", "runaway", { limits: { cpuMs: 50 } }));
    expect(await runaway()).toMatchObject({ kind: "timeout" });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const acting = box.call("good", "acts", {
      hostCall: async () => {
        asked.resolve();
        await answer.promise;
        return { ok: true, value: null, bytes: new TextEncoder().encode("acted") };
      },
    });
    await asked.promise;
    expect([await runaway(), await runaway()]).toMatchObject([{ kind: "timeout" }, { kind: "timeout" }]);
    answer.resolve();
    expect(outputOf(await acting)).toBe("acted");
  });

  it("cancels a call that waits, one that spins and one that listens [T3.guest]", async () => {
    box = startSandbox();
    await box.load(
      "p",
      `export function spins() { for (;;); }
export async function waits() { await new Promise((r) => setTimeout(r, 60_000)); }
export async function listens(args, context) { return await new Promise((resolve) => context.signal.addEventListener("abort", () => resolve("stopped cleanly"))); }`,
    );
    for (const [name, expected] of [
      ["spins", { kind: "cancelled" }],
      ["waits", { kind: "cancelled" }],
    ] as const) {
      const abort = new AbortController();
      const call = box.call("p", name, { signal: abort.signal });
      abort.abort();
      expect(outputOf(await call)).toEqual(expected);
    }
    expect(box.defects).toEqual([]);
  });

  it("fails pending calls when it is closed", async () => {
    box = startSandbox();
    await box.load("p", "export function spins() { for (;;); }");
    const call = box.call("p", "spins");
    await box.sandbox.close();
    expect(outputOf(await call)).toEqual({ kind: "cancelled" });
  });

  it("keeps an image as long as a call uses it [H4.dispose]", async () => {
    box = startSandbox();
    await box.load("p", `export async function waits() { await new Promise((r) => setTimeout(r, 50)); return "old"; }`);
    const call = box.call("p", "waits");
    box.sandbox.unload("p");
    expect(outputOf(await call)).toBe("old");
    await expect(box.call("p", "waits")).rejects.toThrow("is not loaded");
  });

  it("never makes the host's thread wait for a guest [B1.event-loop]", async () => {
    box = startSandbox();
    await box.load(
      "bad",
      `${NATIVE_LOOP}
export function spins() { for (;;); }
export function logs() { for (;;) console.log("x".repeat(500)); }
export async function floods() { for (;;) await Promise.all(Array.from({ length: 60 }, () => Deno.readTextFile("x").catch(() => {}))); }
export function big() { return Array.from({ length: 50_000 }, (_, i) => "entry " + i); }`,
    );
    // A guest that blocked this thread would allow only one turn per reply.
    let turns = 0;
    let over = false;
    const turn = (): void => {
      turns++;
      if (!over) setImmediate(turn);
    };
    turn();
    await Promise.all(
      ["runaway", "spins", "logs", "floods", "big"].map((name) => box.call("bad", name, { limits: { cpuMs: 300, wallMs: 600 } })),
    );
    over = true;
    expect(turns).toBeGreaterThan(1_000);
  });
});
