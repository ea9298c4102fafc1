/** Compares bascule with the `deno` binary on random permission sets; fast-check shrinks differences (SPEC PA9). */

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import fc from "fast-check";
import { createBasculeOracle } from "./bascule-answer.ts";
import { type Answer, askDeno, prepareFolder, reproducer } from "./deno-answer.ts";
import { type Disagreement, nameDifference, nameOddity } from "./differences.ts";
import { inFolder, type OracleCase, oracleCase } from "./policy.ts";

export interface OracleOptions {
  /** Minimum pairs of a permission set and a query. */
  readonly pairs: number;
  readonly seed: number;
  /** Parallel Deno processes. */
  readonly lanes: number;
  /** Replaces bascule's answers in a test that needs a difference. */
  readonly bascule?: typeof createBasculeOracle;
}

export interface OracleReport {
  readonly pairs: number;
  readonly policies: number;
  /** Pairs with identical answers. */
  readonly equal: number;
  /** Differences by name, and Deno's oddities. */
  readonly named: ReadonlyMap<string, number>;
  /** The smallest unexplained case, with a command line; absent if all are explained. */
  readonly failure?: string;
}

interface Tally {
  pairs: number;
  policies: number;
  equal: number;
  readonly named: Map<string, number>;
}

/** Queries per process, because a process takes longer to start than to answer hundreds of queries. */
const MAX_QUERIES = 400;
const RUNS_A_ROUND = 20;

/** Runs until enough pairs are compared, or an unnamed difference is found. */
export async function runOracle(options: OracleOptions): Promise<OracleReport> {
  const tally: Tally = { pairs: 0, policies: 0, equal: 0, named: new Map() };
  const root = await realpath(await mkdtemp(`${tmpdir()}/bascule-oracle-`));
  try {
    const lanes = Array.from({ length: options.lanes }, (_, lane) => runLane(options, lane, `${root}/${lane}`, tally));
    const failures = (await Promise.all(lanes)).filter((failure) => failure !== undefined);
    return { ...tally, ...(failures[0] !== undefined && { failure: failures[0] }) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function runLane({ pairs, seed, bascule }: OracleOptions, lane: number, folder: string, tally: Tally): Promise<string | undefined> {
  await prepareFolder(folder);
  const property = fc.asyncProperty(oracleCase(Math.min(MAX_QUERIES, pairs)), async (drawn) => {
    const found = await compare(drawn, folder, { tally, ...(bascule && { bascule }) });
    if (found !== undefined) throw new Error("differs");
  });
  // Seeds of lanes and rounds are far apart, so that neighbouring seeds draw different cases.
  for (let round = 0; tally.pairs < pairs; round += 1) {
    const roundSeed = (seed + lane * 1_000_003 + round * 7_919) | 0;
    const details = await fc.check(property, { seed: roundSeed, numRuns: RUNS_A_ROUND });
    if (details.failed) return await report(details, folder, bascule);
  }
  return undefined;
}

async function report(details: fc.RunDetails<[OracleCase]>, folder: string, bascule: OracleOptions["bascule"]): Promise<string> {
  const counterexample = details.counterexample?.[0];
  const found = counterexample && (await compare(counterexample, folder, { ...(bascule && { bascule }) }));
  const cause = details.errorInstance instanceof Error ? details.errorInstance.message : "interrupted";
  const what = found ? describe(found) : `Could not compare: ${cause}\n${JSON.stringify(counterexample)}`;
  return `${what}\nDrawn by seed ${details.seed}, path ${details.counterexamplePath ?? ""}, shrunk ${details.numShrinks} times`;
}

interface Comparison {
  readonly tally?: Tally;
  readonly bascule?: typeof createBasculeOracle;
}

/** Returns the first unnamed difference. */
async function compare(
  drawn: OracleCase,
  folder: string,
  { tally, bascule = createBasculeOracle }: Comparison,
): Promise<Disagreement | undefined> {
  const { by, policy, queries } = inFolder(drawn, folder);
  const answer = bascule(policy, folder);
  const denos = await askDeno({ by, policy, queries }, folder);
  let found: Disagreement | undefined;
  const count = (name: string): unknown => tally?.named.set(name, (tally.named.get(name) ?? 0) + 1);
  for (const [index, descriptor] of queries.entries()) {
    const deno = denos[index] ?? { error: "Missing", message: "Deno gave no answer" };
    const asked = { policy, descriptor, deno, bascule: answer(descriptor), folder };
    const oddity = nameOddity(asked);
    if (oddity !== undefined) count(oddity);
    if (isEqual(deno, asked.bascule)) {
      if (tally) tally.equal += 1;
      continue;
    }
    const name = nameDifference(asked);
    if (name === undefined) found ??= asked;
    else count(name);
  }
  if (tally) {
    tally.pairs += queries.length;
    tally.policies += 1;
  }
  return found;
}

function isEqual(deno: Answer, bascule: Answer): boolean {
  if ("state" in deno) return "state" in bascule && deno.state === bascule.state && deno.partial === bascule.partial;
  return "error" in bascule && deno.error === bascule.error && deno.message === bascule.message;
}

function describe({ policy, descriptor, deno, bascule, folder }: Disagreement): string {
  const own = { [descriptor.name]: policy[descriptor.name] ?? {}, ...(descriptor.name === "write" && policy.run && { run: policy.run }) };
  return [
    `Deno says ${JSON.stringify(deno)}, bascule says ${JSON.stringify(bascule)}`,
    `  set      ${JSON.stringify(own)}`,
    `  question ${JSON.stringify(descriptor)}`,
    reproducer(own, descriptor, folder),
  ].join("\n");
}
