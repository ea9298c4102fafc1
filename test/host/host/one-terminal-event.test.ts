import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TERMINAL_EVENT_TYPES } from "../../../host/audit/events.ts";
import { toolError } from "../../../host/call/errors.ts";
import { createSession } from "../../../host/call/session.ts";
import type { Fault } from "../../../sandbox/mod.ts";
import { fakeSandbox, USED } from "../../support/fake-sandbox.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";
import { testHost } from "../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import "../../support/seed.ts";

const faults: readonly Fault[] = [
  { kind: "threw", name: "Error", message: "no", stack: "" },
  { kind: "timeout", limit: "cpu", limitMs: 10 },
  { kind: "exhausted", limit: "memory", allowed: 1 },
  { kind: "cancelled" },
  { kind: "lost" },
];

/** Outcome of each gate. */
const outcomes = fc.record({
  name: fc.constantFrom("say", "words.run", "missing", "off.run"),
  args: fc.constantFrom<unknown>({}, { text: 1 }, { text: "x" }, { self: 1n }),
  onToolCall: fc.constantFrom("allow", "refuse", "throw"),
  onToolStart: fc.constantFrom("allow", "throw"),
  onToolEnd: fc.constantFrom("allow", "throw"),
  rule: fc.constantFrom({}, { allow: false }, { confirm: "prompt" }, { confirm: "deny" }, { route: "remote" }),
  required: fc.constantFrom("pass", "refuse", "throw"),
  person: fc.constantFrom<boolean | undefined | "throw" | "absent">(true, false, undefined, "throw", "absent"),
  slots: fc.constantFrom(1, 0),
  tool: fc.constantFrom<"returns" | "throws" | "bad output" | Fault>("returns", "throws", "bad output", ...faults),
  cancelled: fc.boolean(),
});

type Outcomes = typeof outcomes extends fc.Arbitrary<infer T> ? T : never;

async function play(choice: Outcomes): Promise<void> {
  const text = { type: "object", properties: { text: { type: "string" } } } as const;
  const sandbox = fakeSandbox({
    run: () => {
      if (typeof choice.tool === "object") return { ok: false, fault: choice.tool, used: USED };
      if (choice.tool === "throws") return { ok: false, fault: { kind: "unhandled", name: "E", message: "m", stack: "s" }, used: USED };
      return { ok: true, output: choice.tool === "returns" ? { o: "done" } : "nonsense", used: USED };
    },
  });
  const started: string[] = [];
  const ended: boolean[] = [];
  const host = testHost({
    sandbox,
    session: createSession({ id: "s", workspace: WORKSPACE, concurrency: choice.slots, queue: 0 }),
    project: { policy: { default: {}, rules: [{ pattern: "*", ...choice.rule }] } },
    tools: [
      hostTool("say", { inputSchema: text, outputSchema: { type: "string" } }, () => {
        if (choice.tool === "throws") throw new Error("no");
        return choice.tool === "bad output" ? { not: "text" } : "done";
      }),
    ],
    hooks: {
      onToolCall: () => {
        if (choice.onToolCall === "throw") throw new Error("hook");
        return choice.onToolCall === "allow";
      },
      onToolStart: () => {
        if (choice.onToolStart === "throw") throw new Error("hook");
        started.push("start");
      },
      onToolEnd: (_call, result) => {
        ended.push(result.ok);
        if (choice.onToolEnd === "throw") throw new Error("hook");
      },
    },
    dispatch: {
      checkRequired: async (_requires, args) => {
        if (choice.required === "throw") throw new Error("defect");
        return choice.required === "pass" ? { ok: true, args } : { ok: false, error: toolError("fs_denied", "no") };
      },
    },
  });
  const version = pluginVersion("words", { tools: [{ name: "run", inputSchema: text }] });
  host.registry.replaceOwner("words", publishedTools(version));
  host.registry.replaceOwner(
    "off",
    pluginVersion("off").manifest.tools.map((definition) => ({ definition, binding: { kind: "unavailable", reason: "off" } })),
  );

  const stop = new AbortController();
  if (choice.cancelled) stop.abort();
  const { person } = choice;
  const confirm = async (): Promise<boolean | undefined> => {
    if (person === "throw") throw new Error("prompt");
    return typeof person === "boolean" ? person : undefined;
  };
  // Callers may be untyped, so the arguments may have any type.
  const told = await host.call(choice.name, choice.args as never, { signal: stop.signal, ...(person !== "absent" && { confirm }) });
  // The user is absent: the caller was released, and the call waits.
  const [result = told] = told.status === "pending_approval" ? await host.calls.cancel({ callId: told.callId }) : [];

  const terminal = host.events.filter(({ type }) => TERMINAL_EVENT_TYPES.some((one) => one === type));
  expect(terminal).toHaveLength(1);
  expect(host.events.at(-1)).toBe(terminal[0]);
  expect(terminal[0]?.type === "tool.completed").toBe(result.ok);
  expect(ended).toEqual([result.ok]);
  expect(host.types().filter((type) => type === "tool.called").length).toBeLessThanOrEqual(started.length);
  for (const event of host.events) expect(JSON.parse(JSON.stringify(event))).toEqual(event);
  expect(sandbox.leased).toEqual([]);
  expect(host.session.slots.running).toBe(0);
  if (terminal[0]?.type === "tool.input_invalid") expect(result).toMatchObject({ error: { code: "invalid_args" } });
  if (terminal[0]?.type === "tool.denied")
    expect(["permission_denied", "fs_denied", "net_denied"]).toContain(result.ok ? "" : result.error.code);
}

describe("dispatch()", () => {
  it("ends every call with exactly one terminal event and one onToolEnd, whatever the gates and the tool do [AU2, D1, D2]", async () => {
    await fc.assert(fc.asyncProperty(outcomes, play), { numRuns: 1_500 });
  });
});
