/** Replays a recorded call with observations: where its operations were sent, and what its time went to. */

import type { Recording, RecordedOutcome } from "../call/recording.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Observed } from "../../sandbox/mod.ts";
import { faultToError } from "../routes/fault-to-error.ts";
import { replay, type ReplayOptions } from "./replay.ts";

export interface TracedOperation {
  /** From 1, in the order of sending. */
  readonly place: number;
  readonly name: string;
  readonly args: JsonValue;
  /** Milliseconds from the start of the call until the operation was sent to the host. */
  readonly startMs?: number;
  /** Milliseconds until the answer entered the plugin: `hostMs`, and the wait for the plugin's turn before and after. */
  readonly totalMs?: number;
  readonly hostMs?: number;
  readonly waitMs?: number;
  /** Bytes of the bytes or text sent. */
  readonly sentBytes: number;
  /** Bytes of the answer: its JSON and its bytes. */
  readonly resultBytes: number;
  /** `ok`, the name of the error, or `unanswered` if the call ended first. */
  readonly outcome: string;
  /** `file:line:column` in the author's files. Absent if unknown, or if no line of the plugin sent it. */
  readonly at?: string;
}

/** Lists the operations of a recorded call. @param observed of its replay; absent: without lines */
export function traceOf({ operations, hostMs = [], tape }: Recording, observed?: Observed): readonly TracedOperation[] {
  return operations.map(({ name, args, sent, answer }, index) => {
    const at = observed?.places[observed.asked[index] ?? -1];
    return {
      place: index + 1,
      name,
      args,
      ...timesOf(tape.times?.slice(index * 2, index * 2 + 2) ?? [], hostMs[index] ?? -1),
      sentBytes: sent?.length ?? 0,
      resultBytes: answer === undefined ? 0 : sizeOf(answer),
      outcome: answer === undefined ? "unanswered" : answer.ok ? "ok" : answer.error.name,
      ...(at !== undefined && { at }),
    };
  });
}

function timesOf(
  [startMs, endMs = -1]: readonly number[],
  hostMs: number,
): Pick<TracedOperation, "startMs" | "totalMs" | "hostMs" | "waitMs"> {
  const host = hostMs < 0 ? {} : { hostMs };
  if (startMs === undefined) return host;
  if (endMs < 0) return { startMs, ...host };
  const totalMs = rounded(endMs - startMs);
  return { startMs, totalMs, ...host, ...(hostMs >= 0 && { waitMs: rounded(Math.max(0, totalMs - hostMs)) }) };
}

function sizeOf(answer: NonNullable<Recording["operations"][number]["answer"]>): number {
  if (!answer.ok) return answer.error.message.length;
  const { value, bytes } = answer;
  return (value === null ? 0 : JSON.stringify(value).length) + (bytes?.length ?? 0);
}

/** Rounds to hundredths. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Observations of a recorded call, or why there are none. */
export type Observation =
  | { readonly ok: true; readonly observed: Observed; readonly outcome: RecordedOutcome; readonly isSame: boolean }
  | { readonly ok: false; readonly reason: string };

/** Replays a recorded call with observations. Nothing outside is touched. */
export async function observe(options: ReplayOptions): Promise<Observation> {
  const replayed = await replay({ ...options, observes: true });
  if (replayed.kind === "impossible") return { ok: false, reason: replayed.reason };
  const { observed, outcome } = replayed;
  if (observed === undefined)
    return {
      ok: false,
      reason: outcome.ok ? "The replay was not observed" : `The replay ended early: ${faultToError(outcome.fault).message}`,
    };
  return { ok: true, observed, outcome, isSame: replayed.kind === "same" };
}

export interface ProfiledFunction {
  /** `(anonymous)` for a function without a name. */
  readonly name: string;
  /** `file:line:column` of the function, `native` for one of the engine, `bascule` for one of the sandbox's APIs. */
  readonly place: string;
  /** Milliseconds in the function itself, and in all that it called. */
  readonly selfMs: number;
  readonly totalMs: number;
  /** The same in units of fuel. */
  readonly selfFuel: number;
  readonly totalFuel: number;
}

export interface Profile {
  readonly totalMs: number;
  readonly samples: number;
  /** Most time in itself first. */
  readonly functions: readonly ProfiledFunction[];
}

/** Sums the samples by function. A recursive function counts once per sample. */
export function profileOf({ samples, stacks, functions }: Observed): Profile {
  const sums = functions.map(({ name, place }) => ({ name: shownName(name), place, selfMs: 0, totalMs: 0, selfFuel: 0, totalFuel: 0 }));
  let totalUs = 0;
  for (const [stack, fuel, us] of samples) {
    totalUs += us;
    const ids = stacks[stack] ?? [];
    for (const id of new Set(ids)) {
      const sum = sums[id];
      if (sum === undefined) continue;
      sum.totalMs += us / 1000;
      sum.totalFuel += fuel;
      if (id !== ids.at(-1)) continue;
      sum.selfMs += us / 1000;
      sum.selfFuel += fuel;
    }
  }
  const listed = sums
    .filter(({ totalMs, totalFuel }) => totalMs > 0 || totalFuel > 0)
    .sort((left, right) => right.selfMs - left.selfMs || right.totalMs - left.totalMs);
  return {
    totalMs: rounded(totalUs / 1000),
    samples: samples.length,
    functions: listed.map((sum) => ({ ...sum, selfMs: rounded(sum.selfMs), totalMs: rounded(sum.totalMs) })),
  };
}

function shownName(name: string): string {
  return name === "" ? "(anonymous)" : name;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly scriptId: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  hitCount: number;
  readonly children: number[];
}

/** Returns a profile in the format of Chrome's developer tools (`.cpuprofile`, https://chromedevtools.github.io/devtools-protocol/v8/Profiler/). */
export function toCpuProfile({ samples, stacks, functions }: Observed): object {
  const nodes: ProfileNode[] = [];
  const known = new Map<string, number>();
  const add = (parent: number, name: string, place: string): number => {
    const key = `${parent}\n${name}\n${place}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const [, url = place, line = "1", column = "1"] = /^(.*):(\d+):(\d+)$/.exec(place) ?? [];
    const callFrame = { functionName: name, scriptId: "0", url, lineNumber: Number(line) - 1, columnNumber: Number(column) - 1 };
    const id = nodes.push({ id: nodes.length + 1, callFrame, hitCount: 0, children: [] });
    known.set(key, id);
    nodes[parent - 1]?.children.push(id);
    return id;
  };
  const root = add(0, "(root)", "");
  const hits: number[] = [];
  let endTime = 0;
  for (const [stack, , us] of samples) {
    let node = root;
    for (const id of stacks[stack] ?? []) node = add(node, functions[id]?.name ?? "", functions[id]?.place ?? "");
    const hit = nodes[node - 1];
    if (hit !== undefined) hit.hitCount++;
    hits.push(node);
    endTime += us;
  }
  return { nodes, startTime: 0, endTime, samples: hits, timeDeltas: samples.map(([, , us]) => us) };
}
