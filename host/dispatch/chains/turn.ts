/** The calls of one turn: dispatched together, and answered together with their chains (SPEC D4, K6, AU6). */

import type { ToolResult } from "../../call/call.ts";
import { Chain, type ChainPlace, type ChainStep } from "../../call/chain.ts";

/** Results of a turn. */
export interface TurnResponse {
  readonly turnId: string;
  /** In the order of the requests. */
  readonly results: readonly ToolResult[];
  /** The turn itself, if it was sent as a chain, and one chain for each of its calls that called other tools. */
  readonly toolChains: readonly ToolChain[];
}

/** The steps of a chain, and how they ran. */
export interface ToolChain {
  readonly chainId: string;
  readonly modeRequested: ChainMode;
  /** `sequential` if no two steps overlapped in time. */
  readonly modeUsed: ChainMode;
  /** Whether a parallel chain ran sequentially because of its mutations. */
  readonly fallbackToSeq: boolean;
  /** Whether steps that change something may run beside others. */
  readonly parallelMutationsEnabled: boolean;
  /** Indexes of the steps that ran together, in order. */
  readonly waves: readonly (readonly number[])[];
  readonly steps: readonly ChainStep[];
}

/** Execution mode of the steps. */
export type ChainMode = "parallel" | "sequential";

/** Options of a turn that is sent as a chain. */
interface ChainRequest {
  /** Runs the steps one after the other. */
  readonly sequential: boolean;
  /** Runs steps that change something beside others: the caller ensures that they do not conflict. */
  readonly parallelMutations: boolean;
}

/** Dependencies of `runChain()`. */
interface ChainTurn<R> {
  readonly chainId: string;
  /** Returns whether a call of the tool may change something. */
  readonly isMutation: (tool: string) => boolean;
  readonly call: (request: R, place: ChainPlace) => Promise<ToolResult>;
  /** Answers a step that does not run. */
  readonly skip: (request: R, place: ChainPlace, because: string) => Promise<ToolResult>;
}

/**
 * Runs the requests in waves: read-only calls together, every other call alone. A wave with a failure is the last, because later steps
 * assume that it succeeded.
 */
export async function runChain<R extends { readonly tool: string }>(
  requests: readonly R[],
  options: ChainRequest,
  turn: ChainTurn<R>,
): Promise<{ readonly results: readonly ToolResult[]; readonly chain: ToolChain }> {
  const chain = new Chain(turn.chainId);
  const results: ToolResult[] = [];
  let failure: string | undefined;
  for (const wave of wavesOf(requests, options, turn.isMutation)) {
    const because = failure;
    const ended = await Promise.all(
      wave.map(async (request) => {
        const { index, end } = chain.begin();
        const place: ChainPlace = { chain, index, depth: 0, path: [], holdsState: false };
        const result = because === undefined ? await turn.call(request, place) : await turn.skip(request, place, because);
        end({
          ...{ callId: result.callId, tool: result.tool, depth: 0, ok: result.ok, durationMs: result.durationMs },
          ...(!result.ok && { code: result.error.code }),
        });
        return result;
      }),
    );
    results.push(...ended);
    const failed = ended.find(({ ok }) => !ok);
    if (failed?.ok === false) failure ??= `${failed.tool} (${failed.error.code})`;
  }
  return { results, chain: describeChain(chain.id, chain.steps, options) };
}

function wavesOf<R extends { readonly tool: string }>(
  requests: readonly R[],
  { sequential, parallelMutations }: ChainRequest,
  isMutation: ChainTurn<R>["isMutation"],
): readonly (readonly R[])[] {
  const waves: R[][] = [];
  let isOpen = false;
  for (const request of requests) {
    const isAlone = sequential || (!parallelMutations && isMutation(request.tool));
    if (isOpen && !isAlone) waves.at(-1)?.push(request);
    else waves.push([request]);
    isOpen = !isAlone;
  }
  return waves;
}

/** Returns the chains of calls that called other tools. Their own code decided what ran concurrently. */
export function chainsOf(results: readonly ToolResult[]): readonly ToolChain[] {
  return results.flatMap(({ callId, steps }) => (steps === undefined || steps.length === 0 ? [] : [describeChain(callId, steps)]));
}

function describeChain(chainId: string, steps: readonly ChainStep[], options?: ChainRequest): ToolChain {
  const waves: number[][] = [];
  for (const { wave, index } of steps) (waves[wave] ??= []).push(index);
  const modeUsed = waves.some((wave) => wave.length > 1) ? "parallel" : "sequential";
  const modeRequested = options === undefined ? modeUsed : options.sequential ? "sequential" : "parallel";
  return Object.freeze({
    chainId,
    modeRequested,
    modeUsed,
    fallbackToSeq: modeRequested === "parallel" && modeUsed === "sequential" && steps.length > 1,
    parallelMutationsEnabled: options?.parallelMutations ?? true,
    waves,
    steps,
  });
}
