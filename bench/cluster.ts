/**
 * Clusters of one, two and three members on this machine, in turn, beside a host without one: `node bench/cluster.ts` (SPEC CL8). Calls a second
 * for echo, CPU-bound and waiting tools, and the time until a cancelled guest has stopped.
 *
 * Not a row of `npm run bench`: members, server and caller share the processors, so only ratios to what the machine gives one host mean something.
 */

import { type BenchCluster, type BenchTool, ENDED, now, startBenchCluster } from "./cluster-hosts.ts";
import { median, percentile } from "./measure.ts";

const ROUNDS = 3;
const SIZES = [1, 2, 3];
const CANCELS = 100;
const ENDLESS = { ms: 20_000 };

interface Work {
  readonly tool: BenchTool;
  readonly args: { readonly turns: number } | { readonly ms: number } | { readonly text: string };
  readonly calls: number;
  readonly inFlight: number;
}

const WORKS: readonly Work[] = [
  { tool: "echo", args: { text: "hello" }, calls: 500, inFlight: 64 },
  { tool: "compute", args: { turns: 100_000 }, calls: 100, inFlight: 16 },
  { tool: "wait", args: { ms: 50 }, calls: 500, inFlight: 128 },
];

await using cluster = await startBenchCluster(SIZES.length);
for (const work of WORKS) {
  const rates = await ratesOf(cluster, work);
  const here = median(rates.get(0) ?? []);
  const parts = SIZES.map((size) => {
    const rate = median(rates.get(size) ?? []);
    return `${size}: ${rate.toFixed(0)}/s (${(rate / here).toFixed(2)} x)`;
  });
  console.log(`${work.tool.padEnd(8)} one host ${here.toFixed(0)}/s; members ${parts.join(", ")}`);
}
const cancelled = await cancelMs(cluster);
for (const [where, samples] of Object.entries(cancelled)) {
  console.log(`cancel   ${where}: guest stopped after ${median(samples).toFixed(1)} ms, p99 ${percentile(samples, 0.99).toFixed(1)} ms`);
}

/** Calls a second of the host (0) and of each cluster, in turn. */
async function ratesOf(on: BenchCluster, { tool, args, calls, inFlight }: Work): Promise<ReadonlyMap<number, readonly number[]>> {
  const rates = new Map<number, number[]>([0, ...SIZES].map((size) => [size, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [size, found] of rates) {
      let left = calls;
      const client = async (): Promise<void> => {
        while (left-- > 0) await (size === 0 ? on.callHere(tool, args) : on.call(size, tool, args));
      };
      const begin = performance.now();
      await Promise.all(Array.from({ length: inFlight }, client));
      // The first round warms up.
      if (round >= 0) found.push((calls / (performance.now() - begin)) * 1_000);
    }
  }
  return rates;
}

/** Milliseconds from the cancellation at the caller until the guest has ended, on this host and on a member. */
async function cancelMs(on: BenchCluster): Promise<{ readonly host: readonly number[]; readonly member: readonly number[] }> {
  const { bus } = on.link(SIZES.length);
  let onEnded: (atMs: number) => void = () => undefined;
  bus.subscribe(ENDED, { onMessage: ({ bytes }) => onEnded(Number(new TextDecoder().decode(bytes))) });
  await bus.roundTrip();
  const [here, there]: [number[], number[]] = [[], []];
  for (let count = 0; count < CANCELS; count++) {
    here.push(await cancelHere(on));
    const stop = new AbortController();
    const ended = new Promise<number>((resolve) => (onEnded = resolve));
    const calling = on.call(SIZES.length, "wait", ENDLESS, stop.signal).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = now();
    stop.abort();
    there.push((await ended) - begin);
    await calling;
  }
  return { host: here, member: there };
}

async function cancelHere(on: BenchCluster): Promise<number> {
  const stop = new AbortController();
  const calling = on.callHere("wait", ENDLESS, stop.signal).catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const begin = now();
  stop.abort();
  await calling;
  return now() - begin;
}
