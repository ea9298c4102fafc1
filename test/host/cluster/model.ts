/**
 * A model of one callId on a cluster: every interleaving of members that decide, write, run, die and are counted as dead. The decisions are the
 * program's own (`acceptance.ts`); the store, the network and the deaths are the model's.
 *
 * A request that was sent once may arrive at any member, at any time, any number of times or never. That covers lost, doubled, delayed and reordered
 * messages. A write arrives once or never, also after its member stopped waiting for it, or died.
 */

import { type CallRecord, decideEnd, decideRequest, MOST_RUNS } from "../../../host/cluster/acceptance.ts";

interface Stored {
  readonly record: CallRecord;
  readonly revision: number;
  /** Told to callers of an ended call. */
  readonly result: string | undefined;
}

/** A member's work for the call. Everything between two waits of the program is one step here. */
type Work =
  | { readonly at: "idle" }
  | { readonly at: "read"; readonly hash: string; readonly seen: Stored | undefined }
  | { readonly at: "viewed"; readonly hash: string; readonly seen: Stored | undefined; readonly fate: "alive" | "dead" | "unknown" }
  | { readonly at: "accepting"; readonly hash: string; readonly write: number; readonly run: number }
  | { readonly at: "settling"; readonly write: number }
  | { readonly at: "running"; readonly hash: string; readonly revision: number }
  | { readonly at: "ending"; readonly hash: string; readonly write: number }
  | { readonly at: "unsure"; readonly hash: string };

interface Member {
  readonly state: "new" | "up" | "dead";
  /** Whether the others see its heartbeat. */
  readonly beats: boolean;
  readonly work: Work;
}

interface Write {
  readonly id: number;
  /** Revision that it replaces; 0: none is there. */
  readonly expected: number;
  readonly record: CallRecord;
  readonly result: string | undefined;
}

export interface State {
  readonly stored: Stored | undefined;
  readonly members: Readonly<Record<string, Member>>;
  /** Writes under way. */
  readonly writes: readonly Write[];
  /** Outcome of the newest write that a member waits for: its revision, or 0 if it was refused. */
  readonly outcomes: Readonly<Record<number, number>>;
  /** Runs, as `member hash run`; `run` is the number in the record. */
  readonly effects: readonly string[];
  /** Answers that callers got, as `hash result`. */
  readonly told: readonly string[];
  readonly faults: number;
  readonly nextWrite: number;
}

export interface ModelOptions {
  readonly isIdempotent: boolean;
  /** Members that run from the beginning, and one that starts later. */
  readonly members: readonly string[];
  readonly late?: string;
  readonly hashes: readonly string[];
  /** Deaths, lost writes, waits given up and false alarms, together. */
  readonly faults: number;
  /** A defect, to see that the model finds it. */
  readonly defect?: "plain_put" | "ignores_hash" | "forgets_what_runs";
}

/** `isFault`: need not ever happen. */
interface Step {
  readonly name: string;
  readonly isFault: boolean;
  readonly next: State;
}

const IDLE: Work = { at: "idle" };

export function firstState({ members, late }: ModelOptions): State {
  const up = members.map((name): [string, Member] => [name, { state: "up", beats: true, work: IDLE }]);
  const later: [string, Member][] = late === undefined ? [] : [[late, { state: "new", beats: false, work: IDLE }]];
  return {
    ...{ stored: undefined, writes: [], outcomes: {}, effects: [], told: [], faults: 0, nextWrite: 1 },
    members: Object.fromEntries([...up, ...later]),
  };
}

/** Returns the broken promise, if a state breaks one. */
export function brokenPromise({ effects, told }: State, { isIdempotent }: ModelOptions): string | undefined {
  if (!isIdempotent && effects.length > 1) return `more than one effect: ${effects.join(", ")}`;
  if (new Set(effects.map((effect) => effect.split(" ")[2])).size < effects.length)
    return `one acceptance ran twice: ${effects.join(", ")}`;
  if (effects.length > MOST_RUNS) return `more runs than allowed: ${effects.join(", ")}`;
  if (new Set(effects.map((effect) => effect.split(" ")[1])).size > 1) return `it ran with two hashes: ${effects.join(", ")}`;
  if (told.length > 1) return `more than one result: ${told.join(", ")}`;
  return undefined;
}

/** Returns every step that can be next. */
export function stepsFrom(state: State, options: ModelOptions): readonly Step[] {
  const steps: Step[] = [];
  const add = (name: string, next: Partial<State>, isFault = false): void => {
    if (isFault && state.faults >= options.faults) return;
    steps.push({ name, isFault, next: { ...state, ...next, faults: state.faults + (isFault ? 1 : 0) } });
  };
  const up = Object.entries(state.members).filter(([, member]) => member.state === "up");

  for (const [name, member] of Object.entries(state.members)) {
    const become = (change: Partial<Member>): Pick<State, "members"> => ({
      members: { ...state.members, [name]: { ...member, ...change } },
    });
    if (member.state === "new") add(`${name} starts`, become({ state: "up", beats: true }));
    // A dead process stops beating; one that lives may seem dead while it is cut off.
    if (member.state === "dead" && member.beats) add(`${name} is silent`, become({ beats: false }));
    if (member.state !== "up") continue;
    if (up.length > 1) add(`${name} dies`, become({ state: "dead", work: IDLE }), true);
    if (member.beats) add(`${name} seems dead`, become({ beats: false }), true);
    else add(`${name} beats again`, become({ beats: true }));
    for (const step of workSteps(state, name, options)) add(`${name} ${step.name}`, step.next, step.isFault);
  }
  for (const write of state.writes) {
    const writes = state.writes.filter((other) => other !== write);
    const fits = options.defect === "plain_put" || (state.stored?.revision ?? 0) === write.expected;
    const revision = (state.stored?.revision ?? 0) + 1;
    const stored = fits ? { record: write.record, revision, result: write.result } : state.stored;
    const isAwaited = up.some(([, { work }]) => "write" in work && work.write === write.id);
    const outcomes = isAwaited ? { ...state.outcomes, [write.id]: fits ? revision : 0 } : state.outcomes;
    add(`write ${write.id} arrives`, { stored, writes, outcomes });
    add(`write ${write.id} is lost`, { writes }, true);
  }
  return steps;
}

interface WorkStep {
  readonly name: string;
  readonly next: Partial<State>;
  readonly isFault?: boolean;
}

/** Steps of one member. */
function workSteps(state: State, name: string, options: ModelOptions): readonly WorkStep[] {
  const member = state.members[name];
  if (member === undefined) return [];
  const { work } = member;
  const to = (next: Work, more: Partial<State> = {}): Partial<State> => ({
    ...more,
    members: { ...state.members, [name]: { ...member, work: next } },
  });
  /** Begins a write, and waits for its outcome as `waiting` says. */
  const write = (waiting: (id: number) => Work, expected: number, record: CallRecord, result?: string): Partial<State> => {
    const id = state.nextWrite;
    return to(waiting(id), { writes: [...state.writes, { id, expected, record, result }], nextWrite: id + 1 });
  };
  const run = (hash: string, revision: number, number: number): Partial<State> =>
    to({ at: "running", hash, revision }, { effects: [...state.effects, `${name} ${hash} ${number}`] });
  const tell = (hash: string, { result = "" }: Stored): Pick<State, "told"> => ({
    told: [...new Set([...state.told, `${hash} ${result}`])],
  });
  const end = (hash: string, expected: number): Partial<State> =>
    write((id) => ({ at: "ending", hash, write: id }), expected, { state: "ended", hash, incarnation: name }, `of ${name}`);

  if (work.at === "idle") {
    return options.hashes.flatMap((hash) => [
      { name: `gets ${hash}`, next: to({ at: "read", hash, seen: state.stored }) },
      // The program tries to create the record before it reads it.
      ...(state.stored === undefined
        ? []
        : [{ name: `gets ${hash} first`, next: to({ at: "viewed", hash, seen: undefined, fate: "unknown" as const }) }]),
    ]);
  }
  if (work.at === "read") {
    const other = work.seen?.record.state === "accepted" ? state.members[work.seen.record.incarnation] : undefined;
    // Without a heartbeat it is dead, or this member was not connected for long enough to say so.
    const fates = other === undefined || other.beats ? (["alive"] as const) : (["dead", "unknown"] as const);
    return fates.map((fate) => ({ name: `takes it for ${fate}`, next: to({ ...work, at: "viewed", fate }) }));
  }
  if (work.at === "viewed") {
    const { hash, seen } = work;
    const asked = options.defect === "ignores_hash" ? (seen?.record.hash ?? hash) : hash;
    const decided = decideRequest(seen?.record, asked, { incarnation: name, fateOf: () => work.fate });
    const expected = seen?.revision ?? 0;
    const accepted = (runs: number): CallRecord => ({
      state: "accepted",
      hash,
      incarnation: name,
      isIdempotent: options.isIdempotent,
      run: runs,
    });
    if (decided.move === "accept" || decided.move === "take_over") {
      const runs = decided.move === "accept" ? 1 : decided.run;
      return [{ name: decided.move, next: write((id) => ({ at: "accepting", hash, write: id, run: runs }), expected, accepted(runs)) }];
    }
    if (decided.move === "run")
      return [{ name: "run", next: run(hash, expected, seen?.record.state === "accepted" ? seen.record.run : 0) }];
    if (decided.move === "settle") {
      const lost: CallRecord = { state: "ended", hash, incarnation: name };
      return [{ name: "settle", next: write((id) => ({ at: "settling", write: id }), expected, lost, "lost") }];
    }
    return [{ name: decided.move, next: to(IDLE, decided.move === "answer" && seen !== undefined ? tell(hash, seen) : {}) }];
  }
  if (work.at === "running") return [{ name: "ends", next: end(work.hash, work.revision) }];
  if (work.at === "unsure") {
    // The program reads, and decides again; meanwhile the call counts as running.
    const { move } = decideEnd(state.stored?.record, name);
    if (move === "end") return [{ name: "ends again", next: end(work.hash, state.stored?.revision ?? 0) }];
    return [{ name: move, next: to(IDLE, move === "done" && state.stored !== undefined ? tell(work.hash, state.stored) : {}) }];
  }
  return outcomeSteps();

  /** A member waits for a write: its outcome arrives, or the wait is given up. */
  function outcomeSteps(): readonly WorkStep[] {
    if (!("write" in work)) return [];
    const outcome = state.outcomes[work.write];
    const outcomes = Object.fromEntries(Object.entries(state.outcomes).filter(([id]) => Number(id) !== work.write));
    const isLost = outcome === undefined && state.writes.every(({ id }) => id !== work.write);
    const afterGivingUp: Work = work.at === "ending" && options.defect !== "forgets_what_runs" ? { at: "unsure", hash: work.hash } : IDLE;
    const givesUp = { name: "gives up waiting", next: to(afterGivingUp, { outcomes }), isFault: !isLost };
    if (outcome === undefined) return [givesUp];
    return [{ name: outcome > 0 ? "was written" : "was refused", next: afterOutcome(outcome, outcomes) }, givesUp];
  }

  function afterOutcome(revision: number, outcomes: State["outcomes"]): Partial<State> {
    if (work.at === "accepting") return revision > 0 ? { ...run(work.hash, revision, work.run), outcomes } : to(IDLE, { outcomes });
    if (work.at === "ending")
      return revision > 0
        ? to(IDLE, { outcomes, ...tell(work.hash, resultOf(name)) })
        : to({ at: "unsure", hash: work.hash }, { outcomes });
    return to(IDLE, { outcomes });
  }

  function resultOf(member: string): Stored {
    return { record: { state: "ended", hash: "", incarnation: member }, revision: 0, result: `of ${member}` };
  }
}

export interface Explored {
  readonly states: number;
  /** The broken promise, and the steps that lead there. */
  readonly broken?: { readonly promise: string; readonly path: readonly string[] };
}

/** Explores every state that can be reached, the nearest first. */
export function explore(options: ModelOptions): Explored {
  const first = firstState(options);
  const keys = [keyOf(first)];
  const found = new Map([[keys[0] ?? "", 0]]);
  const cameFrom: (readonly [number, string])[] = [[-1, ""]];
  /** Per state, those that lead to it by a step other than a fault. */
  const before: number[][] = [[]];
  const ended: number[] = [];
  let wave: (readonly [number, State])[] = [[0, first]];

  const pathTo = (index: number): string[] => {
    const [previous, name] = cameFrom[index] ?? [-1, ""];
    return previous < 0 ? [] : [...pathTo(previous), name];
  };

  while (wave.length > 0) {
    const nextWave: (readonly [number, State])[] = [];
    for (const [index, state] of wave) {
      if (state.stored?.record.state === "ended") ended.push(index);
      for (const { name, isFault, next } of stepsFrom(state, options)) {
        const key = keyOf(next);
        let at = found.get(key);
        if (at === undefined) {
          at = found.size;
          found.set(key, at);
          cameFrom.push([index, name]);
          before.push([]);
          const promise = brokenPromise(next, options);
          if (promise !== undefined) return { states: found.size, broken: { promise, path: pathTo(at) } };
          nextWave.push([at, next]);
        }
        if (!isFault) before[at]?.push(index);
      }
    }
    wave = nextWave;
  }

  // Without further faults, the call can end from every state.
  const canEnd = new Set(ended);
  for (const index of canEnd) for (const previous of before[index] ?? []) canEnd.add(previous);
  const stuck = cameFrom.findIndex((_, index) => !canEnd.has(index));
  return stuck < 0 ? { states: found.size } : { states: found.size, broken: { promise: "the call never ends", path: pathTo(stuck) } };
}

/** Equal for states that differ in the numbers of writes only. */
function keyOf(state: State): string {
  const numbers = new Map<number, number>();
  const rename = (id: number): number => {
    const known = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, known);
    return known;
  };
  const members = Object.values(state.members).map(({ state: is, beats, work }) => [
    is,
    beats,
    "write" in work ? { ...work, write: rename(work.write) } : work,
  ]);
  const writes = state.writes.map(({ id, ...write }) => `${numbers.get(id) ?? 0} ${JSON.stringify(write)}`).toSorted();
  const outcomes = Object.entries(state.outcomes).map(([id, revision]) => [numbers.get(Number(id)) ?? 0, revision]);
  return JSON.stringify([state.stored, members, writes, outcomes, state.effects.toSorted(), state.told.toSorted(), state.faults]);
}
