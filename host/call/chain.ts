/** Chains of calls: the steps of a tool, of a skill, or of a turn sent as a chain (SPEC K6, AU6). */

import type { JsonValue } from "../../manifests/mod.ts";
import type { Slots } from "./session.ts";

/** Maximum number of waiting calls above a step. */
export const MAX_CHAIN_DEPTH = 8;
/** Maximum number of steps of one chain, whichever calls make them. */
export const MAX_CHAIN_STEPS = 100;

/** Position of a call in its chain; present in every call that is a step. */
export interface ChainPlace {
  readonly chain: Chain;
  /** Counts the steps in the order in which they began, from 0. */
  readonly index: number;
  /** Number of calls that wait for this one; 0 for a step of a turn. */
  readonly depth: number;
  /** Qualified names of the tools that wait for this one, the outermost first. */
  readonly path: readonly string[];
  /** The call that made this step; absent for a step of a turn. */
  readonly parentCallId?: string;
  /** Slots that the step uses: the steps of a call share that call's slot (SPEC D4). Absent: the session's. */
  readonly slots?: Slots;
  /** Whether a plugin with session state waits for this step. Its next call can begin only when that one has ended. */
  readonly holdsState: boolean;
  /** Suspends the waiting calls above while the user is asked; the returned function resumes them (SPEC D4). */
  readonly standStill?: () => () => Promise<void>;
}

/** One ended step, as shown in results and records. */
export interface ChainStep {
  readonly callId: string;
  /** Qualified if the tool exists. */
  readonly tool: string;
  readonly index: number;
  /** Steps of the same wave overlapped in time. From 0. */
  readonly wave: number;
  readonly depth: number;
  readonly parentCallId?: string;
  readonly ok: boolean;
  /** Error code, if the step failed. */
  readonly code?: string;
  readonly durationMs: number;
}

/** Chain fields in the record of a call (SPEC AU6). */
export interface ChainMark {
  readonly chainId: string;
  readonly chainIndex: number;
}

export function markOf({ chain, index }: ChainPlace): ChainMark {
  return { chainId: chain.id, chainIndex: index };
}

/** Outcome of a step. */
type StepEnd = Pick<ChainStep, "callId" | "tool" | "depth" | "ok" | "durationMs"> & {
  readonly code?: string;
  readonly parentCallId?: string;
};

/** Counts the steps and keeps their outcomes. */
export class Chain {
  readonly id: string;
  #begun = 0;
  #running = 0;
  #wave = -1;
  readonly #ended: ChainStep[] = [];

  constructor(id: string) {
    this.id = id;
  }

  /** Takes the next index. A step that begins while no other runs starts a new wave. */
  begin(): { readonly index: number; readonly end: (step: StepEnd) => void } {
    const index = this.#begun++;
    if (this.#running === 0) this.#wave++;
    this.#running++;
    const wave = this.#wave;
    return {
      index,
      end: (step) => {
        this.#running--;
        // Steps above the maximum are in the journal only, so that this list stays bounded.
        if (index < MAX_CHAIN_STEPS) this.#ended.push(Object.freeze({ ...step, index, wave }));
      },
    };
  }

  /** Returns the steps in the order in which they began. */
  get steps(): readonly ChainStep[] {
    return this.#ended.toSorted((left, right) => left.index - right.index);
  }
}

/** Answer that a tool receives for a call that it made. */
export type StepAnswer =
  | { readonly ok: true; readonly output: JsonValue }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly tool: string } };
