/** Operations of a host: each kind of call and each door, by name. */

import { main } from "../../../host/doors/cli/main.ts";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { openHostServer } from "../../../host/doors/http/server.ts";
import { createHttpTokens, hashOf } from "../../../host/doors/http/tokens.ts";
import { type RunnerDoorOptions, serveRunner } from "../../../host/doors/ipc/serve-runner.ts";
import { createMcpHandler, serveMcpLines } from "../../../host/doors/mcp/mod.ts";
import { openSocketDoor } from "../../../host/doors/socket/socket.ts";
import { connectToHost } from "../../../host/doors/socket/socket-client.ts";
import type { CallOptions } from "../../../host/mod.ts";
import { DEFAULT_PROJECT } from "../../../manifests/mod.ts";
import type { MeasureOptions, Operation } from "./measure.ts";
import { createMemoryPair, lines, startWorld, type World } from "./world.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

export interface Scenario extends MeasureOptions {
  readonly name: string;
  readonly start: () => Promise<Operation>;
  /** Higher bounds for operations whose measurement is noisy: whole hosts, megabytes of output. */
  readonly allowedBytes?: number;
}

const QUICK = { warm: 300, each: 200 };
const SLOW = { warm: 30, each: 20 };
/** A server keeps the last thousand of some records. */
const REMEMBERED = { warm: 1_100, each: 100 };

type Act = (env: World, index: number) => Promise<unknown>;

function onWorld(act: Act): () => Promise<Operation> {
  return async () => {
    const env = await startWorld();
    return { run: (index) => act(env, index), level: env.level, close: () => env.host.close() };
  };
}

/** Checks the result of a call: an operation that fails unexpectedly would measure something else. */
function calling(tool: string, comesTo: string, options: () => CallOptions = () => ({})): Act {
  return async ({ host }) => {
    const result = await host.call(tool, {}, options());
    const came = result.ok ? "ok" : result.error.code;
    if (came !== comesTo) throw new Error(`${tool} ended as ${came}: ${JSON.stringify(result.ok ? result.output : result.error)}`);
  };
}

const KINDS: readonly Scenario[] = [
  { name: "a call that succeeds", ...QUICK, start: onWorld(calling("plain.ok", "ok")) },
  { name: "a call that fails", ...QUICK, start: onWorld(calling("plain.fails", "tool_failed")) },
  { name: "a call that is refused something", ...QUICK, start: onWorld(calling("plain.denied", "tool_failed")) },
  { name: "a call of no tool", ...QUICK, start: onWorld(calling("plain.none", "tool_not_found")) },
  { name: "a call that logs", ...QUICK, start: onWorld(calling("plain.logs", "ok")) },
  { name: "a call with progress", ...QUICK, start: onWorld(calling("plain.progress", "ok", () => ({ onProgress: () => undefined }))) },
  { name: "a call that times out", ...SLOW, start: onWorld(calling("plain.loops", "timeout", () => ({ timeoutMs: 5 }))) },
  {
    name: "a call that is cancelled",
    ...SLOW,
    start: onWorld(calling("plain.waits", "cancelled", () => ({ signal: AbortSignal.timeout(2) }))),
  },
  { name: "a call that answers much", allowedBytes: 50_000, ...SLOW, start: onWorld(calling("plain.big", "ok")) },
  { name: "a chain of calls", ...SLOW, start: onWorld(calling("plain.chained", "ok")) },
  { name: "a dry run", ...SLOW, start: onWorld(calling("plain.writes", "ok", () => ({ dryRun: true }))) },
  {
    name: "a session with state",
    ...SLOW,
    start: onWorld(async (env) => {
      const session = env.host.session();
      await calling("stateful.ok", "ok", () => ({ session }))(env, 0);
      await env.host.endSession(session);
    }),
  },
  {
    name: "an unanswered confirmation",
    ...REMEMBERED,
    start: onWorld(async (env, index) => {
      await calling("asked", "approval_required", () => ({ callId: `asked-${index}` }))(env, index);
      env.platform.advance(HOUR_MS);
      await new Promise<void>((resolve) => setImmediate(resolve));
      const { error } = env.host.result(`asked-${index}`) as { readonly error?: { readonly code: string } };
      if (error?.code !== "confirmation_timeout") throw new Error(`It ended with ${error?.code}`);
    }),
  },
  {
    name: "a plugin that is reloaded",
    // Some hundred reloads fill the records that are bounded by number.
    warm: 300,
    each: 60,
    start: onWorld(async ({ host, platform }, index) => {
      platform.plant("/workspace/plugins/stateful/main.ts", `export function ok() { return ${index}; }`);
      await host.reload();
      const { output } = await host.call("stateful.ok", {});
      if (output !== index) throw new Error(`The reloaded plugin answered ${JSON.stringify(output)}`);
    }),
  },
  {
    name: "a subscriber that comes and goes",
    ...QUICK,
    start: onWorld(async ({ host }) => {
      const stop = host.subscribe(() => undefined);
      await host.call("echo", { text: "x" });
      stop();
    }),
  },
];

const HOUR_MS = 3_600_000;
const ECHO = { name: "echo", arguments: { text: "x" } };

const DOORS: readonly Scenario[] = [
  {
    name: "a client of the socket",
    ...REMEMBERED,
    async start() {
      const { host, platform, level } = await startWorld();
      // One client of the program, for as long as it runs.
      const { signal } = new AbortController();
      const stateDirectory = "/workspace/.bascule";
      const door = await openSocketDoor({
        platform,
        stateDirectory,
        open: () =>
          createOperations({
            host,
            files: platform.files,
            slices: platform.slices,
            session: host.session(),
            about: { version: "0", pid: 1 },
          }),
      });
      return {
        level,
        async run() {
          const remote = await connectToHost(platform, stateDirectory);
          const result = await remote?.operations.call({ tool: "echo", args: { text: "x" } }, { signal });
          if (result?.ok !== true) throw new Error(`The socket answered ${JSON.stringify(result)}`);
          remote?.close();
        },
        close: () => Promise.all([door.close(), host.close()]),
      };
    },
  },
  {
    name: "a program on the line protocol",
    ...REMEMBERED,
    start: onWorld(async ({ host }, index) => {
      const [near, far] = createMemoryPair();
      const session = host.session();
      const call: RunnerDoorOptions["call"] = ({ tool, args }, signal) => host.call(tool, args, { session, signal });
      const served = serveRunner({ connection: near, slices: memoryPlatform().slices, call });
      const peer = lines(far);
      const heard = peer.heard("tool_response");
      peer.send(JSON.stringify({ op: "tool_call", tool_call_id: String(index), tool: "echo", args: { text: "x" } }));
      await heard;
      peer.close();
      await served;
      await host.endSession(session);
    }),
  },
  {
    name: "a client of MCP over lines",
    ...REMEMBERED,
    start: onWorld(async ({ host, platform }) => {
      const [near, far] = createMemoryPair();
      const serving = serveMcpLines(near, { host, platform });
      const peer = lines(far);
      const opened = peer.heard('"id":1');
      peer.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE }));
      await opened;
      peer.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
      const answered = peer.heard('"id":2');
      peer.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: ECHO }));
      await answered;
      peer.close();
      await serving.close();
    }),
  },
  {
    name: "a session of MCP over HTTP",
    ...REMEMBERED,
    async start() {
      const { host, platform, level } = await startWorld();
      const handler = createMcpHandler({ host, platform });
      const send = async (method: string, body?: object, id?: string): Promise<Response> =>
        await handler.fetch(
          new Request("http://localhost/mcp", {
            method,
            headers: {
              ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
              ...(id !== undefined && { "mcp-session-id": id, "mcp-protocol-version": INITIALIZE.protocolVersion }),
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          }),
        );
      return {
        level,
        async run() {
          const opened = await send("POST", { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE });
          await opened.text();
          const id = opened.headers.get("mcp-session-id") ?? "";
          await (await send("POST", { jsonrpc: "2.0", method: "notifications/initialized" }, id)).text();
          const answer = await (await send("POST", { jsonrpc: "2.0", id: 2, method: "tools/call", params: ECHO }, id)).text();
          if (!answer.includes('"id":2')) throw new Error(`MCP answered ${answer}`);
          if ((await send("DELETE", undefined, id)).status !== 200) throw new Error("The session was not deleted");
        },
        close: () => Promise.all([handler.close(), host.close()]),
      };
    },
  },
  {
    name: "a call over HTTP",
    ...QUICK,
    start: () => overHttp(async (ask) => await (await ask("/v1/calls", { tool: "echo", arguments: { text: "x" } })).text()),
  },
  {
    name: "a session over HTTP",
    ...REMEMBERED,
    start: () =>
      overHttp(async (ask) => {
        const { sessionId } = (await (await ask("/v1/sessions", {})).json()) as { readonly sessionId: string };
        await (await ask(`/v1/sessions/${sessionId}`, undefined, "DELETE")).text();
      }),
  },
  {
    name: "a stream of events over HTTP",
    ...REMEMBERED,
    start: () =>
      overHttp(async (ask) => {
        const stream = await ask("/v1/events");
        if (stream.status !== 200) throw new Error(`The stream answered ${stream.status}`);
        await (await ask("/v1/calls", { tool: "echo", arguments: { text: "x" } })).text();
        await stream.body?.cancel();
      }),
  },
  {
    name: "a command",
    allowedBytes: 20_000,
    warm: 20,
    each: 10,
    async start() {
      const { host, platform, level } = await startWorld();
      // The memory platform keeps everything that was written.
      const terminal = { ...platform.terminal, out: () => undefined, error: () => undefined };
      return {
        level,
        async run() {
          const code = await main(["call", "echo", "text=x"], { ...platform, terminal });
          if (code !== 0) throw new Error(`The command ended with ${code}`);
        },
        close: () => host.close(),
      };
    },
  },
];

const INITIALIZE = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

type Ask = (path: string, body?: object, method?: string) => Promise<Response>;

async function overHttp(act: (ask: Ask) => Promise<unknown>): Promise<Operation> {
  // A journal in memory keeps its records, as a file does.
  const { host, platform, level } = await startWorld({ events: { store: false } });
  const token = { name: "all", sha256: await hashOf("token"), scopes: ["call", "admin"] as const };
  const server = await openHostServer({
    ...{ platform, host, tokens: createHttpTokens({ ...platform, tokens: () => [token] }), mounts: [], about: { version: "0", pid: 1 } },
    server: { ...DEFAULT_PROJECT.server, host: "127.0.0.1", port: 7_420 },
  });
  const ask: Ask = async (path, body, method = body === undefined ? "GET" : "POST") =>
    await platform.http.request(
      new Request(`http://127.0.0.1:7420${path}`, {
        method,
        headers: { authorization: "Bearer token", ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      server.port,
    );
  return { run: () => act(ask), level, close: () => Promise.all([server.close(), host.close()]) };
}

/** A planted leak, which must be found; otherwise the measurement is worthless. */
export const PLANTED: Scenario = {
  name: "a planted leak",
  ...QUICK,
  start: onWorld(async ({ host }) => {
    const held = Array.from({ length: 64 }, () => 0.5);
    host.subscribe(() => void held.length);
    await host.call("echo", { text: "x" });
  }),
};

export const SCENARIOS: readonly Scenario[] = [...KINDS, ...DOORS];
