/**
 * A small program that embeds a host: only the call that its last statement awaits keeps it alive.
 *
 * Its arguments: the name of a case, a folder to work in, and a port of the test. It prints the code of the call's result.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import workerThreads, { type WorkerOptions } from "node:worker_threads";
import type { Host, HostOptions } from "../../../host/mod.ts";

// Forty of these programs load the host, which a bundle makes twice as fast.
const BUNDLE = process.env["BUNDLE"];
const LIBRARY = BUNDLE === undefined ? "../../../host/mod.ts" : pathToFileURL(join(BUNDLE, "mod.js")).href;
// Either of them exports what the sources do.
const { createHost, functionTool } = (await import(LIBRARY)) as typeof import("../../../host/mod.ts");
const [, , name = "", folder = "", port = ""] = process.argv;
const UNTIL_END = (): Promise<never> => new Promise(() => {});
const DEAF = ["--eval", "process.stdin.resume()"];
const SCRIPTED = [fileURLToPath(new URL("../../support/scripted-mcp-server.mjs", import.meta.url)), join(folder, "script.json")];
const AUTO = { rules: [{ pattern: "*", confirm: "auto" }] };
const SILENT = { write: () => undefined, child: () => SILENT };
const reads = { description: "Waits", sideEffects: ["read"] } as const;

const waits = functionTool(UNTIL_END, { name: "waits", ...reads });
const asks = functionTool(() => 1, { name: "asks", ...reads });

interface Answer {
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

interface Case {
  readonly options?: HostOptions;
  /** Calls the one tool "run" of the plugin "plain". */
  readonly plugin?: string;
  readonly act: (host: Host) => Promise<Answer | undefined>;
}

/** Calls that nothing else in this process waits for, by what delays them. */
const CASES: Readonly<Record<string, Case>> = {
  "a remote host that is down": { options: toRemote("1"), act: (host) => host.call("waits") },
  "a remote host that never answers": { options: toRemote(port), act: (host) => host.call("waits", {}, { timeoutMs: 300 }) },
  "a function that never answers": { options: { tools: [waits] }, act: (host) => host.call("waits", {}, { timeoutMs: 300 }) },
  "a step of a chain that never answers": {
    options: { tools: [waits] },
    act: async (host) => (await host.callAll([{ tool: "waits", timeoutMs: 300 }], { mode: "chain" })).at(-1),
  },
  "a turn whose call never answers": {
    options: { tools: [waits] },
    act: async (host) => (await host.turn([{ tool: "waits", timeoutMs: 300 }], { session: host.session() })).results.at(-1),
  },
  "a format's tool that never answers": {
    options: { tools: [waits], policy: { rules: [{ tool: "waits", limits: { wallMs: 300 } }] } },
    async act(host) {
      const [tool] = Object.values(host.definitions("ai-sdk", ["waits"]).tools);
      try {
        await tool?.execute({}, {});
        return undefined;
      } catch (error) {
        // Errors of any class: only the code is compared.
        return { ok: false, error: error as { readonly code: string } };
      }
    },
  },
  "an unanswered confirmation": {
    options: { tools: [asks], config: { policy: { rules: [{ tool: "asks", confirm: "prompt" }] }, confirmation: { timeoutMs: 1_000 } } },
    act: (host) => host.call("asks", {}, { confirm: UNTIL_END }),
  },
  "a queue that is full": {
    options: { tools: [waits] },
    async act(host) {
      const session = host.session({ concurrency: 1, queue: 1 });
      const before = [host.call("waits", {}, { session, timeoutMs: 300 }), host.call("waits", {}, { session, timeoutMs: 300 })];
      const refused = await host.call("waits", {}, { session });
      await Promise.all(before);
      return refused;
    },
  },
  "an MCP server that dies": { options: withServer(SCRIPTED), act: (host) => host.call("mcp__far.die") },
  "an MCP server's tool that never answers": {
    options: withServer(SCRIPTED),
    act: (host) => host.call("mcp__far.never", {}, { timeoutMs: 300 }),
  },
  "an MCP server that says nothing": { options: withServer(DEAF), act: (host) => host.call("mcp__far.none") },
  "a toolkit that never starts": { options: { toolkits: [UNTIL_END] }, act: (host) => host.call("none") },
  "a guest that waits for longer than it may": {
    plugin: "export const run = () => new Promise((resolve) => setTimeout(resolve, 1e8));",
    act: (host) => host.call("plain.run", {}, { timeoutMs: 300 }),
  },
  "a guest that never ends": {
    plugin: "export function run() { for (;;); }",
    act: (host) => host.call("plain.run", {}, { timeoutMs: 300 }),
  },
  "a worker that is killed": {
    plugin:
      // A computing guest: a waiting one would continue in another worker.
      "export const run = () => { Deno.writeTextFileSync('made', ''); for (;;); };",
    async act(host) {
      const called = host.call("plain.run");
      for await (const { type } of host.events) if (type === "capability.used") break;
      for (const worker of workers) void worker.terminate();
      return await called;
    },
  },
  "a load that never ends": { plugin: "for (;;); export const run = 1;", act: (host) => host.call("plain.run") },
  "a load that waits": { plugin: "await new Promise(() => {}); export const run = 1;", act: (host) => host.call("plain.run") },
  "a process that runs a guest": {
    options: { isolation: "process" },
    plugin: "export const run = () => 1;",
    act: (host) => host.call("plain.run"),
  },
  "a process whose guest never ends": {
    options: { isolation: "process" },
    plugin: "export function run() { for (;;); }",
    act: (host) => host.call("plain.run", {}, { timeoutMs: 300 }),
  },
  "a trusted plugin that never answers": {
    options: { config: { trusted: ["plain"], policy: { rules: [{ plugin: "plain", route: "host", confirm: "auto" }] } } },
    plugin: "export const run = () => new Promise((resolve) => setTimeout(resolve, 1e8));",
    act: (host) => host.call("plain.run", {}, { timeoutMs: 300 }),
  },
  "a host that was closed": {
    options: { tools: [waits], watch: true },
    plugin: "export const run = () => 1;",
    async act(host) {
      void host.call("waits");
      const result = await host.call("plain.run");
      await host.close();
      return result;
    },
  },
};

const workers = new Set<InstanceType<typeof workerThreads.Worker>>();
const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(entry: string | URL, options: WorkerOptions) {
    super(entry, options);
    workers.add(this);
  }
};
syncBuiltinESMExports();

const { options, plugin, act } = CASES[name] ?? { act: () => Promise.reject(new Error(`Unknown case "${name}"`)) };
if (plugin !== undefined) writePlugin(plugin);
writeFileSync(
  join(folder, "script.json"),
  JSON.stringify({ tools: ["die", "never"].map((tool) => ({ name: tool, inputSchema: { type: "object" } })) }),
);
const host = await createHost({
  config: { policy: AUTO },
  logger: SILENT,
  workspace: folder,
  trust: "all",
  ...(plugin !== undefined && { plugins: join(folder, "plugins"), grants: { plain: { write: ["$workspace"] } } }),
  ...options,
});
const result = await act(host);
process.stdout.write(`${result?.ok === true ? "ok" : result?.error?.code}\n`);

function toRemote(at: string): HostOptions {
  const tool = functionTool(UNTIL_END, { name: "waits", ...reads });
  return {
    tools: [tool],
    config: { remotes: { far: { url: `http://127.0.0.1:${at}` } }, policy: { rules: [{ tool: "waits", route: "remote" }] } },
  };
}

function withServer(args: readonly string[]): HostOptions {
  const command = process.execPath;
  return { config: { mcpServers: { far: { command, args: [...args] } }, policy: AUTO } };
}

function writePlugin(code: string): void {
  const root = join(folder, "plugins", "plain");
  mkdirSync(root, { recursive: true });
  const tool = { name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["write"] };
  writeFileSync(
    join(root, "manifest.json"),
    JSON.stringify({
      ...{ schemaVersion: "1.0", name: "plain", version: "1.0.0", description: "Is called", tools: [tool] },
      permissions: { write: ["$workspace"] },
      // The load that never ends computes until its time limit, and again when its tool is called.
      limits: name === "a load that never ends" ? { loadMs: 500 } : {},
    }),
  );
  writeFileSync(join(root, "main.ts"), `// ${folder}\n${code}\n`);
}
