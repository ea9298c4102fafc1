/** Judges the figures of a case (SPEC LV1). */

import { median } from "../../../bench/measure.ts";
import type { LivenessCase } from "./cases.ts";
import type { ControlEvidence } from "./control.ts";
import type { OutsideSample } from "./outside.ts";
import type { Played, Round } from "./rounds.ts";

/** SPEC LV1. */
export const LONGEST_HOLD_MS = 50;
const TIMES_IDLE = 3;
/** Minimum idle time assumed for a call, a slice of each of five guests (SPEC LV4). Shorter times are dominated by chance. */
const LEAST_IDLE_MS = 25;

export interface Evidence {
  readonly wanted: Pick<LivenessCase, "name" | "growthMb">;
  readonly mode: string;
  readonly hosts: readonly HostEvidence[];
  readonly control: ControlEvidence;
  /** Factor on the bounds, because a gate finds blocked calls, not milliseconds. Default 1. */
  readonly leeway?: number;
}

/** Evidence about one host. */
export interface HostEvidence {
  /** Undefined if the host did not report back. */
  readonly played: Played | undefined;
  /** The lines that `probe.ts` wrote. */
  readonly probe: string;
  readonly outside: readonly OutsideSample[];
  /** The end of the host's stderr. */
  readonly log: string;
}

export interface Verdict {
  readonly name: string;
  readonly mode: string;
  /** Empty if all is well. */
  readonly problems: readonly string[];
  /** One line of figures: milliseconds of canaries alone and beside the attack. */
  readonly figures: string;
  /** Number of the attack's calls by outcome. */
  readonly ends: Readonly<Record<string, number>>;
}

/** Maximum allowance. With more, on a very busy machine a call that is held for a whole round would pass. */
const MOST_OTHERS = 3;
/** Percentile of the calls running at a random moment of a round. A call is weighed by its duration. */
const SHARE = 0.75;

interface Hold {
  readonly kind: string;
  readonly endAt: number;
  readonly ms: number;
}

interface RoundFigures {
  readonly of: string;
  /** Factor by which other work on the machine slows everything down. */
  readonly others: number;
  /** The longest hold of the loop, minus that of an idle thread or of the control host's loop. */
  readonly loop: number;
  /** Milliseconds by canary. */
  readonly took: Readonly<Record<string, number>>;
  /** Milliseconds by canary, on the control host. */
  readonly control: Readonly<Record<string, number>>;
}

/** Judges a case by the median of several rounds: chance affects few of them, and an attack affects each. */
export function judge({ wanted, mode, hosts, control, leeway = 1 }: Evidence): Verdict {
  const { name } = wanted;
  const lost = hosts.find(({ played }) => played === undefined);
  if (lost !== undefined) {
    const longest = Math.max(0, ...readHolds(lost.probe).map(({ ms }) => ms));
    const problems = [`The host did not come back: ${lost.log.trim().slice(-300)}`];
    return { name, mode, problems, figures: `the longest hold that ended ${longest.toFixed(0)}`, ends: {} };
  }
  const plays = hosts.flatMap(({ played }) => played ?? []);
  const beside = { calls: control.calls, holds: readHolds(control.probe) };
  const rounds = hosts.flatMap(({ played, probe, outside }) => {
    const holds = readHolds(probe);
    return (played?.rounds ?? []).map((round) => ({ ...figuresOf(round, holds, beside), others: othersIn(round, outside) }));
  });
  const problems = plays
    .flatMap(({ wrong }) => wrong)
    .slice(0, 3)
    .map((one) => `Canary ${one}`);
  const refused = plays.flatMap(({ ends }) => Object.keys(ends)).find((end) => /tool_not_found|permission_denied|invalid_args/u.test(end));
  if (refused !== undefined) problems.push(`The attack was refused: ${refused}`);
  const idle = Object.fromEntries(
    Object.keys(plays[0]?.idle ?? {}).map((canary) => [canary, median(plays.flatMap((play) => play.idle[canary] ?? []))]),
  );
  const names = [...new Set(rounds.map(({ of }) => of))];
  const attacks = names.map((attack) =>
    judgeAttack(
      rounds.filter(({ of }) => of === attack),
      idle,
      leeway,
    ),
  );
  problems.push(...attacks.flatMap((attack) => attack.problems));
  const figures = [worstOf(attacks)];
  const grownMb = Math.max(...hosts.map(grownBytes)) / 2 ** 20;
  if (grownMb > wanted.growthMb) problems.push(`Memory grew by ${grownMb.toFixed(0)} MB, not by ${wanted.growthMb} at most`);
  figures.push(`+${grownMb.toFixed(0)} MB`);
  return { name, mode, problems, figures: figures.join(", "), ends: plays[0]?.ends ?? {} };
}

interface AttackFigures {
  readonly problems: readonly string[];
  readonly loop: number;
  readonly text: string;
}

function judgeAttack(rounds: readonly RoundFigures[], idle: Readonly<Record<string, number>>, leeway: number): AttackFigures {
  const of = rounds[0]?.of ?? "";
  const problems: string[] = [];
  const others = median(rounds.map((round) => round.others));
  const loop = median(rounds.map((round) => round.loop));
  if (median(rounds.map((round) => round.loop / round.others)) > LONGEST_HOLD_MS * leeway)
    problems.push(`The event loop was held for ${loop.toFixed(0)} ms`);
  const figures = [`loop ${loop.toFixed(0)} (${rounds.map((round) => round.loop.toFixed(0)).join(" ")}), others × ${others.toFixed(1)}`];
  for (const [canary, alone] of Object.entries(idle)) {
    const took = median(rounds.map((round) => round.took[canary] ?? Infinity));
    const control = median(rounds.map((round) => round.control[canary] ?? 0));
    const times = median(
      rounds.map((round) => {
        // Waiting calls do not take longer because of other work, but short calls do.
        const expected = Math.max(alone, round.control[canary] ?? 0, LEAST_IDLE_MS) + (round.others - 1) * LEAST_IDLE_MS;
        return (round.took[canary] ?? Infinity) / expected;
      }),
    );
    const figure = `${canary} ${took.toFixed(0)} (alone ${alone.toFixed(1)}, beside ${control.toFixed(0)})`;
    if (times > TIMES_IDLE * leeway) problems.push(`Canary ${figure} ms`);
    figures.push(figure);
  }
  return { problems: problems.map((problem) => (of === "" ? problem : `${of}: ${problem}`)), loop, text: figures.join(", ") };
}

/** Returns the figures of the attack that held the loop longest. */
function worstOf(attacks: readonly AttackFigures[]): string {
  return attacks.toSorted((a, b) => b.loop - a.loop)[0]?.text ?? "";
}

interface Beside {
  readonly calls: ControlEvidence["calls"];
  readonly holds: readonly Hold[];
}

function figuresOf(round: Round, holds: readonly Hold[], beside: Beside): Omit<RoundFigures, "others"> {
  const { of, beginAt, endAt, calls } = round;
  const around = beside.calls.filter((call) => call.endAt >= beginAt && call.beginAt <= endAt);
  const tookBeside = (canary: string): number =>
    usualOf(around.filter(({ tool }) => tool === canary).map((call) => call.endAt - call.beginAt));
  const noise = Math.max(longestIn(round, holds, "idle"), longestIn(round, beside.holds, "loop"));
  return {
    of,
    took: Object.fromEntries(Object.entries(calls).map(([canary, times]) => [canary, usualOf(times)])),
    loop: Math.max(0, longestIn(round, holds, "loop") - noise),
    control: Object.fromEntries(Object.keys(calls).map((canary) => [canary, tookBeside(canary)])),
  };
}

/**
 * Returns the factor by which other work slowed the host down in a round: available processor time divided by the share that the host
 * used or could have used. 2 if others took half of it. 1 if the system has no such figures.
 */
function othersIn({ beginAt, endAt }: Round, outside: readonly OutsideSample[]): number {
  const within = outside.filter(({ at }) => at >= beginAt && at <= endAt);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined) return 1;
  const own = last.cpuMs - first.cpuMs + (last.idleMs - first.idleMs);
  return own > 0 ? Math.min(MOST_OTHERS, Math.max(1, (last.machineMs - first.machineMs) / own)) : 1;
}

/** Returns 0 without calls. */
function usualOf(times: readonly number[]): number {
  const sum = times.reduce((total, ms) => total + ms, 0);
  let before = 0;
  return times.toSorted((a, b) => a - b).find((ms) => (before += ms) >= SHARE * sum) ?? 0;
}

function longestIn({ beginAt, endAt }: Round, holds: readonly Hold[], wanted: Hold["kind"]): number {
  return Math.max(0, ...holds.filter(({ kind, endAt: at }) => kind === wanted && at >= beginAt && at <= endAt).map(({ ms }) => ms));
}

/** Returns the growth from the peak before the attack to the overall peak. */
function grownBytes({ played, outside }: HostEvidence): number {
  const beginAt = played?.rounds[0]?.beginAt ?? 0;
  const most = (samples: readonly OutsideSample[]): number => Math.max(0, ...samples.map(({ residentBytes }) => residentBytes));
  return most(outside) - most(outside.filter(({ at }) => at < beginAt));
}

function readHolds(probe: string): readonly Hold[] {
  return probe.split("\n").flatMap((line) => {
    const [kind = "", endAt, ms] = line.split(" ");
    return ms === undefined ? [] : [{ kind, endAt: Number(endAt), ms: Number(ms) }];
  });
}
