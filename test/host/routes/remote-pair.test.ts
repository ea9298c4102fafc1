/** Two hosts on two ports of this machine, and servers that are not hosts (SPEC O3). */

import { type AddressInfo, createServer, type Socket } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { openHostServer } from "../../../host/doors/http/server.ts";
import { createHttpTokens } from "../../../host/doors/http/tokens.ts";
import { createHost } from "../../../host/host/host.ts";
import type { Host } from "../../../host/host/host-interface.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import type { Log, Platform } from "../../../host/platform/platform.ts";
import type { ToolFactory } from "../../../host/tools/tool.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import { configOf } from "../../support/http-door.ts";
import { hostTool } from "../../support/tools.ts";

const TOKEN = "the-token-of-the-far-host-which-is-long";
const real = currentPlatform({ log: { level: "error" } });
const ends: (() => Promise<void>)[] = [];
/** The far host logs the errors of its tools; the test output does not need them. */
const silent: Log = { write: () => undefined, child: () => silent };

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a far host that serves the given tools. */
async function farHost(
  tools: readonly ToolFactory[],
  project: JsonObject = {},
): Promise<{ readonly url: string; readonly host: Host; end(): Promise<void> }> {
  const workspace = await mkdtemp(join(tmpdir(), "bascule-far-"));
  const host = await createHost({ platform: real, logger: silent, config: project, workspace, tools, events: { store: false } });
  const near = await configOf("near", TOKEN, ["call"]);
  const tokens = createHttpTokens({ ...real, tokens: () => [near] });
  const server = await openHostServer({
    ...{ platform: real, host, tokens },
    about: { version: "0", pid: 1 },
    server: { tokens: [], allowedHosts: [], allowedOrigins: [], limits: {}, host: "127.0.0.1", port: 0 },
  });
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> =>
    (ending ??= (async () => {
      await Promise.all([server.close(), host.close()]);
      await rm(workspace, { recursive: true, force: true });
    })());
  ends.push(end);
  return { url: server.url, host, end };
}

/** Starts a near host whose tools are routed to `url`. */
async function nearHost(
  url: string,
  names: readonly string[],
  project: JsonObject = {},
): Promise<{ readonly host: Host; readonly events: HostEvent[] }> {
  const workspace = await mkdtemp(join(tmpdir(), "bascule-near-"));
  const platform: Platform = { ...real, environment: { ...real.environment, get: (name) => (name === "FAR" ? TOKEN : undefined) } };
  const events: HostEvent[] = [];
  const host = await createHost({
    platform,
    workspace,
    config: {
      remotes: { far: { url, token: "FAR" } },
      secrets: { FAR: { env: "FAR" } },
      policy: { rules: names.map((tool) => ({ tool, route: "remote" })) },
      ...project,
    },
    tools: names.map((name) => hostTool(name, {}, () => "ran here")),
    events: { store: false, publish: (event) => events.push(event) },
  });
  ends.push(async () => {
    await host.close();
    await rm(workspace, { recursive: true, force: true });
  });
  return { host, events };
}

/** Starts a server that is not a host; `behave` answers each connection. */
async function strangeServer(behave: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => behave(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
const RESULT = 'event: result\ndata: {"ok":true,"output":1}\n\n';

describe("a pair of hosts", () => {
  it("runs a call on the far host as if here: output, errors, progress, one terminal event on each side [O3.pair]", async () => {
    const steps = hostTool("steps", {}, (args, context) => {
      context.progress("half");
      return { args, workspace: context.workspacePath };
    });
    const far = await farHost([steps, hostTool("broken", {}, () => Promise.reject(new Error("a far secret")))]);
    const { host, events } = await nearHost(far.url, ["steps", "broken", "missing"]);
    const told: unknown[] = [];
    const result = await host.call("steps", { a: 1 }, { onProgress: (value) => told.push(value) });
    expect(result).toMatchObject({
      ok: true,
      route: "remote",
      tool: "steps",
      output: { args: { a: 1 }, workspace: expect.stringContaining("bascule-far-") },
    });
    expect(told).toEqual(["half"]);
    expect(await host.call("broken")).toMatchObject({ ok: false, error: { code: "tool_failed", message: "Tool failed" } });
    expect(await host.call("missing")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("tool_not_found") },
    });
    const own = events.filter(({ callId }) => callId === result.callId).map(({ type }) => type);
    expect(own).toEqual(["tool.called", "capability.used", "tool.output_delta", "tool.completed"]);
    expect(far.host.result(result.callId)).toMatchObject({ ok: true });
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it("lets each side refuse a call by its own policy [O3.policy]", async () => {
    const far = await farHost([hostTool("here"), hostTool("there")], { policy: { rules: [{ tool: "there", allow: false }] } });
    const { host } = await nearHost(far.url, ["here", "there"], {
      policy: {
        rules: [
          { tool: "here", allow: false },
          { tool: "there", route: "remote" },
        ],
      },
    });
    expect(await host.call("here")).toMatchObject({
      error: { code: "permission_denied", message: "Permission denied: tool 'here' is disabled by policy" },
    });
    expect(await host.call("there")).toMatchObject({
      error: { code: "permission_denied", hint: { text: expect.stringContaining('"far" refuses it') } },
    });
    const stranger = await nearHost(far.url, ["there"], { secrets: { FAR: { env: "NOT_SET" } } });
    expect(await stranger.host.call("there")).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining('the secret "FAR"') },
    });
  });

  it("passes a cancellation and a deadline to the far host [O3.cancel, T3]", async () => {
    let begun = 0;
    const ended: string[] = [];
    const wait = hostTool("wait", {}, (_args, { signal }) => {
      begun += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          ended.push(String((signal.reason as Error).name));
          reject(new Error("stopped"));
        });
      });
    });
    const far = await farHost([wait]);
    const { host } = await nearHost(far.url, ["wait"]);
    const stop = new AbortController();
    const cancelled = host.call("wait", {}, { signal: stop.signal });
    await expect.poll(() => begun).toBe(1);
    stop.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await expect.poll(() => ended).toEqual(["AbortError"]);
    expect(await host.call("wait", {}, { timeoutMs: 300 })).toMatchObject({
      ok: false,
      error: { code: "timeout", message: "Tool exceeded 0.3s wall time limit" },
    });
    await expect.poll(() => ended.length).toBe(2);
  });

  it("reports a far host that is killed during a call and does not retry [O3.killed]", async () => {
    let calls = 0;
    const url = await strangeServer((socket) => {
      calls += 1;
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n:\r\n`, () => socket.destroy());
    });
    const { host } = await nearHost(url, ["gone"]);
    expect(await host.call("gone")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("after the call had begun there") },
    });
    expect(calls).toBe(1);
    const far = await farHost([hostTool("gone")]);
    await far.end();
    const late = await nearHost(far.url, ["gone"]);
    expect(await late.host.call("gone")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("refused") },
    });
  });

  it.each<[string, string, object]>([
    ["a length that is too long", `${HEAD}Content-Length: 1000\r\n\r\n${RESULT.slice(0, 20)}`, { code: "unavailable" }],
    ["a length that is too short", `${HEAD}Content-Length: 10\r\n\r\n${RESULT}`, { code: "unavailable" }],
    ["an invalid length", `${HEAD}Content-Length: many\r\n\r\n${RESULT}`, { code: "unavailable" }],
    ["malformed chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${RESULT}`, { code: "unavailable" }],
    ["another protocol", "SSH-2.0-OpenSSH_9.9\r\n", { code: "unavailable" }],
    ["a head without an end", `${HEAD}${"X: y\r\n".repeat(10_000)}`, { code: "unavailable" }],
    ["a bomb", `${HEAD}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbomb`, { code: "unavailable" }],
  ])("treats %s as a failure [O3.hostile]", async (_name, answer, error) => {
    const url = await strangeServer((socket) => socket.end(answer));
    const { host } = await nearHost(url, ["strange"]);
    expect(await host.call("strange")).toMatchObject({ ok: false, error });
  });

  it("waits for a slow host no longer than the deadline [O3.slow]", async () => {
    const slow = await strangeServer((socket) => void socket.write(`${HEAD}Content-Length: 1000\r\n\r\nevent: res`));
    const silent = await strangeServer(() => undefined);
    for (const url of [slow, silent]) {
      const { host } = await nearHost(url, ["slow"]);
      expect(await host.call("slow", {}, { timeoutMs: 200 })).toMatchObject({
        ok: false,
        error: { code: "timeout", message: "Tool exceeded 0.2s wall time limit" },
      });
    }
  });
});
