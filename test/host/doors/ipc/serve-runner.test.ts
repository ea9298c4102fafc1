import { describe, expect, it } from "vitest";
import { serveRunner } from "../../../../host/doors/ipc/serve-runner.ts";
import { tooLong, toResponse } from "../../../../host/doors/ipc/wire.ts";
import { sendJson } from "../../../../host/doors/send-json.ts";
import { MAX_LINE_BYTES } from "../../../../host/doors/frames.ts";
import { createHost, functionTool, type Host, type HostOptions, type ToolResult } from "../../../../host/mod.ts";
import { createMemoryPair } from "../../../../host/platform/memory/memory-sockets.ts";
import type { HostEvent } from "../../../../host/audit/events.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { hostTool } from "../../../support/tools.ts";

const waits = functionTool(
  (_args, { signal }) => new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("stopped"))),
  {
    name: "waits",
    description: "Waits until it is cancelled",
    sideEffects: [],
  },
);
const boom = functionTool(
  () => {
    throw new Error("the secret of the tool");
  },
  { name: "boom", description: "Throws", sideEffects: [] },
);
const big = functionTool(() => "x".repeat(5_000_000), { name: "big", description: "Answers much", sideEffects: [] });

describe("a runner that disconnects", () => {
  it("is finished only when its calls have ended [I6.dead]", async () => {
    const [near, far] = createMemoryPair();
    const called = Promise.withResolvers<void>();
    const end = Promise.withResolvers<ToolResult>();
    let isOver = false;
    const served = serveRunner({ connection: near, slices: memoryPlatform().slices, call: () => (called.resolve(), end.promise) }).then(
      () => (isOver = true),
    );
    far.send('{"op":"tool_call","tool_call_id":"1","tool":"waits"}');
    await called.promise;
    far.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    await using host = await createHost({ platform: memoryPlatform(), config: false });
    end.resolve(await host.call("none"));
    await served;
  });
});

interface Served {
  readonly host: Host;
  /** Answers that the runner received. */
  readonly answers: JsonObject[];
  readonly events: HostEvent[];
  send(line: unknown): void;
  /** Disconnects the runner. */
  leave(): void;
  readonly over: Promise<void>;
}

async function serve(options: HostOptions = {}, role?: string): Promise<Served> {
  const events: HostEvent[] = [];
  const host = await createHost({
    platform: memoryPlatform({ "a.txt": "one" }),
    config: false,
    tools: [waits, boom, big],
    events: { publish: (event) => void events.push(event) },
    ...options,
  });
  const [near, far] = createMemoryPair();
  const answers: JsonObject[] = [];
  far.onLine((line) => void answers.push(JSON.parse(line) as JsonObject));
  const session = host.session(role === undefined ? {} : { role });
  const served = serveRunner({
    connection: near,
    slices: memoryPlatform().slices,
    call: ({ tool, args }, signal, onYield) =>
      host.call(tool, args, { session, signal, unattended: "refuse", ...(onYield && { onYield }) }),
  });
  const over = served.then(() => host.endSession(session));
  return {
    host,
    answers,
    events,
    send: (line) => far.send(typeof line === "string" ? line : JSON.stringify(line)),
    leave: () => far.close(),
    over,
  };
}

const call = (id: string, tool: string, args: unknown = {}): object => ({ op: "tool_call", tool_call_id: id, tool, args });

describe("sendJson()", () => {
  it("reports a result that is longer than a line [I6.huge]", async () => {
    const [near] = createMemoryPair();
    const options = { slices: memoryPlatform().slices, maxBytes: MAX_LINE_BYTES };
    const resultOf = (characters: number): ToolResult =>
      ({ ok: true, output: "ü".repeat(characters), content: [], durationMs: 1 }) as unknown as ToolResult;
    expect(await sendJson(near, toResponse("1", resultOf(2_200_000)), options)).toBe(false);
    expect(await sendJson(near, toResponse("1", resultOf(2_000_000)), options)).toBe(true);
    expect(JSON.parse(tooLong("1"))).toMatchObject({ tool_call_id: "1", ok: false, error: "resource_exhausted" });
  });
});

describe("serveRunner()", () => {
  it("sends what a tool yields to a runner that asks for it, and content blocks to every runner [AX4.ipc]", async () => {
    const counts = hostTool("counts", {}, async function* () {
      yield await Promise.resolve(1);
      yield { two: 2 };
      return { type: "image" as const, mimeType: "image/png", data: new Uint8Array([1, 2, 3]) };
    });
    const { send, answers } = await serve({ tools: [counts] });
    send({ ...call("plain", "counts"), stream: false });
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBe(1);
    send({ ...call("asked", "counts"), stream: true });
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBe(4);
    const answer = {
      op: "tool_response",
      ok: true,
      result: { type: "image", mimeType: "image/png" },
      content: [{ type: "image", mimeType: "image/png", data: "AQID" }],
      metadata: { duration_ms: expect.any(Number) },
    };
    expect(answers).toEqual([
      { ...answer, tool_call_id: "plain" },
      { op: "tool_yield", tool_call_id: "asked", value: 1 },
      { op: "tool_yield", tool_call_id: "asked", value: { two: 2 } },
      { ...answer, tool_call_id: "asked" },
    ]);
  });

  it("answers a call with its id, result and duration [I6.wire]", async () => {
    const { send, answers } = await serve();
    send(call("abc", "echo", { text: "hi" }));
    await expect
      .poll(() => answers, { timeout: 15_000 })
      .toEqual([
        { op: "tool_response", tool_call_id: "abc", ok: true, result: { text: "hi" }, metadata: { duration_ms: expect.any(Number) } },
      ]);
  });

  it.each<[string, object, HostOptions, Partial<Record<"error" | "message", string>>]>([
    ["permission_denied", call("1", "shell", { command: "ls" }), {}, { error: "permission_denied", message: "disabled by policy" }],
    ["tool_not_found", call("1", "ech", {}), {}, { error: "tool_not_found", message: "Available: [echo" }],
    [
      "tool_not_found without a registry",
      call("1", "echo", {}),
      { registry: null, tools: [] },
      { error: "tool_not_found", message: "Tool 'echo' not found" },
    ],
    ["fs_denied", call("1", "read_file", { path: "../x" }), {}, { error: "fs_denied", message: "Path escapes workspace boundary" }],
    ["invalid_args", call("1", "echo", { text: 1 }), {}, { error: "invalid_args", message: "/text" }],
    ["tool_failed", call("1", "boom", {}), {}, { error: "tool_failed", message: "Tool failed" }],
    [
      "user_denied if no user can be asked",
      call("1", "write_file", { path: "b", content: "" }),
      {},
      { error: "user_denied", message: "needs confirmation" },
    ],
    ["resource_exhausted", call("1", "big"), {}, { error: "resource_exhausted", message: "" }],
  ])("answers %s with its code and its id [I6.slugs, X2]", async (_name, request, options, { error, message = "" }) => {
    const { send, answers } = await serve(options);
    send(request);
    await expect
      .poll(() => answers, { timeout: 15_000 })
      .toMatchObject([{ op: "tool_response", tool_call_id: "1", ok: false, error, message: expect.stringContaining(message) }]);
    expect(JSON.stringify(answers)).not.toContain("secret");
  });

  it.each<[string, string, string | null]>([
    ["no JSON", "{nope", null],
    ["nothing", "", null],
    ["no object", "[1]", null],
    ["no id", '{"op":"tool_call","tool":"echo"}', null],
    ["an invalid id", '{"op":"tool_call","tool_call_id":{},"tool":"echo"}', null],
    ["an id that is too long", JSON.stringify(call("x".repeat(300), "echo")), null],
    ["an unknown op", '{"op":"shutdown","tool_call_id":"9"}', "9"],
    ["no op", '{"tool_call_id":"9","tool":"echo"}', "9"],
    ["no tool", '{"op":"tool_call","tool_call_id":"9"}', "9"],
    ["arguments that are not an object", '{"op":"tool_call","tool_call_id":"9","tool":"echo","args":[1]}', "9"],
    [
      "a document that is too deep",
      `{"op":"tool_call","tool_call_id":"9","tool":"echo","args":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
      null,
    ],
    ["a key __proto__", '{"op":"tool_call","tool_call_id":"9","tool":"echo","args":{"__proto__":{"text":"x"}}}', "9"],
  ])("answers invalid_args to %s, and continues [I6.malformed]", async (_name, line, id) => {
    const { send, answers } = await serve();
    send(line);
    send(call("after", "echo", { text: "hi" }));
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBe(2);
    expect(answers[0]).toMatchObject({ op: "tool_response", tool_call_id: id, ok: false, error: "invalid_args" });
    expect(answers[1]).toMatchObject({ tool_call_id: "after", ok: true });
  });

  it("runs several calls at once and answers each by its id, in the order in which they end [I6.outstanding]", async () => {
    const { send, answers, leave, over } = await serve();
    send(call("slow", "waits"));
    send(call("slow", "echo", { text: "same id" }));
    send(call("quick", "echo", { text: "hi" }));
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBe(2);
    expect(answers[0]).toMatchObject({
      tool_call_id: "slow",
      ok: false,
      error: "invalid_args",
      message: expect.stringContaining("is still open"),
    });
    expect(answers[1]).toMatchObject({ tool_call_id: "quick", ok: true });
    leave();
    await over;
  });

  it("takes 64 calls at once, and more when they have ended [I6.flood]", async () => {
    const { send, answers, leave, over } = await serve();
    for (let n = 0; n < 10_000; n += 1) send(call(String(n), "waits"));
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBe(10_000 - 64);
    expect(new Set(answers.map(({ error }) => error))).toEqual(new Set(["overloaded"]));
    leave();
    await over;
  });

  it("has its own session with its role, which ends with the runner and cancels its calls [I6.session]", async () => {
    const { send, answers, events, leave, over, host } = await serve({}, "reader");
    send(call("1", "waits"));
    await expect.poll(() => events.filter(({ type }) => type === "tool.called").length, { timeout: 15_000 }).toBe(1);
    leave();
    await over;
    const of = events.filter(({ type }) => ["session.opened", "tool.called", "tool.failed", "session.closed"].includes(type)).slice(1);
    expect(of.map(({ type }) => type)).toEqual(["session.opened", "tool.called", "tool.failed", "session.closed"]);
    expect(new Set(of.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(of[0]?.payload).toMatchObject({ role: "reader" });
    expect(of[2]?.payload).toMatchObject({ code: "cancelled" });
    expect(answers).toEqual([]);
    expect(await host.call("echo", { text: "still here" })).toMatchObject({ ok: true });
  });
});
