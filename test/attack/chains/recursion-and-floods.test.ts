/** Tools that call one another recursively, or in large numbers (SPEC C9, K6, D4). */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConfirmPrompt } from "../../../host/mod.ts";
import { hostTool } from "../../support/tools.ts";
import { type ChainHost, chainHost, type ChainPlugin, endings } from "../../support/chain-host.ts";

const CHAIN = { callers: ["direct", "chain"] };
const CALL = "export const go = async ({ to }, { tools }) => await tools.call(to, { to });";
/** d0 calls d1, which calls d2, and so on: every tool is different, so the chain is not a cycle. */
const DEEP: ChainPlugin = {
  main: `${Array.from({ length: 15 }, (_, n) => `export const d${n} = (_args, { tools }) => tools.call("deep.d${n + 1}");`).join("\n")}
export const d15 = () => "the bottom";`,
  tools: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`d${n}`, CHAIN])),
  calls: ["deep.*"],
};
const FLOOD: ChainPlugin = {
  main: `export async function flood({ times }, { tools }) {
  const codes = {};
  for (let done = 0; done < times; done += 32) {
    const some = Array.from({ length: 32 }, () => tools.call("echo", { text: "x" }).then(() => "ok", ({ code, name }) => code ?? name));
    for (const code of await Promise.all(some)) codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}
export const atOnce = (_args, { tools }) => Promise.all(Array.from({ length: 500 }, () => tools.call("echo", { text: "x" })));
export async function tree({ depth }, { tools }) {
  if (depth === 0) return 1;
  const below = await Promise.allSettled([1, 2, 3].map((n) => tools.call("flood.tree" + (depth - 1), { depth: depth - 1 })));
  return below.reduce((sum, { value }) => sum + (value ?? 0), 1);
}
export { tree as tree0, tree as tree1, tree as tree2, tree as tree3, tree as tree4, tree as tree5 };`,
  tools: { flood: {}, atOnce: {}, tree5: CHAIN, tree4: CHAIN, tree3: CHAIN, tree2: CHAIN, tree1: CHAIN, tree0: CHAIN },
  calls: ["echo", "flood.*"],
};

let made: ChainHost;
beforeAll(async () => {
  made = await chainHost({
    a: { main: CALL, tools: { go: CHAIN }, calls: ["a.go", "b.go"] },
    b: { main: CALL.replace("tools.call(to,", 'tools.call("a.go",'), tools: { go: CHAIN }, calls: ["a.go"] },
    deep: DEEP,
    flood: FLOOD,
    keeper: {
      main: CALL,
      tools: { go: CHAIN },
      calls: ["other.go", "keeper.go"],
      manifest: { state: "session", permissions: { tools: ["other.go", "keeper.go"] } },
    },
    other: { main: CALL, tools: { go: CHAIN }, manifest: { state: "session" } },
  });
});
afterAll(() => made[Symbol.asyncDispose]());

describe("tools that call one another", () => {
  it("cannot form a cycle: A calls B calls A, and A calls itself [C9.cycle]", async () => {
    const { host } = made;
    const message = (path: string): string => `Permission denied: tool 'a.go' waits for this call itself (${path})`;
    expect(await host.call("a.go", { to: "b.go" })).toMatchObject({
      ok: false,
      error: { message: message("a.go → b.go → a.go") },
      steps: { length: 2 },
    });
    expect(await host.call("a.go", { to: "a.go" })).toMatchObject({ ok: false, error: { message: message("a.go → a.go") } });
    expect(endings(made.events).slice(0, 3)).toEqual([
      ["a.go", "permission_denied", 1],
      ["b.go", "tool_failed", 0],
      ["a.go", "tool_failed", undefined],
    ]);
  });

  it("nest at most eight deep [C9.depth] [D4.depth]", async () => {
    const { host } = made;
    expect(await host.call("deep.d7")).toMatchObject({ ok: true, output: "the bottom" });
    const result = await host.call("deep.d0");
    expect(result).toMatchObject({ ok: false, error: { message: "Tool exceeded its depth of a chain limit of 8" } });
    expect(result.steps).toHaveLength(9);
  });

  it("are limited to a hundred in one chain, however they are spread, and the host serves other calls meanwhile [C9.count] [C9.flood]", async () => {
    const { host } = made;
    const flood = host.call("flood.flood", { times: 320 });
    expect(await host.call("echo", { text: "hi" }, { session: host.session() })).toMatchObject({ ok: true });
    const result = await flood;
    expect(result).toMatchObject({ ok: true, output: { ok: 100, resource_exhausted: 220 } });
    expect(result.steps).toHaveLength(100);
    const tree = await host.call("flood.tree5", { depth: 5 });
    expect(tree.steps).toHaveLength(100);
  });

  it("are limited by the number of pending operations [C9.flood] [B3]", async () => {
    const result = await made.host.call("flood.atOnce");
    // The other calls wait in the sandbox, and the chain's own limit ends it.
    expect(result).toMatchObject({ ok: false, limitsUsed: { pendingOperations: 64 }, error: { code: "tool_failed" } });
    expect(result.steps).toHaveLength(100);
    expect(await made.host.call("echo", { text: "hi" })).toMatchObject({ ok: true });
  });

  it("do not deadlock if both keep state [C9.state]", async () => {
    const { host } = made;
    for (const to of ["other.go", "keeper.go"]) {
      expect(await host.call("keeper.go", { to })).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/they would deadlock|waits for this call itself/) },
      });
    }
  });

  it("run concurrently up to the session's limit [D4.cap]", async () => {
    let [running, most] = [0, 0];
    const release = Promise.withResolvers<void>();
    const slow = hostTool("slow", { callers: ["chain"] }, async () => {
      most = Math.max(most, ++running);
      await release.promise;
      running -= 1;
      return null;
    });
    await using host = await chainHost(
      {
        many: {
          main: "export const go = (_args, { tools }) => Promise.allSettled(Array.from({ length: 9 }, () => tools.call('slow'))).then(({ length }) => length);",
          tools: { go: {} },
          calls: ["slow"],
        },
      },
      { tools: [slow] },
    );
    const session = host.host.session({ concurrency: 2 });
    const call = host.host.call("many.go", {}, { session });
    await expect.poll(() => running, { timeout: 20_000 }).toBe(2);
    release.resolve();
    expect(await call).toMatchObject({ output: 9 });
    expect(most).toBe(2);
  });

  it("take no further slot of their session, also if a step runs dry before its confirmation [D4, E8.preview]", async () => {
    await using writing = await chainHost(
      {
        asking: { main: CALL, tools: { go: {} }, calls: ["served.write"] },
        served: {
          main: "export const write = (_args, { workspace }) => workspace.write('out.txt', 'x');",
          tools: { write: { ...CHAIN, sideEffects: ["write"] } },
          manifest: { permissions: { write: ["$workspace"] } },
        },
      },
      {
        config: { confirmation: { preview: true } },
        grants: { asking: { tools: ["served.write"] }, served: { write: ["$workspace"] } },
      },
    );
    const session = writing.host.session({ concurrency: 1 });
    const shown: unknown[] = [];
    const confirm: ConfirmPrompt = async ({ preview }) => (shown.push(preview?.changes.map(({ path }) => path)), true);
    expect(await writing.host.call("asking.go", { to: "served.write" }, { session, confirm })).toMatchObject({ ok: true });
    expect(shown).toEqual([["out.txt"]]);
  });
});
