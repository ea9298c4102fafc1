import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Confined, confinements } from "../../../host/platform/isolation/confine.ts";
import { startIn, tryWay, type Way } from "../../../host/platform/isolation/isolation.ts";
import { type ProcessRuntime, processRuntimes } from "../../../host/platform/isolation/runtimes.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SCRIPT = fileURLToPath(new URL("hostile-process.mjs", import.meta.url));
/** The only readable folder is the script's own, like bascule's code for the real process. */
const READABLE = [fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "")];

const byPort = createServer((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
const byPath = createServer((socket) => socket.end());
let facts: {
  readonly secretFile: string;
  readonly folder: string;
  readonly port: number;
  readonly socket: string;
  readonly hostPid: number;
};

beforeEach(async () => {
  process.env["BASCULE_TEST_SECRET"] = "of the host";
  const folder = await temporaryFolder();
  const socket = `${folder}/socket`;
  await writeFile(`${folder}/secret.txt`, "secret");
  await new Promise<void>((resolve) => byPort.listen(0, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => byPath.listen(socket, resolve));
  const address = byPort.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  facts = { secretFile: `${folder}/secret.txt`, folder, port, socket, hostPid: process.pid };
});

afterEach(() => {
  delete process.env["BASCULE_TEST_SECRET"];
  byPort.close();
  byPath.close();
});

/** Returns the successful attempts of the script, by name. */
async function attack(way: Way): Promise<Readonly<Record<string, string>>> {
  const hostile = {
    ...way,
    runtime: {
      ...way.runtime,
      args: (entry: string, readable: readonly string[]) => [...way.runtime.args(entry, readable), JSON.stringify(facts)],
    },
  };
  const connection = startIn(hostile, READABLE, SCRIPT);
  connection.keepAlive(true);
  let said = "";
  connection.onData((chunk) => (said += new TextDecoder().decode(chunk)));
  const reason = await new Promise<string>((resolve) => connection.onExit(resolve));
  if (said === "") throw new Error(`No output: ${reason}`);
  // The script writes this shape.
  const results = JSON.parse(said) as Readonly<Record<string, string>>;
  expect(Object.keys(results).length).toBe(20);
  return Object.fromEntries(Object.entries(results).filter(([, result]) => result !== "refused"));
}

/** Returns the ways that work on this system. */
async function usable(runtimes: readonly ProcessRuntime[], systems: readonly Confined["system"][]): Promise<readonly Way[]> {
  const ways = runtimes.flatMap((runtime) =>
    confinements(process.platform, READABLE)
      .filter(({ system, noNewPrivileges }) => systems.includes(system) && (system !== "none" || !noNewPrivileges))
      .map((confined) => ({ runtime, confined })),
  );
  const answers = await Promise.all(ways.map(tryWay));
  return ways.filter((_way, index) => typeof answers[index] === "object");
}

const byName = (name: string): readonly ProcessRuntime[] => processRuntimes().filter((runtime) => runtime.name === name);

// Processes take seconds to start on a busy machine.
describe("attack: an attacker who has taken over the sandbox's process", { timeout: 120_000 }, () => {
  it("gets nothing in the confinement chosen on this system [B1.process]", async () => {
    for (const { name } of processRuntimes()) {
      const [chosen] = await usable(byName(name), ["namespaces", "network", "none"]);
      if (chosen === undefined) throw new Error(`${name} does not run in any confinement`);
      expect([
        name,
        chosen.confined.system,
        chosen.runtime.name === "node" && chosen.confined.system === "none" ? {} : await attack(chosen),
      ]).toEqual([name, chosen.confined.system, {}]);
    }
  });

  it("gets nothing under Deno's permissions alone [B1.process-deno]", async ({ skip }) => {
    const [way] = await usable(byName("deno"), ["none"]);
    if (way === undefined) return skip("Deno is not installed");
    expect(await attack(way)).toEqual({});
  });

  it("gets nothing under the system's confinement alone, without the runtime's permissions [B1.process-namespaces]", async ({ skip }) => {
    const free = processRuntimes().map((runtime): ProcessRuntime => ({
      ...runtime,
      args: (entry) => (runtime.name === "deno" ? ["run", "-A", "--no-config", entry] : [entry]),
    }));
    const ways = await usable(free, ["namespaces"]);
    if (ways.length === 0) return skip("This system has no namespaces for users");
    for (const way of ways) {
      // The runtime is the only program in there, and native code would be its own, under the same confinement.
      expect(Object.keys(await attack(way)).filter((name) => !["start itself again", "load native code"].includes(name))).toEqual([]);
    }
  });

  it("gets past Node's permissions, which leave open the network, signals and, in workers, all files [B1.process-node]", async ({
    skip,
  }) => {
    const [way] = await usable(byName("node"), ["none"]);
    if (way === undefined) return skip("The host runs on Deno");
    // `doctor` and docs/security.md list these; update them if Node closes one.
    expect(Object.keys(await attack(way))).toEqual([
      "read it in a worker",
      "connect to a local server",
      "connect to a local socket",
      "fetch from a local server",
      "send a datagram",
      "signal the host",
    ]);
  });
});
