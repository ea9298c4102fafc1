/** Calls that belong together: the steps of a tool, of a skill, or of a turn sent as one (SPEC K6, AU6). */

import type { JsonValue } from "../../manifests/mod.ts";
import type { Slots } from "./session.ts";

/** Waiting calls above a step, at most. */
export const MAX_CHAIN_DEPTH = 8;
/** Steps of one chain, whoever calls them. */
export const MAX_CHAIN_STEPS = 100;

/** Where a call stands in its chain; part of every call that is a step. */
export interface ChainPlace {
  readonly chain: Chain;
  /** In the order in which the steps were begun, from 0. */
  readonly index: number;
  /** How many calls wait for this one. 0: a step of a turn. */
  readonly depth: number;
  /** Qualified names of the tools that wait for this one, the outermost first. */
  readonly path: readonly string[];
  /** The call that made it; absent for a step of a turn. */
  readonly parentCallId?: string;
  /** Where it takes its slot: what a call calls shares that call's own (SPEC D4). Absent: the session's. */
  readonly slots?: Slots;
  /** A plugin that keeps its state waits for it: its next call can only begin when that one has ended. */
  readonly holdsState: boolean;
  /** A person is asked about it: those that wait for it stand still until what this returns has been called (SPEC D4). */
  readonly standStill?: () => () => Promise<void>;
}

/** One step that has ended, as results and records show it. */
export interface ChainStep {
  readonly callId: string;
  /** Qualified where there is such a tool. */
  readonly tool: string;
  readonly index: number;
  /** Steps of one wave ran at the same time, at least in part. From 0. */
  readonly wave: number;
  readonly depth: number;
  readonly parentCallId?: string;
  readonly ok: boolean;
  /** Of the error. */
  readonly code?: string;
  readonly durationMs: number;
}

/** What a record of an invocation says of its chain (SPEC AU6). */
export interface ChainMark {
  readonly chainId: string;
  readonly chainIndex: number;
}

export function markOf({ chain, index }: ChainPlace): ChainMark {
  return { chainId: chain.id, chainIndex: index };
}

/** What ended a step. */
export type StepEnd = Pick<ChainStep, "callId" | "tool" | "depth" | "ok" | "durationMs"> & {
  readonly code?: string;
  readonly parentCallId?: string;
};

/** Counts the steps and keeps what came of them. */
export class Chain {
  readonly id: string;
  #begun = 0;
  #running = 0;
  #wave = -1;
  readonly #ended: ChainStep[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Takes the next place. What runs while nothing else does begins a new wave. */
  begin(): { readonly index: number; readonly end: (step: StepEnd) => void } {
    const index = this.#begun++;
    if (this.#running === 0) this.#wave++;
    this.#running++;
    const wave = this.#wave;
    return {
      index,
      end: (step) => {
        this.#running--;
        // Those that were refused for being too many are in the record; a list of them would have no end.
        if (index < MAX_CHAIN_STEPS) this.#ended.push(Object.freeze({ ...step, index, wave }));
      },
    };
  }

  /** In the order in which they were begun. */
  get steps(): readonly ChainStep[] {
    return this.#ended.toSorted((left, right) => left.index - right.index);
  }
}

/** What a tool gets of a call that it made. */
export type StepAnswer =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly tool: string } };
