/**
 * A control host that is not attacked and runs canaries all the time. Shows how long the same call takes at that moment if only the
 * machine slows it down.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CANARY, CANARY_PLUGIN, CANARY_TEXT } from "./canaries.ts";
import { startLocalServer } from "./local-server.ts";
import { commandFor } from "./modes.ts";
import { writePlugin } from "./plugins.ts";
import { startHost } from "./started-host.ts";

export interface ControlCall {
  readonly tool: string;
  /** Milliseconds since the epoch. */
  readonly beginAt: number;
  readonly endAt: number;
}

/** Everything measured so far. */
export interface ControlEvidence {
  readonly calls: readonly ControlCall[];
  /** The lines that `probe.ts` wrote. */
  readonly probe: string;
}

export interface Control extends AsyncDisposable {
  evidence(): Promise<ControlEvidence>;
}

const READY_WITHIN_MS = 60_000;

export async function startControl(): Promise<Control> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-liveness-control-"));
  const server = await startLocalServer();
  await mkdir(join(folder, "workspace"), { recursive: true });
  await writeFile(join(folder, "workspace", "canary.txt"), CANARY_TEXT);
  await writePlugin(join(folder, "plugins"), CANARY, CANARY_PLUGIN);
  const file = join(folder, "calls.txt");
  await writeFile(file, "");
  const program = fileURLToPath(new URL("control-child.ts", import.meta.url));
  const place = { folder, probe: join(folder, "probe.txt"), log: join(folder, "stderr.txt") };
  const host = await startHost(commandFor({ runtime: "node" }, program, [folder, server.url, file]), place, {
    stderr: "file",
  });
  const calls = async (): Promise<readonly ControlCall[]> => (await readFile(file, "utf8")).split("\n").flatMap(parseCall);
  for (const end = performance.now() + READY_WITHIN_MS; (await calls()).length === 0; await pause(20))
    if (performance.now() > end) throw new Error(`The control host does not start: ${await readFile(place.log, "utf8")}`);
  return {
    evidence: async () => ({ calls: await calls(), probe: await readFile(place.probe, "utf8") }),
    async [Symbol.asyncDispose]() {
      host.end();
      await host.ended;
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function parseCall(line: string): readonly ControlCall[] {
  const [tool = "", beginAt, endAt] = line.split(" ");
  return endAt === undefined ? [] : [{ tool, beginAt: Number(beginAt), endAt: Number(endAt) }];
}
