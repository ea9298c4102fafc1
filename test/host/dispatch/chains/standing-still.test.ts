/** A step that waits for a confirmation takes neither time nor a slot of its callers (SPEC D4). */

import { describe, expect, it } from "vitest";
import type { ConfirmPrompt } from "../../../../host/mod.ts";
import { createToolCalls } from "../../../../host/dispatch/chains/tool-calls.ts";
import { createRunTime } from "../../../../host/call/run-time.ts";
import { answerOperation } from "../../../../host/capabilities/mod.ts";
import { testCall } from "../../../support/bridge-context.ts";
import { chainHost } from "../../../support/chain-host.ts";
import { executionOf } from "../../../support/execution.ts";
import { testHost } from "../../../support/test-host.ts";
import { hostTool } from "../../../support/tools.ts";

const WALL_MS = 2_000;
const CALL = "export const go = async ({ to, next }, { tools }) => await tools.call(to, { to: next });";
const CHAIN = { callers: ["direct", "chain"] };

describe("a step that waits for a confirmation", () => {
  it.each([
    ["of a step of a plugin", "outer.go", "inner.go"],
    ["of a host tool", "host_caller", "served.write"],
  ])("suspends the call %s, which resumes with its remaining time [D4.step]", async (_what, tool, to) => {
    await using made = await chainHost(
      {
        outer: { main: CALL, tools: { go: {} }, calls: ["inner.go"] },
        inner: { main: CALL, tools: { go: CHAIN }, calls: ["served.write"] },
        served: {
          main: "export const write = (_args, { workspace }) => workspace.write('out.txt', 'x').then(() => 'wrote');",
          tools: { write: { ...CHAIN, sideEffects: ["write"] } },
          manifest: { permissions: { write: ["$workspace"] } },
        },
      },
      {
        tools: [
          hostTool("host_caller", { permissions: { tools: ["served.write"] } }, (_args, { tools }) => tools?.call("served.write", {})),
          hostTool("quick"),
        ],
        grants: { outer: { tools: ["inner.go"] }, inner: { tools: ["served.write"] }, served: { write: ["$workspace"] } },
      },
    );
    const session = made.host.session({ concurrency: 1 });
    const others: unknown[] = [];
    /** Confirms after the outermost call's deadline would have passed; another call uses its slot meanwhile. */
    const confirm: ConfirmPrompt = async () => {
      const until = performance.now() + WALL_MS + 300;
      others.push((await made.host.call("quick", {}, { session })).ok);
      // Guests use the machine's clock, host tools the platform's.
      made.platform.advance(WALL_MS + 300);
      if (tool !== "host_caller") await expect.poll(() => performance.now() > until, { timeout: 30_000 }).toBe(true);
      return true;
    };
    const result = await made.host.call(tool, { to, next: "served.write" }, { session, confirm, timeoutMs: WALL_MS });
    expect(result).toMatchObject({ ok: true, output: "wrote" });
    expect(others).toEqual([true]);
    // Only the platform's clock was advanced by hand; host tools and whole calls use it.
    expect([result.durationMs, ...(result.steps ?? []).map(({ durationMs }) => durationMs)]).toEqual(
      Array((result.steps ?? []).length + 1).fill(0),
    );
    // The time of the call excludes the wait for the user.
    expect(result.limitsUsed.wallMs).toBeLessThanOrEqual(WALL_MS);
  });

  it("is suspended only by a confirmation, whatever a guest says that it waits for [D4.forged]", async () => {
    const released = Promise.withResolvers<void>();
    const host = testHost({ tools: [hostTool("slow", { callers: ["direct", "chain"] }, async () => (await released.promise, 1))] });
    const execution = executionOf({ tool: host.registry.get("slow") });
    const time = createRunTime({ clock: host.platform.clock, endsAtMs: 1e9, signal: execution.signal });
    const tools = createToolCalls({ current: host.current, newId: host.platform.random.uuidv7 })(execution, time);
    const { context } = testCall({ platform: host.platform, cwd: "/", permissions: {} });
    const asked = (step: number): ReturnType<typeof answerOperation> =>
      answerOperation({ name: "tools.asked", args: { step } }, { ...context, tools });
    const running = tools.call("slow", {});
    for (const step of [0, 1, 2 ** 40]) expect(await asked(step)).toEqual({ ok: true, value: null });
    expect(await answerOperation({ name: "tools.result", args: { step: 0 } }, { ...context, tools })).toMatchObject({
      ok: false,
      error: { name: "BadResource" },
    });
    released.resolve();
    await running;
    await tools.close();
  });
});
