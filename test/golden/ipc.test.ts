import { describe, expect, it } from "vitest";
import { serveRunner } from "../../host/doors/ipc/serve-runner.ts";
import { createHost, eventAliases, functionTool, type HostOptions } from "../../host/mod.ts";
import { createMemoryPair } from "../../host/platform/memory/memory-sockets.ts";
import { matchesGolden } from "../support/golden.ts";
import { memoryPlatform } from "../support/memory-platform.ts";

const boom = functionTool(
  () => {
    throw new Error("the tool's own words");
  },
  { name: "boom", description: "Throws", sideEffects: [] },
);

/** Returns the messages on the wire and the recorded events, with every name of each event. */
async function logOf(request: object, options: HostOptions = {}): Promise<readonly unknown[]> {
  const log: unknown[] = [];
  const host = await createHost({
    platform: memoryPlatform({ "a.txt": "one" }),
    config: false,
    workspace: "/workspace",
    tools: [boom],
    events: { publish: (event) => void log.push({ event, aliases: eventAliases(event) }) },
    ...options,
  });
  log.length = 0;
  const [near, far] = createMemoryPair();
  const session = host.session({ role: "agent" });
  const served = serveRunner({
    connection: near,
    slices: memoryPlatform().slices,
    call: ({ tool, args }, signal) => host.call(tool, args, { session, signal, unattended: "refuse" }),
  });
  let isAnswered = false;
  far.onLine((line) => {
    log.push({ answer: JSON.parse(line) as unknown });
    isAnswered = true;
  });
  log.push({ request });
  far.send(JSON.stringify(request));
  await expect.poll(() => isAnswered, { timeout: 15_000 }).toBe(true);
  far.close();
  await served;
  await host.endSession(session);
  await host.close();
  // The host's own event at its end does not belong to the runner.
  return log.slice(0, -1);
}

const call = (tool: string, args: object = {}): object => ({ op: "tool_call", tool_call_id: "call-1", tool, args });

describe("golden logs of runners", () => {
  it.each<[string, object, HostOptions]>([
    ["granted", call("read_file", { path: "a.txt" }), {}],
    ["permission-denied", call("shell", { command: "ls" }), {}],
    ["tool-not-found", call("bom"), { builtins: false }],
    ["fs-denied", call("read_file", { path: "../../etc/passwd" }), {}],
    ["no-registry", call("read_file", { path: "a.txt" }), { registry: null, tools: [] }],
    ["throws", call("boom"), {}],
  ])("logs %s, with both kinds of audit entry [AU8.ipc, I6]", async (name, request, options) => {
    await matchesGolden(`ipc/${name}`, await logOf(request, options));
  });
});
