/** A host whose tools end in every way, with its doors in memory. */

import { createMemoryPair } from "../../../host/platform/memory/memory-sockets.ts";
import { createHost, functionTool, type Host, type HostOptions } from "../../../host/mod.ts";
import type { MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import type { LineConnection, Log } from "../../../host/platform/platform.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

export { createMemoryPair };

const SILENT: Log = { write: () => undefined, child: () => SILENT };
const NO_ARGS = { type: "object", properties: {} };
const tool = (name: string, more: object = {}): object => ({
  name,
  description: "Is called",
  inputSchema: NO_ARGS,
  sideEffects: [],
  ...more,
});

const MAIN = `
let calls = 0;
const large = "x".repeat(900_000);
export function ok() { return { calls: ++calls }; }
export function fails() { throw new Error("no"); }
export function denied() { return Deno.readTextFileSync("/etc/passwd"); }
export function loops() { for (;;); }
export async function waits() { await new Promise(() => setTimeout(() => {}, 1e9)); }
export function big() { return large; }
export function logs() { for (let line = 0; line < 50; line++) console.log("line", line); return 0; }
export async function writes() { await Deno.writeTextFile("made.txt", String(calls)); return 0; }
export async function chained(_args, { tools }) { return [await tools.call("plain.ok", {}), await tools.call("plain.ok", {})].length; }
export function progress(_args, context) { for (let step = 0; step < 20; step++) context.progress(step); return 0; }
`;

export function manifest(name: string, version: string, tools: readonly object[], more: object = {}): string {
  return JSON.stringify({ schemaVersion: "1.0", name, version, description: "Is measured", tools, ...more });
}

const PLAIN = [
  ...["ok", "fails", "loops", "waits", "big", "logs", "progress"].map((name) => tool(name)),
  tool("denied", { sideEffects: ["read"] }),
  tool("writes", { sideEffects: ["write"] }),
  tool("chained", {}),
];

/** A host keeps the results of its last calls in two generations of this size. */
const GENERATION = 1_000;
const TERMINAL = new Set(["tool.completed", "tool.failed", "tool.denied", "tool.input_invalid"]);

export interface World {
  /** Makes calls until the host keeps only their results, and as many as the last time. */
  level(): Promise<void>;
  readonly host: Host;
  readonly platform: MemoryPlatform;
}

export async function startWorld(options: HostOptions = {}): Promise<World> {
  const memory = memoryPlatformWithWorkers({
    "plugins/plain/manifest.json": manifest("plain", "1.0.0", PLAIN, { permissions: { write: ["$workspace"], tools: ["plain.ok"] } }),
    "plugins/plain/main.ts": MAIN,
    "plugins/stateful/manifest.json": manifest("stateful", "1.0.0", [tool("ok")], { state: "session" }),
    "plugins/stateful/main.ts": MAIN,
  });
  // The memory platform keeps every line for tests.
  const platform = { ...memory, log: SILENT };
  const host = await createHost({
    platform,
    plugins: "plugins",
    config: { policy: { rules: [{ tool: "asked", confirm: "prompt" }] }, confirmation: { default: { write: "auto", execute: "auto" } } },
    grants: { plain: { write: ["$workspace"], tools: ["plain.ok"] } },
    tools: [functionTool(() => 1, { name: "asked", description: "Is asked about", sideEffects: [] })],
    ...options,
  });
  let ended = 0;
  host.subscribe(({ type }) => void (TERMINAL.has(type) && ended++));
  const level = async (): Promise<void> => {
    const full = ended + 2 * GENERATION;
    // Refused for its arguments: its result is kept like any other, and costs a fifth of a call that runs.
    while (ended < full || ended % GENERATION !== 0) await host.call("echo", { text: 1 });
  };
  return { host, platform, level };
}

/** A peer that sends lines and waits for a line with a given text. */
export function lines(connection: LineConnection): { send(line: string): void; heard(says: string): Promise<string>; close(): void } {
  let waiting: { readonly says: string; readonly resolve: (line: string) => void } | undefined;
  connection.onLine((line) => {
    if (waiting === undefined || !line.includes(waiting.says)) return;
    const { resolve } = waiting;
    waiting = undefined;
    resolve(line);
  });
  return {
    send: (line) => connection.send(line),
    heard: (says) => new Promise((resolve) => (waiting = { says, resolve })),
    close: () => connection.close(),
  };
}
