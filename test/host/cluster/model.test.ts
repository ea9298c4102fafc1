import { describe, expect, it } from "vitest";
import { createTestCluster, resultOf } from "../../support/cluster.ts";
import { explore, type ModelOptions } from "./model.ts";

/** `MODEL=all`: one fault more, in minutes instead of seconds. */
const MORE = process.env["MODEL"] === "all" ? 1 : 0;
const TWO: ModelOptions = { isIdempotent: false, members: ["a", "b"], hashes: ["h"], faults: 2 + MORE };

describe("every interleaving of one call", () => {
  it.each<readonly [string, ModelOptions]>([
    ["two members", TWO],
    ["two calls with the same id", { ...TWO, hashes: ["h", "i"], faults: 1 + MORE }],
    ["a tool that may run again", { ...TWO, isIdempotent: true }],
    ["a third member that starts later", { ...TWO, isIdempotent: true, late: "c", faults: 1 + MORE }],
  ])("has at most one effect and one result, and can always end: %s [CL2.model]", (_name, options) => {
    const { states, broken } = explore(options);
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(10_000);
  });

  it.each<readonly [string, Partial<ModelOptions>, string]>([
    ["writes without comparing", { defect: "plain_put" }, "more than one effect"],
    ["writes without comparing, of a tool that may run again", { defect: "plain_put", isIdempotent: true }, "one acceptance ran twice"],
    ["answers without comparing the hash", { defect: "ignores_hash", hashes: ["h", "i"] }, "more than one result"],
    ["forgets a call whose result is not recorded", { defect: "forgets_what_runs" }, "more than one effect"],
  ])("finds the defect of a member that %s [CL2.model]", (_name, options, promise) => {
    expect(explore({ ...TWO, ...options }).broken?.promise).toContain(promise);
  });
});

describe("the program over a network that loses, doubles, delays and reorders", () => {
  it.each(Array.from({ length: 12 }, (_, at) => at + 1))("has at most one effect and one result: seed %i [CL2.network]", async (seed) => {
    const random = createRandom(seed);
    let isHostile = false;
    const held: (() => void)[] = [];
    const cluster = createTestCluster(({ what, deliver }) => {
      const isMessage = !what.startsWith("bascule-");
      const chance = random();
      if (!isHostile || chance > 0.3) queueMicrotask(deliver);
      // Acts on buckets go over one connection: they can be lost and late, but not doubled.
      else if (chance < 0.06) return;
      else if (chance < 0.12 && isMessage) for (let count = 0; count < 2; count += 1) queueMicrotask(deliver);
      else held.push(deliver);
      if (held.length > 0 && random() < 0.3) held.splice(Math.floor(random() * held.length), 1)[0]?.();
    });
    const effects: string[] = [];
    const isIdempotent = seed % 3 === 0;
    for (const name of ["alpha", "beta", "gamma"]) {
      await cluster.member(
        name,
        async ({ callId, args }) => {
          effects.push(`${callId} ${JSON.stringify(args)}`);
          await new Promise<void>((resolve) => cluster.platform.clock.after(random() * 3_000, resolve));
          return resultOf(`${callId} by ${name}`);
        },
        { isIdempotent },
      );
    }
    const [web, batch] = [await cluster.caller("web"), await cluster.caller("batch")];
    isHostile = true;
    const ids = Array.from({ length: 6 }, (_, at) => `call-${at}`);
    const calls = ids.flatMap((callId) => [
      cluster.call(web, { callId }),
      cluster.call(batch, { callId }),
      cluster.call(batch, { callId, args: { n: 2 } }),
    ]);
    const ending = Promise.all(calls);
    await cluster.pass(200);
    cluster.server.cut(["alpha", "beta", "gamma"][seed % 3]);
    const ends = await cluster.settle(ending);

    for (const [at, callId] of ids.entries()) {
      const runs = effects.filter((effect) => effect.startsWith(`${callId} `));
      expect(new Set(runs).size).toBeLessThanOrEqual(1);
      expect(runs.length).toBeLessThanOrEqual(isIdempotent ? 3 : 1);
      const texts = ends.slice(3 * at, 3 * at + 3).flatMap((end) => (end.ok ? [end.text] : []));
      expect(new Set(texts).size).toBeLessThanOrEqual(1);
      // One of the two hashes is refused, unless nothing was accepted.
      const codes = ends.slice(3 * at, 3 * at + 3).flatMap((end) => (end.ok ? [] : [end.error.code]));
      for (const code of codes) expect(["invalid_args", "unavailable", "tool_failed"]).toContain(code);
    }
  });
});

/** Lehmer's generator. */
function createRandom(seed: number): () => number {
  let state = seed * 7_919 + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
