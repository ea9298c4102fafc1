import { describe, expect, it } from "vitest";
import { JsonArgumentText } from "../../../host/call/argument-text.ts";
import type { Hooks } from "../../../host/dispatch/hooks.ts";
import type { Policy } from "../../../host/policy/policy.ts";
import { Revocations } from "../../../host/dispatch/revocations.ts";
import { createSession } from "../../../host/call/session.ts";
import { EMPTY_SNAPSHOT } from "../../../host/tools/snapshot.ts";
import { fakeSandbox, returns } from "../../support/fake-sandbox.ts";
import { allowAllPolicy } from "../../support/allow-all-policy.ts";
import { testHost } from "../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false } as const;

describe.each<[string, Policy | undefined]>([
  ["the project's policy", undefined],
  ["a policy that allows everything", allowAllPolicy],
])("dispatch() with %s [D8]", (_name, policy) => {
  const use = policy && { policy };

  it("runs a tool and returns its output [D1]", async () => {
    const host = testHost({ ...use, tools: [hostTool("say", { inputSchema: TEXT }, (args) => args)] });
    const result = await host.call("say", { text: "hi" }, { callId: "c1" });
    expect(result).toMatchObject({
      callId: "c1",
      tool: "say",
      arguments: { text: "hi" },
      ok: true,
      status: "success",
      output: { text: "hi" },
      requiresApproval: false,
      content: [],
      sideEffects: [],
      filesModified: [],
      route: "host",
      metadata: {},
    });
    expect(host.types()).toEqual(["tool.called", "tool.completed"]);
  });

  it("runs a plugin's tool on the wasm route, and names plugin and version hash [D1, O2]", async () => {
    const host = testHost({ ...use, sandbox: fakeSandbox({ run: returns([1, 2]) }) });
    host.registry.replaceOwner("words", publishedTools(pluginVersion("words")));
    const result = await host.call("words.run");
    expect(result).toMatchObject({
      ok: true,
      output: [1, 2],
      plugin: "words",
      digest: "digest-of-words",
      route: "wasm",
      tool: "words.run",
    });
    expect(host.sandbox.leased).toEqual([]);
  });

  it("reports every problem of invalid arguments, before the tool runs [S3, D1]", async () => {
    let ran = false;
    const schema = { ...TEXT, properties: { text: { type: "string" }, times: { type: "integer" } } } as const;
    const host = testHost({ ...use, tools: [hostTool("say", { inputSchema: schema }, () => (ran = true))] });
    const result = await host.call("say", { text: 1, times: "x" });
    expect(result).toMatchObject({ ok: false, status: "error", output: null, error: { code: "invalid_args", visible: true } });
    if (result.ok) throw new Error("expected a failure");
    expect(result.error.details?.["errors"]).toHaveLength(2);
    expect(ran).toBe(false);
    expect(host.types()).toEqual(["tool.input_invalid"]);
  });

  it("parses arguments from JSON text, and reports the position of a mistake [S3]", async () => {
    const host = testHost({ ...use, tools: [hostTool("say", { inputSchema: TEXT })] });
    expect(await host.call("say", new JsonArgumentText('{"text":"hi"}'))).toMatchObject({ ok: true, output: { text: "hi" } });
    expect(await host.call("say", new JsonArgumentText('{"text":}'))).toMatchObject({
      ok: false,
      arguments: '{"text":}',
      error: { code: "invalid_args", message: "Invalid JSON: unexpected token at position 8" },
    });
  });

  it("fills in defaults and freezes the arguments [S3]", async () => {
    const schema = { type: "object", properties: { times: { type: "integer", default: 2 }, list: { type: "array" } } } as const;
    let frozen: boolean | undefined;
    const host = testHost({
      ...use,
      tools: [
        hostTool("say", { inputSchema: schema }, (args) => {
          frozen = Object.isFrozen(args) && Object.isFrozen((args as { list: unknown }).list);
          return args;
        }),
      ],
    });
    expect(await host.call("say", { list: [1] })).toMatchObject({ ok: true, output: { times: 2, list: [1] } });
    expect(frozen).toBe(true);
  });

  it("validates the output if the tool has an output schema [S3.output]", async () => {
    const host = testHost({ ...use, tools: [hostTool("say", { outputSchema: TEXT }, () => ({ text: 1 }))] });
    expect(await host.call("say")).toMatchObject({ ok: false, error: { code: "invalid_output" } });
    expect(host.types()).toEqual(["tool.called", "tool.failed"]);
  });

  it("lists the available tools, nearest first, for an unknown name [D3]", async () => {
    const host = testHost({ ...use, tools: [hostTool("zebra"), hostTool("word_count"), hostTool("words")] });
    const result = await host.call("wordcount");
    expect(result).toMatchObject({
      ok: false,
      error: { code: "tool_not_found", message: "Tool 'wordcount' not found. Available: [word_count, words, zebra]" },
    });
    expect(host.types()).toEqual(["tool.failed"]);
  });

  it("hides a tool from a session whose role may not see it [R4]", async () => {
    const secret = hostTool("secret", { visibility: { roles: ["admin"] } });
    const noGuests = hostTool("members", { visibility: { notRoles: ["guest"] } });
    const guest = createSession({ id: "g", workspace: WORKSPACE, role: "guest" });
    const admin = createSession({ id: "a", workspace: WORKSPACE, role: "admin" });
    const host = testHost({ ...use, tools: [secret, noGuests, hostTool("open")] });
    expect(await host.call("secret", {}, { session: guest })).toMatchObject({
      error: { code: "tool_not_found", message: "Tool 'secret' not found. Available: [open]" },
    });
    expect(await host.call("secret")).toMatchObject({ error: { code: "tool_not_found" } });
    expect(await host.call("members", {}, { session: guest })).toMatchObject({ error: { code: "tool_not_found" } });
    expect(await host.call("secret", {}, { session: admin })).toMatchObject({ ok: true });
    expect(await host.call("members")).toMatchObject({ ok: true });
  });

  it("answers every call with tool_not_found without a registry [R8]", async () => {
    const host = testHost({ ...use, noRegistry: true });
    expect(await host.call("echo")).toMatchObject({
      ok: false,
      error: { code: "tool_not_found", message: "Tool 'echo' not found. Available: []" },
    });
  });

  it("answers with the reason if a known tool cannot run [R4]", async () => {
    const host = testHost({ ...use });
    const version = pluginVersion("words");
    host.registry.replaceOwner(
      "words",
      version.manifest.tools.map((definition) => ({ definition, binding: { kind: "unavailable", reason: "the plugin is disabled" } })),
    );
    expect(await host.call("words.run")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: "Tool 'words.run' is unavailable: the plugin is disabled" },
    });
  });

  it("finishes on the state it began with, whatever is registered meanwhile [R7, H4]", async () => {
    const host = testHost({ ...use });
    const first = pluginVersion("words", { digest: "first" });
    const second = pluginVersion("words", { digest: "second" });
    let began = (): void => {};
    const started = new Promise<void>((resolve) => (began = resolve));
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    host.sandbox.guests.set("run", async (invocation) => {
      began();
      await gate;
      return returns(invocation.digest)(invocation);
    });
    host.registry.replaceOwner("words", publishedTools(first));
    const running = host.call("words.run");
    await started;
    host.registry.replaceOwner("words", publishedTools(second));
    finish();
    expect(await running).toMatchObject({ ok: true, output: "first", digest: "first" });
    expect(await host.call("words.run")).toMatchObject({ ok: true, output: "second", digest: "second" });
  });

  it("refuses an argument outside of the workspace before the call runs, without asking [C5]", async () => {
    const reader = hostTool("reader", {
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      sideEffects: ["read"],
      requires: [{ capability: "read", arg: "path" }],
    });
    const strict: Policy = policy ?? (undefined as never);
    if (policy !== undefined) {
      // Everything is granted, so no path is outside.
      expect(await testHost({ policy: strict, tools: [reader] }).call("reader", { path: "/" })).toMatchObject({ ok: true });
      return;
    }
    const host = testHost({ tools: [reader] });
    expect(await host.call("reader", { path: "../../etc/passwd" })).toMatchObject({
      ok: false,
      error: { code: "fs_denied", message: "Path escapes workspace boundary" },
    });
    expect(host.types()).toEqual(["tool.denied"]);
  });

  it("answers internal for a defect in the host, with the details only in the log [D1, X4]", async () => {
    const host = testHost({
      ...use,
      tools: [hostTool("say")],
      dispatch: {
        quotas: {
          check() {
            throw new Error("secret detail");
          },
          begin: () => expect.unreachable(),
        },
      },
    });
    expect(await host.call("say", {}, { callId: "c9" })).toMatchObject({
      ok: false,
      error: { code: "internal", message: "Internal error", details: { callId: "c9" }, visible: false },
    });
    expect(
      host.platform.recorded.log.some(({ level, fields }) => level === "error" && String(fields["error"]).includes("secret detail")),
    ).toBe(true);
    expect(host.types()).toEqual(["tool.failed"]);
  });

  it.each([-1, 0, Number.NaN, -Infinity])("refuses a timeout of %s milliseconds before anything runs [T2]", async (timeoutMs) => {
    const host = testHost({ tools: [hostTool("say")] });
    const message = `Invalid call option "timeoutMs": ${timeoutMs} is not a duration (give milliseconds above 0, or leave it out)`;
    expect(await host.call("say", {}, { timeoutMs })).toMatchObject({ ok: false, error: { code: "invalid_args", message } });
    expect(host.types()).toEqual(["tool.input_invalid"]);
  });

  it("lowers a timeout above the limit to the limit [T2]", async () => {
    const host = testHost({ tools: [hostTool("say")] });
    const result = await host.call("say", {}, { timeoutMs: Infinity });
    expect(result).toMatchObject({ ok: true, decision: { limits: { wallMs: 600_000 } } });
  });

  it("survives arguments that are not JSON [D1]", async () => {
    const host = testHost({ ...use, tools: [hostTool("say")] });
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    // Untyped callers can pass anything.
    expect(await host.call("say", loop as never)).toMatchObject({ ok: false, arguments: null, error: { code: "invalid_args" } });
    expect(await host.call("say", { when: 1n } as never)).toMatchObject({ ok: false, error: { code: "invalid_args" } });
  });
});

describe("dispatch()", () => {
  it("does not run a denied call, and names the rule [D1, D6]", async () => {
    let ran = false;
    const host = testHost({
      tools: [hostTool("say", {}, () => (ran = true))],
      project: { policy: { rules: [{ tool: "say", allow: false }] } },
    });
    expect(await host.call("say")).toMatchObject({
      ok: false,
      error: { code: "permission_denied", message: "Permission denied: tool 'say' is disabled by policy" },
      decision: { kind: "deny", because: { layer: "rule", rule: "tool say" } },
    });
    expect(ran).toBe(false);
    expect(host.types()).toEqual(["tool.denied"]);
    expect(host.events[0]?.payload).toMatchObject({
      code: "permission_denied",
      errorClass: "permission_denied",
      arguments: {},
      decision: { kind: "deny" },
    });
  });

  it("includes route, grant, limits and the deciding rule in result and event [D6]", async () => {
    const host = testHost({ tools: [hostTool("say")], project: { policy: { rules: [{ tool: "say", limits: { wallMs: 1_000 } }] } } });
    const result = await host.call("say");
    const decision = { kind: "allow", route: "host", limits: { wallMs: 1_000 }, because: { layer: "default", rule: "default" } };
    expect(result.decision).toMatchObject(decision);
    expect(result.decision?.grants?.map(({ layer }) => layer)).toEqual(["builtin", "class", "protected names"]);
    expect(host.events[0]?.payload).toMatchObject({
      tool: "say",
      arguments: {},
      sideEffects: [],
      source: "function",
      route: "host",
      decision,
      caller: "direct",
    });
  });

  it("checks arguments before policy, and policy before resources [D1.order]", async () => {
    const tool = hostTool("say", {
      inputSchema: { ...TEXT, properties: { text: { type: "string" } } },
      requires: [{ capability: "read", arg: "text" }],
      sideEffects: ["read"],
    });
    const host = testHost({ tools: [tool], project: { policy: { rules: [{ tool: "say", allow: false }] } } });
    expect(await host.call("say", { text: 1 })).toMatchObject({ error: { code: "invalid_args" } });
    expect(await host.call("say", { text: "/etc/passwd" })).toMatchObject({ error: { code: "permission_denied" } });
  });

  it("does not list denied or unavailable tools after a misspelled name [D3]", async () => {
    const host = testHost({
      tools: [hostTool("alpha"), hostTool("beta")],
      project: { policy: { rules: [{ tool: "beta", allow: false }] } },
    });
    expect(await host.call("gamma")).toMatchObject({ error: { message: "Tool 'gamma' not found. Available: [alpha]" } });
  });

  it("lists at most 5 names, and the command that lists all of them [D3.cap]", async () => {
    const host = testHost({
      tools: Array.from({ length: 30 }, (_, index) => hostTool(`tool_${String.fromCharCode(97 + (index % 26))}${index}`)),
    });
    const result = await host.call("nothing");
    if (result.ok) throw new Error("expected a failure");
    expect(result.error.details?.["available"]).toHaveLength(5);
    expect(result.error.message).toMatch(
      /^Tool 'nothing' not found\. Available: \[.*\] and 25 more \(bascule list --all shows all tools\)$/u,
    );
  });

  it("refuses arguments above the limit before parsing them [S3.size]", async () => {
    const host = testHost({
      tools: [hostTool("say")],
      project: { policy: { rules: [{ tool: "say", limits: { argumentBytes: 100, jsonDepth: 4 } }] } },
    });
    const long = JSON.stringify({ text: "x".repeat(200) });
    expect(await host.call("say", new JsonArgumentText(long))).toMatchObject({ error: { code: "invalid_args" } });
    expect(await host.call("say", JSON.parse(long))).toMatchObject({ error: { code: "invalid_args" } });
    expect(await host.call("say", new JsonArgumentText("[[[[[1]]]]]"))).toMatchObject({ error: { code: "invalid_args" } });
    expect(await host.call("say", { a: { b: { c: 1 } } })).toMatchObject({ ok: true });
  });

  it("takes neither a slot nor time while it waits for a confirmation [D4, E1]", async () => {
    const session = createSession({ id: "s", workspace: WORKSPACE, concurrency: 1 });
    const writer = hostTool("writer", { sideEffects: ["write"] });
    const host = testHost({ tools: [writer, hostTool("say")], session });
    let answer: ((agreed: boolean) => void) | undefined;
    const waiting = host.call("writer", {}, { timeoutMs: 50, confirm: () => new Promise<boolean>((resolve) => (answer = resolve)) });
    expect(await host.call("say")).toMatchObject({ ok: true });
    await expect.poll(() => answer).toBeDefined();
    host.platform.advance(10_000);
    answer?.(true);
    expect(await waiting).toMatchObject({ ok: true });
  });

  it("answers a call that is cancelled while it waits for a slot [D4]", async () => {
    const session = createSession({ id: "s", workspace: WORKSPACE, concurrency: 1 });
    let finish = (): void => {};
    const gate = new Promise<void>((resolve) => (finish = resolve));
    const host = testHost({ session, tools: [hostTool("slow", {}, async () => (await gate, null)), hostTool("say")] });
    const slow = host.call("slow");
    const stop = new AbortController();
    const waiting = host.call("say", {}, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ ok: false, error: { code: "cancelled" } });
    finish();
    expect(await slow).toMatchObject({ ok: true });
    expect(session.slots).toMatchObject({ running: 0, waiting: 0 });
  });
});

describe("hooks", () => {
  function recording(overrides: Hooks = {}): { readonly hooks: Hooks; readonly fired: string[] } {
    const fired: string[] = [];
    const hooks: Hooks = {
      onToolCall: (call) => {
        fired.push(`call ${call.tool}`);
      },
      onToolStart: (call) => void fired.push(`start ${call.tool}`),
      onToolEnd: (call, result) => void fired.push(`end ${call.tool} ${result.ok}`),
      ...overrides,
    };
    return { hooks, fired };
  }

  it("are called once each around a call that runs [D2]", async () => {
    const { hooks, fired } = recording();
    await testHost({ tools: [hostTool("say")], hooks }).call("say");
    expect(fired).toEqual(["call say", "start say", "end say true"]);
  });

  it("do not start a refused call, and end every call [D2]", async () => {
    const { hooks, fired } = recording();
    await testHost({ hooks }).call("missing");
    expect(fired).toEqual(["call missing", "end missing false"]);
  });

  it("refuse a call before the tool is looked up [D2]", async () => {
    const { hooks, fired } = recording({ onToolCall: () => ({ refuse: "not today" }) });
    const host = testHost({ tools: [hostTool("say")], hooks });
    expect(await host.call("say")).toMatchObject({
      error: {
        code: "permission_denied",
        message: "Permission denied: tool 'say' is refused by a hook: not today",
        details: { reason: "hook" },
      },
    });
    expect(fired).toEqual(["end say false"]);
    expect(host.types()).toEqual(["tool.denied"]);
  });

  it.each(["onToolCall", "onToolStart"] as const)("that throw in %s refuse the call and are logged [D2]", async (name) => {
    const host = testHost({ tools: [hostTool("say")], hooks: { [name]: () => Promise.reject(new Error("broken hook")) } });
    expect(await host.call("say")).toMatchObject({ error: { code: "permission_denied", details: { reason: "hook" } } });
    expect(host.platform.recorded.log.map(({ message }) => message)).toEqual([`The ${name} hook threw`]);
    expect(host.types()).toEqual(["tool.denied"]);
  });

  it("that throw at the end are only logged [D2]", async () => {
    const host = testHost({ tools: [hostTool("say")], hooks: { onToolEnd: () => Promise.reject(new Error("broken hook")) } });
    expect(await host.call("say")).toMatchObject({ ok: true });
    expect(host.platform.recorded.log.map(({ message }) => message)).toEqual(["The onToolEnd hook threw"]);
  });
});

describe("a call whose permission is revoked", () => {
  it("does not start if it is still waiting [C2.revoked]", async () => {
    let runs = 0;
    const none: Policy = {
      ...allowAllPolicy,
      decide: () => ({ kind: "deny", by: "policy", because: { layer: "late", rule: "deny all" } }),
    };
    const sources = { policy: allowAllPolicy, registry: EMPTY_SNAPSHOT };
    const revocations = new Revocations(() => sources);
    const hooks: Hooks = {
      onToolStart() {
        sources.policy = none;
        revocations.recheck();
      },
    };
    const host = testHost({ policy: allowAllPolicy, tools: [hostTool("say", {}, () => ++runs)], hooks, dispatch: { revocations } });
    expect(await host.call("say")).toMatchObject({
      ok: false,
      error: { code: "permission_denied", details: { reason: "revoked" }, message: expect.stringContaining("(late: deny all)") },
    });
    expect([runs, host.types(), host.session.slots.running]).toEqual([0, ["tool.called", "tool.failed"], 0]);
  });

  it("is decided a bounded number of times, even if every decision differs from the last [D4.revoked]", async () => {
    let runs = 0;
    let decisions = 0;
    const policy: Policy = {
      ...allowAllPolicy,
      decide(tool, call) {
        const decision = allowAllPolicy.decide(tool, call);
        decisions += 1;
        return decision.kind === "deny" ? decision : { ...decision, limits: { ...decision.limits, wallMs: decisions } };
      },
    };
    const host = testHost({ policy, tools: [hostTool("say", {}, () => ++runs)] });
    expect(await host.call("say")).toMatchObject({
      ok: false,
      error: {
        code: "unavailable",
        message: "Tool 'say' is unavailable: its permissions changed every time it got a slot",
      },
    });
    expect([runs, decisions, host.session.slots.running]).toEqual([0, 5, 0]);
  });
});
