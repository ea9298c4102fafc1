import { mkdtempDisposable } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, it } from "vitest";
import { REPOSITORY, runCommand } from "../../../scripts/run-command.ts";

const PROGRAM = fileURLToPath(new URL("program.ts", import.meta.url));
const RUNTIMES = [
  ["Node", "node", []],
  ["Deno", "deno", ["run", "-A", `--config=${REPOSITORY}deno.json`]],
] as const;

/** Results of the program's last statement, by case. */
const COMES_TO: Readonly<Record<string, string>> = {
  "a remote host that is down": "unavailable",
  "a remote host that never answers": "timeout",
  "a function that never answers": "timeout",
  "a step of a chain that never answers": "timeout",
  "a turn whose call never answers": "timeout",
  "a format's tool that never answers": "timeout",
  "an unanswered confirmation": "confirmation_timeout",
  "a queue that is full": "overloaded",
  "an MCP server that dies": "unavailable",
  "an MCP server's tool that never answers": "timeout",
  "an MCP server that says nothing": "tool_not_found",
  "a toolkit that never starts": "tool_not_found",
  "a guest that waits for longer than it may": "timeout",
  "a guest that never ends": "timeout",
  "a worker that is killed": "unavailable",
  "a load that never ends": "unavailable",
  "a load that waits": "unavailable",
  "a process that runs a guest": "ok",
  "a process whose guest never ends": "timeout",
  "a trusted plugin that never answers": "timeout",
  "a host that was closed": "ok",
};

/** Deno gives a program no access to workers that another module started. */
const ONLY_ON_NODE = new Set(["a worker that is killed"]);

// Starts both runtimes itself.
describe.skipIf("Deno" in globalThis)("a program whose last statement awaits a call", () => {
  const connections = new Set<{ destroy(): void }>();
  const silent: Server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => {});
  });
  beforeAll(() => new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve)));
  afterAll(async () => {
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  it.concurrent.for(
    RUNTIMES.flatMap(([runtime, command, args]) =>
      Object.entries(COMES_TO)
        .filter(([name]) => runtime === "Node" || !ONLY_ON_NODE.has(name))
        .map(([name, comesTo]) => ({ name, comesTo, runtime, command, args })),
    ),
  )(
    "receives the result and ends by itself: $name, on $runtime [I1.settles]",
    { timeout: 240_000 },
    async ({ name, comesTo, command, args }, { expect }) => {
      await using folder = await mkdtempDisposable(join(tmpdir(), "bascule-embedding-"));
      // A TCP server's address is an object.
      const { port } = silent.address() as AddressInfo;
      const run = [...args, PROGRAM, name, folder.path, String(port)];
      expect(await runCommand(command, run, { timeoutMs: 200_000 })).toEqual({ code: 0, output: `${comesTo}\n` });
    },
  );
});
