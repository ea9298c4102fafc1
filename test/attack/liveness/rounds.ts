/** Plays one case against one host through any door: canaries alone, then canaries beside rounds of the attack. */

import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { CANARY, type CanaryCall } from "./canaries.ts";

/** Durations and counts of a run. */
export interface Pace {
  /** Number of calls of each canary alone. */
  readonly idleCalls: number;
  readonly sleepMs: number;
  readonly roundMs: number;
  readonly rounds: number;
}

/** A way to call a host. */
export interface Caller {
  /** @returns the output; rejects with an `Error` that contains the error's code and message */
  call(tool: string, args: object, signal?: AbortSignal): Promise<unknown>;
}

export interface Played {
  /** Milliseconds of each call alone, by canary. */
  readonly idle: Readonly<Record<string, readonly number[]>>;
  readonly rounds: readonly Round[];
  /** Canaries that failed or returned a wrong answer. */
  readonly wrong: readonly string[];
  /** Number of the attack's calls by outcome. A call that is refused at once is not an attack. */
  readonly ends: Readonly<Record<string, number>>;
}

export interface Round {
  /** Name of the attack; empty if there is only one. */
  readonly of: string;
  /** Milliseconds since the epoch. */
  readonly beginAt: number;
  readonly endAt: number;
  /** Milliseconds of each call, by canary. */
  readonly calls: Readonly<Record<string, readonly number[]>>;
}

/** Repeats a hostile act until `signal` is aborted. */
export type Attack = (signal: AbortSignal) => Promise<void>;

/** Time before the attack, so that canaries are already running when it begins. */
const HEAD_START_MS = 20;
const REST_MS = 50;
/** Pause between calls of brief canaries. Without it, they would load the host themselves. */
const BETWEEN_CALLS_MS = 10;

/** @param attacks by name */
export async function play(
  caller: Caller,
  canaries: readonly CanaryCall[],
  attacks: ReadonlyMap<string, Attack>,
  { pace, ends }: { readonly pace: Pace; readonly ends: ReadonlyMap<string, number> },
): Promise<Played> {
  const wrong: string[] = [];
  const idle: Record<string, number[]> = {};
  const sing = async ({ tool, args, output }: CanaryCall): Promise<number> => {
    const begin = performance.now();
    let found: unknown;
    try {
      found = await caller.call(`${CANARY}.${tool}`, args);
    } catch (error) {
      found = String(error);
    }
    if (found !== output && wrong.length < 20) wrong.push(`${tool}: ${String(found)}`.slice(0, 300));
    return performance.now() - begin;
  };
  // Warm up: the first calls find nothing loaded.
  for (const canary of canaries) for (let nth = 0; nth < 3; nth++) await sing(canary);
  await Promise.all(
    canaries.map(async (canary) => {
      const times = (idle[canary.tool] = [] as number[]);
      for (let nth = 0; nth < pace.idleCalls; nth++) {
        times.push(await sing(canary));
        await pause(BETWEEN_CALLS_MS);
      }
    }),
  );
  const playRound = async (of: string, attack: Attack): Promise<Round> => {
    const calls: Record<string, number[]> = {};
    const beginAt = epochMs();
    const end = new AbortController();
    const singing = canaries.map(async (canary) => {
      const times = (calls[canary.tool] = [] as number[]);
      do {
        times.push(await sing(canary));
        await pause(BETWEEN_CALLS_MS);
      } while (!end.signal.aborted);
    });
    await pause(HEAD_START_MS);
    const attacking = attack(end.signal);
    await pause(pace.roundMs);
    end.abort();
    await Promise.all([...singing, attacking]);
    // Work that the attack left behind counts as part of it.
    await pause(REST_MS);
    return { of, beginAt, endAt: epochMs(), calls };
  };
  const rounds: Round[] = [];
  for (const [of, attack] of attacks) for (let nth = 0; nth < pace.rounds; nth++) rounds.push(await playRound(of, attack));
  return { idle, rounds, wrong, ends: Object.fromEntries(ends) };
}

function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

export interface KeyedQueue {
  readonly tools: readonly string[];
  readonly args: object;
  /** Number of calls by outcome. */
  readonly ends: Map<string, number>;
  /** Default 4. */
  readonly lanes?: number;
}

/** Runs several lanes, each of which makes one call after another. The tools take turns. */
export function lanesOf(caller: Caller, { tools, args, ends, lanes = 4 }: KeyedQueue): Attack {
  let next = 0;
  return async (signal) => {
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (!signal.aborted) {
          const tool = tools[next++ % tools.length] ?? "";
          const end = await caller.call(tool, args, signal).then(
            () => "ok",
            (error: unknown) => String(error),
          );
          // Ignore results, as clients may.
          await turn();
          const kind = `${tool} ${end}`.slice(0, 120);
          if (ends.size < 50 || ends.has(kind)) ends.set(kind, (ends.get(kind) ?? 0) + 1);
        }
      }),
    );
  };
}
