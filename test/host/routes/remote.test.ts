import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../host/call/call.ts";
import { CALL_ENDPOINTS } from "../../../host/doors/http/call-endpoints.ts";
import { createHttpCalls } from "../../../host/doors/http/calls.ts";
import { createHttpDoor } from "../../../host/doors/http/door.ts";
import { createHttpSessions } from "../../../host/doors/http/sessions.ts";
import type { MemoryAnswer, MemoryRequest } from "../../../host/platform/memory/memory-network.ts";
import { type HttpResponse, type Network, NetworkError } from "../../../host/platform/network/network-types.ts";
import type { CheckedUrl } from "../../../host/platform/proof.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import { createHostExecutor } from "../../../host/routes/host.ts";
import { createRemoteExecutor } from "../../../host/routes/remote.ts";
import { exchangeCall } from "../../../host/routes/remote-exchange.ts";
import { createSecrets } from "../../../host/capabilities/secrets/secrets.ts";
import { createSession } from "../../../host/call/session.ts";
import type { Outcome } from "../../../host/tools/execution.ts";
import type { Tool } from "../../../host/tools/tool.ts";
import type { RemoteConfig, SideEffect } from "../../../manifests/mod.ts";
import { executorSuite } from "../../conformance/executor.ts";
import { toExecute } from "../../support/behaviour.ts";
import { executionOf, routeOptions, type TestExecution } from "../../support/execution.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

/** Runs an exchange whose answer arrives in the given pieces. */
async function exchanged(
  pieces: readonly Uint8Array[],
  onProgress: (value: unknown) => void,
  given: Partial<TestExecution> = {},
): Promise<string> {
  const left = [...pieces].reverse();
  const response: HttpResponse = {
    ...{ status: 200, statusText: "OK", fields: [["content-type", "text/event-stream"]] },
    read: async () => left.pop(),
    close: () => undefined,
  };
  const network = { exchange: async () => response } as unknown as Network;
  // No connection is made: the address is never read.
  const url = new URL(URL_OF_FAR) as unknown as CheckedUrl;
  const signal = new AbortController().signal;
  return await exchangeCall(url, executionOf({ tool: registered(() => null), ...given }), {
    network,
    slices: memoryPlatform().slices,
    signal,
    token: undefined,
    onProgress,
    onYield: () => Promise.resolve(undefined),
  });
}

function piecesOf(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
}

const CALLER = { id: "near", name: "near", scopes: ["call"], isPerson: false } as const;
const URL_OF_FAR = "https://far.example";

const registered = (execute: Tool["execute"], sideEffects: readonly SideEffect[] = []): TestExecution["tool"] =>
  createRegistry({ newId: () => "id" }).register(hostTool("tool", { sideEffects }, execute));

/** Converts an outcome as the far host's door does. */
function toResult(outcome: Outcome, callId: string): ToolResult {
  const { used, filesModified, content = [], metadata = {} } = outcome;
  const base = {
    ...{ callId, tool: "tool", arguments: {}, requiresApproval: false, sideEffects: [], durationMs: 1, limitsUsed: used },
    ...{ filesModified, content, metadata },
  };
  return outcome.ok
    ? { ...base, ok: true, status: "success", output: outcome.output }
    : { ...base, ok: false, status: "error", output: null, error: outcome.error };
}

executorSuite("remote", () => {
  let execute: Tool["execute"] = () => null;
  let begun = 0;
  const platform = memoryPlatform({}, { network: { names: { "far.example": ["93.184.216.34"] }, serve } });
  const far = routeOptions(platform);
  const runFar = createHostExecutor(far);
  const host = {
    definitionsEach: () => [],
    result: () => undefined,
    isReturning: () => Promise.resolve(false),
    call: async (_tool: string, args: unknown, options: Record<string, unknown> = {}) => {
      const { callId, signal, timeoutMs, onProgress } = options as {
        callId: string;
        signal: AbortSignal;
        timeoutMs: number;
        onProgress: () => void;
      };
      const tool = registered((given, context) => {
        begun += 1;
        return execute(given, context);
      });
      // The door passes on JSON.
      const execution = executionOf({
        tool,
        args: args as TestExecution["args"] & {},
        signal,
        limits: { wallMs: timeoutMs },
        call: { onProgress },
      });
      return toResult(await runFar(execution), callId);
    },
    session: () => createSession({ id: "far", workspace: WORKSPACE }),
    endSession: async () => undefined,
    cancelSession: async () => [],
    cancelCall: async () => undefined,
    commit: (callId: string) => Promise.reject(new Error(`Nothing is committed: ${callId}`)),
    readResult: () => undefined,
  };
  const door = createHttpDoor({
    platform,
    server: { allowedHosts: ["far.example"], allowedOrigins: [], limits: {} },
    tokens: { identify: async () => CALLER },
    endpoints: CALL_ENDPOINTS,
    api: { host, platform, sessions: createHttpSessions({ host, platform, most: 1 }), calls: createHttpCalls({ host, platform }) },
  });

  async function serve({ url, method, fields, body }: MemoryRequest): Promise<MemoryAnswer> {
    const headers = new Headers(fields.map(([name, value]): [string, string] => [name, value]));
    const response = await door.fetch(new Request(url, { method, headers, body: new Uint8Array(body) }));
    return { status: response.status, fields: [...response.headers], body: await response.text() };
  }

  const near = routeOptions(platform);
  return {
    execute: createRemoteExecutor({ ...near, secrets: secretsOf(platform), remotes: () => ({ far: { url: URL_OF_FAR } }) }),
    // The far host records the acts on its side; the near one, its request.
    events: far.events,
    advance: platform.advance,
    begun: () => begun,
    execution: (behaviour, { args, signal, wallMs } = {}) => {
      execute = toExecute(behaviour);
      return executionOf({
        tool: registered(() => null),
        ...(args !== undefined && { args }),
        ...(signal && { signal }),
        ...(wallMs !== undefined && { limits: { wallMs } }),
      });
    },
  };
});

function secretsOf(platform: ReturnType<typeof memoryPlatform>): ReturnType<typeof createSecrets> {
  return createSecrets({ platform, sources: () => ({ FAR_TOKEN: { env: "FAR_TOKEN" } }), root: WORKSPACE });
}

/** Creates the route to a far host whose answers the test controls. */
function route(
  answer: (request: MemoryRequest) => MemoryAnswer | Promise<MemoryAnswer>,
  remotes: Readonly<Record<string, RemoteConfig>> = { far: { url: `${URL_OF_FAR}/below/` } },
  names: Readonly<Record<string, readonly string[]>> = { "far.example": ["93.184.216.34"] },
): {
  readonly run: (execution?: Partial<TestExecution>) => Promise<Outcome>;
  readonly requests: MemoryRequest[];
  readonly events: ReturnType<typeof routeOptions>["events"];
  readonly platform: ReturnType<typeof memoryPlatform>;
} {
  const requests: MemoryRequest[] = [];
  const serve = (request: MemoryRequest): MemoryAnswer | Promise<MemoryAnswer> => {
    requests.push(request);
    return answer(request);
  };
  const platform = memoryPlatform({}, { network: { names, serve }, env: { FAR_TOKEN: "the far host's token" } });
  const options = routeOptions(platform);
  const execute = createRemoteExecutor({ ...options, secrets: secretsOf(platform), remotes: () => remotes });
  const run = (execution: Partial<TestExecution> = {}): Promise<Outcome> =>
    execute(executionOf({ tool: registered(() => null), ...execution }));
  return { run, requests, events: options.events, platform };
}

const sse = (...frames: readonly (readonly [string, unknown])[]): MemoryAnswer => ({
  fields: [["content-type", "text/event-stream"]],
  body: frames.map(([event, data]) => `event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`).join(""),
});
const success = (output: unknown): MemoryAnswer => sse(["result", { ok: true, output }]);
const failure = (error: unknown): MemoryAnswer => sse(["result", { ok: false, error }]);

describe("createRemoteExecutor()", () => {
  it("sends the call with its deadline, its trace and the token, and records its target [O3.forward, AU7]", async () => {
    const { run, requests, events } = route(() => success(1), { far: { url: `${URL_OF_FAR}/below/`, token: "FAR_TOKEN" } });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const outcome = await run({ args: { a: 1 }, limits: { wallMs: 1_234 }, call: { callId: "0190-call", traceparent } });
    expect(outcome).toMatchObject({ ok: true, output: 1, metadata: { remote: "far" } });
    const [request] = requests;
    expect([request?.url, request?.method, JSON.parse(new TextDecoder().decode(request?.body))]).toEqual([
      "https://far.example/below/v1/calls",
      "POST",
      { tool: "tool", args: { a: 1 }, timeoutMs: 1_234, wait: true, callId: "0190-call" },
    ]);
    expect(request?.fields).toEqual(
      expect.arrayContaining([
        ["authorization", "Bearer the far host's token"],
        ["traceparent", traceparent],
        // No decompression, so an answer cannot grow.
        ["accept-encoding", "identity"],
      ]),
    );
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([
      ["capability.used", expect.objectContaining({ permission: "net", value: "far.example:443", decision: "granted", rule: "far" })],
    ]);
  });

  it("streams progress back [O3.progress, T4]", async () => {
    const told: unknown[] = [];
    const { run, events } = route(() =>
      sse(["started", {}], ["progress", { step: 1 }], ["progress", "no JSON"], ["result", { ok: true, output: 2 }]),
    );
    expect(await run({ call: { onProgress: (value) => told.push(value) } })).toMatchObject({ ok: true, output: 2 });
    expect(told).toEqual([{ step: 1 }]);
    expect(events.filter(({ type }) => type === "tool.output_delta")).toHaveLength(1);
  });

  it.each<[string, unknown, object]>([
    ["tool_failed", { code: "tool_failed", message: "no" }, { code: "tool_failed", message: "no" }],
    ["execution_error", { code: "execution_error", message: "old" }, { code: "tool_failed", message: "old" }],
    [
      "invalid_args",
      { code: "invalid_args", message: "bad", details: { errors: [1] } },
      { code: "invalid_args", details: { errors: [1] } },
    ],
    ["timeout", { code: "timeout", message: "late" }, { code: "timeout", message: "late" }],
    [
      "fs_denied",
      { code: "fs_denied", message: "x", hint: { command: "rm -rf" } },
      { code: "fs_denied", hint: { text: expect.stringContaining('"far"') } },
    ],
    ["user_denied", { code: "user_denied", message: "x" }, { code: "user_denied" }],
    [
      "tool_not_found",
      { code: "tool_not_found", message: "x" },
      { code: "unavailable", message: expect.stringContaining("tool_not_found: x") },
    ],
    ["cancelled", { code: "cancelled", message: "x" }, { code: "unavailable" }],
    ["approval_required", { code: "approval_required", message: "x" }, { code: "unavailable" }],
    ["internal", { code: "internal", message: "x" }, { code: "unavailable", message: expect.stringContaining("internal: x") }],
    ["a code of its own", { code: "rooted", message: "x" }, { code: "unavailable", message: expect.stringContaining("an unknown error") }],
    ["no error", {}, { code: "unavailable" }],
  ])("translates %s into this host's error [O3.errors, X2]", async (_name, error, expected) => {
    const { run } = route(() => failure(error));
    const outcome = await run();
    expect(outcome).toMatchObject({ ok: false, error: expected });
    expect(JSON.stringify(outcome)).not.toContain("rm -rf");
  });

  it("keeps the content of a failed tool and drops that of a refusal [O3.errors]", async () => {
    const content = [{ type: "text", text: "no", annotations: { priority: 1 } }, { type: "image", data: "AAAA", mimeType: "image/png" }, 7];
    const answered = async (code: string): Promise<unknown> =>
      await route(() => sse(["result", { ok: false, error: { code, message: "no" }, content }])).run();
    expect(await answered("tool_failed")).toMatchObject({ ok: false, content: content.slice(0, 2) });
    expect(await answered("user_denied")).not.toHaveProperty("content");
  });

  it.each<[string, MemoryAnswer, object]>([
    [
      "a redirect",
      { status: 307, fields: [["location", "http://169.254.169.254/"]] },
      { code: "unavailable", message: expect.stringContaining("HTTP 307: redirects are not followed") },
    ],
    [
      "a refusal",
      { status: 401, body: '{"detail":"Send a token\\u001b[2J"}' },
      { code: "unavailable", message: expect.stringContaining("HTTP 401: Send a token [2J") },
    ],
    [
      "a failure",
      { status: 500, body: "<html>" },
      { code: "unavailable", message: expect.stringContaining("HTTP 500: no readable detail") },
    ],
    ["a page", { fields: [["content-type", "text/html"]], body: "<html>" }, { code: "unavailable" }],
    ["no result", sse(["started", {}]), { code: "unavailable", message: expect.stringContaining("the answer ended before the result") }],
    ["a null result", sse(["result", "null"]), { code: "unavailable", message: expect.stringContaining("did not answer with a result") }],
    ["a result that is not JSON", sse(["result", "{"]), { code: "unavailable" }],
    ["a result without a valid ok", sse(["result", { ok: "true", output: 1 }]), { code: "unavailable" }],
    [
      "an output that is too large",
      success("x".repeat(2_000)),
      { code: "resource_exhausted", details: { limit: "outputBytes", allowed: 1_000 } },
    ],
    ["an output that is much too large", success("x".repeat(5_000_000)), { code: "resource_exhausted", details: { limit: "outputBytes" } }],
    [
      "an output that is too deep",
      sse(["result", `{"ok":true,"output":${"[".repeat(90)}${"]".repeat(90)}}`]),
      { code: "resource_exhausted", details: { limit: "jsonDepth" } },
    ],
    ["a million levels", sse(["result", "[".repeat(1_000_000)]), { code: "resource_exhausted", details: { limit: "jsonDepth" } }],
    ["endless noise", { fields: [["content-type", "text/event-stream"]], body: "x".repeat(20_000_000) }, { code: "resource_exhausted" }],
  ])("treats %s as a failure [O3.hostile]", async (_name, answer, error) => {
    const { run, requests } = route(() => answer);
    expect(await run({ limits: { outputBytes: 1_000 } })).toMatchObject({ ok: false, error });
    expect(requests).toHaveLength(1);
  });

  it("ignores a result's claims about the call [O3.hostile]", async () => {
    const lies = {
      callId: "other",
      tool: "other",
      plugin: "other",
      route: "host",
      digest: "0",
      durationMs: -1,
      limitsUsed: { wallMs: -1 },
      decision: { kind: "allow" },
    };
    const { run } = route(() =>
      sse(["result", { ...lies, ok: true, output: 1, commandExecuted: "rm", metadata: { remote: "lie", n: 1 }, filesModified: [1, "a"] }]),
    );
    expect(await run()).toEqual({
      ok: true,
      output: 1,
      used: { wallMs: expect.any(Number) },
      filesModified: ["a"],
      metadata: { remote: "far", n: 1 },
    });
  });

  it("retries only read-only calls that got no answer [O3.retry]", async () => {
    const refuse = (): never => {
      throw new NetworkError("refused", "tcp connect error");
    };
    const attempts = async (
      sideEffects: readonly SideEffect[],
      answer: () => MemoryAnswer,
      destructive = false,
    ): Promise<readonly [number, Outcome]> => {
      const { run, requests, platform } = route(answer);
      let isOver = false;
      const tool = registered(() => null, sideEffects);
      const outcome = run({ tool: { ...tool, definition: { ...tool.definition, destructive } } }).finally(() => (isOver = true));
      await expect.poll(() => (platform.advance(100), isOver)).toBe(true);
      return [requests.length, await outcome];
    };
    expect(await attempts(["read"], refuse)).toMatchObject([
      3,
      { error: { code: "unavailable", message: expect.stringContaining("tcp connect error") } },
    ]);
    expect((await attempts(["write"], refuse))[0]).toBe(1);
    expect((await attempts(["network"], refuse))[0]).toBe(1);
    expect((await attempts(["read"], refuse, true))[0]).toBe(1);
    expect((await attempts(["read"], () => sse(["started", {}])))[0]).toBe(1);
    let isFirst = true;
    const once = (): MemoryAnswer => (isFirst ? ((isFirst = false), refuse()) : success("second"));
    expect(await attempts([], once)).toMatchObject([2, { ok: true, output: "second" }]);
  });

  it("chooses the host that names the tool, else the host for all tools, and says what is missing otherwise [O3.choice, R10.remote]", async () => {
    const named: Record<string, RemoteConfig> = {
      all: { url: "https://all.example" },
      mine: { url: "https://mine.example", tools: ["to*"] },
    };
    const names = { "all.example": ["93.184.216.34"], "mine.example": ["93.184.216.35"] };
    const { run, requests } = route(() => success(1), named, names);
    expect(await run()).toMatchObject({ metadata: { remote: "mine" } });
    expect(requests[0]?.url).toBe("https://mine.example/v1/calls");
    const declared = route(() => success(1), {}, { "own.example": ["93.184.216.36"] });
    const tool = { ...registered(() => null), binding: { kind: "remote", url: "https://own.example" } } as const;
    expect(await declared.run({ tool })).toMatchObject({ ok: true, metadata: { remote: "own.example" } });
    expect(await route(() => success(1), {}).run()).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining('lists no host in "remotes"') },
    });
    const other = { far: { url: URL_OF_FAR, tools: ["other.*"] } };
    expect(await route(() => success(1), other).run()).toMatchObject({ error: { message: expect.stringContaining("none of far") } });
    const secret = { far: { url: URL_OF_FAR, token: "NO_TOKEN" } };
    expect(await route(() => success(1), secret).run()).toMatchObject({
      error: { message: expect.stringContaining('the secret "NO_TOKEN"') },
    });
  });

  it.each([1, 2, 3, 7, 1_000])("assembles frames from pieces of %i bytes [O3.drip]", async (size) => {
    const text = 'event: progress\ndata: {"ä":1}\n\n: beat\n\n\nevent: result\ndata: one\ndata: two\n\nevent: result\ndata: three\n\n';
    const told: unknown[] = [];
    expect(await exchanged(piecesOf(new TextEncoder().encode(text), size), (value) => told.push(value))).toBe("one\ntwo");
    expect(told).toEqual([{ ä: 1 }]);
  });

  it("bounds the amount of progress and the size of a frame [O3.bounded]", async () => {
    let told = 0;
    const progress = new TextEncoder().encode("event: progress\ndata: 1\n\n".repeat(10_005));
    const result = new TextEncoder().encode("event: result\ndata: 2\n\n");
    expect(await exchanged([progress, result], () => (told += 1))).toBe("2");
    expect(told).toBe(10_000);
    const endless = Array.from({ length: 3 }, () => new Uint8Array(512 * 1024).fill(0x78));
    await expect(exchanged([...endless, result], () => undefined, { limits: { outputBytes: 1_000 } })).rejects.toMatchObject({
      error: { code: "resource_exhausted" },
    });
  });

  it("reads a large frame that arrives in tiny pieces [O3.drip]", async () => {
    const large = new TextEncoder().encode(`event: result\ndata: ${"x".repeat(6_000_000)}`);
    const drops = piecesOf(new TextEncoder().encode(`${"y".repeat(4_000)}\n\n`), 1);
    const text = await exchanged([large, ...drops], () => undefined);
    expect(text.length).toBe(6_004_000);
  });

  it("connects only to listed private addresses [O3.addresses, C6]", async () => {
    const names = { "far.example": ["10.0.0.7"] };
    const { run, requests, events } = route(() => success(1), { far: { url: URL_OF_FAR } }, names);
    expect(await run()).toMatchObject({ error: { code: "unavailable", message: expect.stringContaining('"addresses" of remotes.far') } });
    expect([requests.length, events.at(-1)?.type]).toEqual([0, "capability.denied"]);
    expect(await route(() => success(1), { far: { url: URL_OF_FAR, addresses: ["10.0.0.0/8"] } }, names).run()).toMatchObject({ ok: true });
  });
});
