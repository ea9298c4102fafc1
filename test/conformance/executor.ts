/** Requirements of every route for a call (SPEC O5). A route provides a way to make it do each of these. */

import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../host/audit/events.ts";
import type { Execution, Executor, Outcome } from "../../host/tools/execution.ts";
import type { JsonValue } from "../../manifests/mod.ts";

/** One route with a tool for each word of the suite. */
export interface ExecutorUnderTest {
  readonly execute: Executor;
  /** Starts a host with a tool that does `word` on this route. */
  readonly execution: (behaviour: Behaviour, overrides?: ExecutionOverrides) => Execution;
  readonly events: readonly HostEvent[];
  /** Advances the clock. */
  readonly advance: (byMs: number) => void;
  /** Number of started calls of the route's tools. */
  readonly begun: () => number;
}

export interface ExecutionOverrides {
  readonly args?: JsonValue;
  readonly signal?: AbortSignal;
  readonly wallMs?: number;
}

export type Behaviour =
  | { readonly does: "return"; readonly output: JsonValue }
  | { readonly does: "return arguments" }
  | { readonly does: "return parts"; readonly parts: Readonly<Record<string, JsonValue>> }
  | { readonly does: "throw"; readonly message: string }
  | { readonly does: "throw a ToolError"; readonly message: string }
  /** Ends only when the call's signal aborts. */
  | { readonly does: "wait" }
  | { readonly does: "write"; readonly path: string; readonly text: string }
  | { readonly does: "read"; readonly path: string };

export function executorSuite(name: string, create: () => ExecutorUnderTest): void {
  describe(`the ${name} route`, () => {
    it("returns a tool's plain output and nothing else [O5, X1]", async () => {
      const { execute, execution } = create();
      for (const output of [null, 0, "text", [1, { a: null }], { o: 1 }, { t: { output: 1 } }] satisfies JsonValue[]) {
        expect(await execute(execution({ does: "return", output }))).toMatchObject({ ok: true, output });
      }
    });

    it("passes the checked arguments to the tool [O5]", async () => {
      const { execute, execution } = create();
      expect(await execute(execution({ does: "return arguments" }, { args: { a: [1] } }))).toMatchObject({ ok: true, output: { a: [1] } });
    });

    it("unpacks the parts of toolOutput() [O5, X1]", async () => {
      const { execute, execution } = create();
      const parts = {
        output: { n: 1 },
        content: [{ type: "text", text: "one" }, { type: "nonsense" }],
        metadata: { source: "x" },
        filesModified: ["a.txt"],
      };
      expect(await execute(execution({ does: "return parts", parts }))).toMatchObject({
        ok: true,
        output: { n: 1 },
        content: [{ type: "text", text: "one" }],
        metadata: { source: "x" },
        filesModified: ["a.txt"],
      });
      expect(
        await execute(execution({ does: "return parts", parts: { success: false, output: { message: "no such word" } } })),
      ).toMatchObject({
        ok: false,
        error: { code: "tool_failed", message: "no such word", details: { output: { message: "no such word" } } },
      });
    });

    it("does not reject if a tool throws [O5, X4]", async () => {
      const { execute, execution } = create();
      expect(await execute(execution({ does: "throw", message: "boom" }))).toMatchObject({ ok: false, error: { code: "tool_failed" } });
    });

    it("shows a ToolError as it is [O5, X4]", async () => {
      const { execute, execution } = create();
      expect(await execute(execution({ does: "throw a ToolError", message: "Come back later" }))).toMatchObject({
        ok: false,
        error: { code: "tool_failed", message: "Come back later", visible: true },
      });
    });

    it("ends a tool at its deadline, with the real number in the message [O5, X5, T2]", async () => {
      const { execute, execution, advance, begun } = create();
      const running = execute(execution({ does: "wait" }, { wallMs: 1_500 }));
      await expect.poll(begun).toBe(1);
      advance(1_500);
      expect(await running).toMatchObject({ ok: false, error: { code: "timeout", message: "Tool exceeded 1.5s wall time limit" } });
    });

    it("ends a tool that is cancelled, before or while it runs [O5, T3]", async () => {
      const { execute, execution, begun } = create();
      const stop = new AbortController();
      const running = execute(execution({ does: "wait" }, { signal: stop.signal }));
      await expect.poll(begun).toBe(1);
      stop.abort();
      expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
      expect(await execute(execution({ does: "wait" }, { signal: AbortSignal.abort() }))).toMatchObject({
        ok: false,
        error: { code: "cancelled" },
      });
    });

    it("lets a tool do what its grant allows, and records act and file [O5, C10]", async () => {
      const { execute, execution, events } = create();
      const outcome: Outcome = await execute(execution({ does: "write", path: "new.txt", text: "hello" }));
      expect(outcome).toMatchObject({ ok: true });
      expect(outcome.filesModified).toEqual([expect.stringContaining("new.txt")]);
      expect(events.map(({ type }) => type)).toEqual(["capability.used"]);
    });

    it("refuses what the grant does not allow, and records it [O5, C10, D5]", async () => {
      const { execute, execution, events } = create();
      expect(await execute(execution({ does: "read", path: "/etc/passwd" }))).toMatchObject({ ok: false });
      expect(events.map(({ type, payload }) => [type, payload])).toEqual([
        [
          "capability.denied",
          expect.objectContaining({ v: 1, permission: "read", value: "/etc/passwd", decision: "denied", layer: "test", callId: "call-1" }),
        ],
      ]);
    });
  });
}
