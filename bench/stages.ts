/**
 * `node bin/bascule.mjs --run bench/stages.ts`: microseconds of the host's thread for one dispatched echo, by stage. Node only.
 *
 * Divides the thread's CPU time for each call by V8's profile: a function's own time belongs to the stage of its file, the time
 * of the engine and Node (promises, JSON, postMessage) to their callers. Median of the rounds, with 32 calls in flight.
 */

import { type Profiler, Session as Inspector } from "node:inspector/promises";
import { flood, startEchoHost } from "./echo-host.ts";
import { median, WARM_CALLS } from "./measure.ts";

const ROUNDS = 9;
const CALLS = 8_000;
const SAMPLE_EVERY_US = 100;

/** Stages by frame, as `file function`; the first match counts, and frames without one belong to their callers. */
const STAGES: readonly (readonly [stage: string, frame: RegExp])[] = [
  ["idle", /^ \(idle\)$/],
  ["garbage collection", /^ \(garbage collector\)$/],
  ["event loop, copies of messages", /^ (\(program\)|\(root\))$/],
  ["the benchmark itself", /^bench\//],
  ["message out", /thread\.ts #(flush|ring)$|workers\.ts post$|wire\.ts packRequest$/],
  ["message in", /thread\.ts #?(hear|receive|look)|sandbox\.ts receive$|wire\.ts unpack|sandbox\/(call|marshal|worker\/(messages|slot))/],
  ["sandbox submit", /^sandbox\//],
  ["result", /recent-results|^host\/(result|results)|routes\/(finish|output)/],
  ["events and journal", /^host\/(trace|audit|decision-summary|platform\/random)/],
  ["decide", /^host\/policy\//],
  ["route", /^host\/(routes|secrets|sources)/],
  ["door and session", /^host\/(host|calls)/],
  ["gates", /^(host|manifests)\//],
];
const ROOT = new URL("../", import.meta.url).href;

/** Returns microseconds of the thread by stage, for one of `calls`. */
function divide(profile: Profiler.Profile, usACall: number): ReadonlyMap<string, number> {
  const stages = new Map<number, string>();
  const visit = (node: Profiler.ProfileNode, above: string): void => {
    const { url, functionName } = node.callFrame;
    const frame = `${url.replace(ROOT, "")} ${functionName}`;
    const stage = STAGES.find(([, fits]) => fits.test(frame))?.[0] ?? above;
    stages.set(node.id, stage);
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child) visit(child, stage);
    }
  };
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const [root] = profile.nodes;
  if (root) visit(root, "event loop, copies of messages");
  const working = (profile.samples ?? []).map((id) => stages.get(id) ?? "").filter((stage) => stage !== "idle");
  const found = new Map<string, number>();
  for (const stage of working) found.set(stage, (found.get(stage) ?? 0) + usACall / working.length);
  return found;
}

await using host = await startEchoHost();
await flood(host, WARM_CALLS * 4);
const inspector = new Inspector();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_US });
const totals: number[] = [];
const rounds: ReadonlyMap<string, number>[] = [];
for (let round = 0; round < ROUNDS; round++) {
  // Runs without the profiler, which itself takes time of the thread.
  const before = process.threadCpuUsage();
  await flood(host, CALLS);
  const { user, system } = process.threadCpuUsage(before);
  totals.push((user + system) / CALLS);
  await inspector.post("Profiler.start");
  await flood(host, CALLS);
  rounds.push(divide((await inspector.post("Profiler.stop")).profile, (user + system) / CALLS));
}
host.mustHaveToldAll();
for (const [stage] of STAGES) {
  if (stage !== "idle")
    console.log(
      `${median(rounds.map((found) => found.get(stage) ?? 0))
        .toFixed(2)
        .padStart(6)} us  ${stage}`,
    );
}
console.log(
  `${median(totals).toFixed(2).padStart(6)} us  of the host's thread a call, ${Math.min(...totals).toFixed(2)} in the best round`,
);
process.exit(0);
