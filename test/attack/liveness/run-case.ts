/** Runs one case in one mode, with its own folder and host, measured from outside. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../../scripts/run-command.ts";
import { CANARY, CANARY_PLUGIN, CANARY_TEXT, canariesOf } from "./canaries.ts";
import type { LivenessCase } from "./cases.ts";
import type { Control } from "./control.ts";
import { type HostEvidence, judge, type Verdict } from "./judge.ts";
import { startLocalServer } from "./local-server.ts";
import { commandFor, type ModeName, MODES } from "./modes.ts";
import type { Plan } from "./host-child.ts";
import { openHttpDoor, openMcpDoor } from "./doors.ts";
import { HOSTILE, toolsOf, writePlugin } from "./plugins.ts";
import { type Place, startHost } from "./started-host.ts";
import { watchFromOutside } from "./outside.ts";
import { type Attack, type Caller, lanesOf, type Pace, play, type Played } from "./rounds.ts";

const HOST_CHILD = fileURLToPath(new URL("host-child.ts", import.meta.url));
const BIN = `${REPOSITORY}bin/bascule.mjs`;
const CANARY_TOKEN = "canary".repeat(8);
const LOG_SHOWN = 2_000;
/** Time for the host to report back after the rounds. */
const SPARE_MS = 40_000;

/** @param control a host that is not attacked */
export async function runCase(
  wanted: LivenessCase,
  mode: ModeName,
  { pace, control, leeway = 1 }: { readonly pace: Pace; readonly control: Control; readonly leeway?: number },
): Promise<Verdict> {
  const runs = wanted.cold === true ? Array.from({ length: pace.rounds }, () => ({ ...pace, rounds: 1 })) : [pace];
  const hosts: HostEvidence[] = [];
  for (const run of runs) hosts.push(await runOnce(wanted, mode, run));
  return judge({ wanted, mode, hosts, control: await control.evidence(), leeway });
}

async function runOnce(wanted: LivenessCase, mode: ModeName, pace: Pace): Promise<HostEvidence> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-liveness-"));
  await using server = await startLocalServer();
  try {
    await writeWorld(folder, wanted);
    const place = { folder, probe: join(folder, "probe.txt"), log: join(folder, "stderr.txt") };
    await writeFile(place.probe, "");
    const withinMs = (wanted.each === true ? toolsOf(wanted.main).length : 1) * pace.rounds * pace.roundMs * 3 + SPARE_MS;
    const run = { wanted, mode, pace, url: server.url, place, withinMs };
    const watch = watchFromOutside(() => pidOf(place.probe));
    const played = await (wanted.door === undefined ? playInHost(run) : playThroughDoor(run, wanted.door));
    const outside = watch.stop();
    return { played, outside, probe: await readFile(place.probe, "utf8"), log: (await readFile(place.log, "utf8")).slice(-LOG_SHOWN) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Run {
  readonly wanted: LivenessCase;
  readonly mode: ModeName;
  readonly pace: Pace;
  readonly url: string;
  readonly place: Place;
  readonly withinMs: number;
}

/** Plays the case inside the host's own process, which reports the results. */
async function playInHost({ wanted, mode, pace, url, place, withinMs }: Run): Promise<Played | undefined> {
  const { folder } = place;
  const plan: Plan = { case: wanted.name, mode, folder, url, pace, report: join(folder, "report.json") };
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
  const host = await startHost(commandFor(MODES[mode], HOST_CHILD, [join(folder, "plan.json")]), place, {
    stderr: wanted.stderr ?? "file",
  });
  const timer = setTimeout(() => host.end(), withinMs);
  await host.ended;
  clearTimeout(timer);
  host.end();
  const report = await readFile(plan.report, "utf8").catch(() => undefined);
  // Written by the child process.
  return report === undefined ? undefined : (JSON.parse(report) as Played);
}

/** Plays the case from outside. */
async function playThroughDoor({ wanted, mode, pace, url, place, withinMs }: Run, door: "http" | "mcp"): Promise<Played | undefined> {
  const { folder } = place;
  const { isolation, engine } = MODES[mode];
  if (engine === "plain") throw new TypeError("No command starts a host on the plain engine");
  await writeFile(
    join(folder, "bascule.json"),
    JSON.stringify({
      workspace: "workspace",
      policy: { rules: [{ pattern: "*", confirm: "auto" }] },
      server: { tokens: [{ name: "canary", sha256: createHash("sha256").update(CANARY_TOKEN).digest("hex"), scopes: ["call"] }] },
    }),
  );
  const command = (...args: readonly string[]): readonly string[] => commandFor(MODES[mode], BIN, args);
  await (
    await startHost(command("trust", "--always", "--yes"), place, { stderr: "file", probed: false })
  ).ended;
  const flags = ["--allow-read=workspace", `--allow-net=${new URL(url).host}`, `--isolation=${isolation}`];
  const host = await startHost(command(...(door === "http" ? ["serve", "--port=0"] : ["mcp"]), ...flags), place, {
    stderr: wanted.stderr ?? "file",
  });
  try {
    const ends = new Map<string, number>();
    const tools = toolsOf(wanted.main).map((tool) => `${HOSTILE}.${tool}`);
    const calls = (caller: Caller): Attack =>
      lanesOf(caller, { tools, args: { url }, ends, ...(wanted.lanes !== undefined && { lanes: wanted.lanes }) });
    const [canaries, attack] =
      door === "http"
        ? await openHttpDoor(host.child, folder, CANARY_TOKEN).then(
            (to) => [to.canaries, wanted.clients?.http?.(to, ends) ?? calls(to)] as const,
          )
        : await openMcpDoor(host.child).then((to) => [to, wanted.clients?.mcp?.(to, ends) ?? calls(to)] as const);
    const playing = play(canaries, canariesOf(wanted, url, pace), new Map([["", attack]]), { pace, ends });
    return await Promise.race([playing, pause(withinMs, undefined, { ref: false })]);
  } finally {
    host.end();
    await host.ended;
  }
}

async function writeWorld(folder: string, wanted: LivenessCase): Promise<void> {
  const workspace = join(folder, "workspace");
  await mkdir(join(workspace, "many"), { recursive: true });
  await mkdir(join(folder, "home"));
  await writeFile(join(workspace, "canary.txt"), CANARY_TEXT);
  if (wanted.grants?.read !== undefined) {
    await writeFile(join(workspace, "big.bin"), new Uint8Array(7 << 20).fill(0x61));
    await writeFile(join(workspace, "huge.bin"), new Uint8Array(40 << 20).fill(0x61));
    await writeFile(join(workspace, "lines.txt"), Array.from({ length: 200_000 }, (_, nth) => `line ${nth}`).join("\n"));
    await Promise.all(Array.from({ length: 5_000 }, (_, nth) => writeFile(join(workspace, "many", `file-${nth}`), "")));
  }
  const { main, manifest, limits, files } = wanted;
  for (let nth = 0; nth < (wanted.others ?? 0); nth++)
    await writePlugin(join(folder, "plugins"), `other-${nth}`, { main: `export function t${nth}() { return ${nth}; }` });
  await writePlugin(join(folder, "plugins"), CANARY, CANARY_PLUGIN);
  await writePlugin(join(folder, "plugins"), HOSTILE, {
    main,
    manifest: { ...manifest, ...(limits && { limits }) },
    ...(files && { files }),
  });
}

async function pidOf(probe: string): Promise<number | undefined> {
  const pid = /^pid (\d+)/.exec(await readFile(probe, "utf8"))?.[1];
  return pid === undefined ? undefined : Number(pid);
}
