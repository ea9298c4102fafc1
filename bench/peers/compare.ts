/** Alternates between peers, batch by batch, and returns the cost of a call of each. */

import { inTurn, toComparison, WARM_CALLS } from "../measure.ts";
import { BASELINE, type Peer } from "./peer.ts";
import { type Mode, type Remote, startRemote } from "./remote.ts";
import type { Absent, PeerRow } from "./result.ts";
import { type ToolName, TOOLS } from "./work.ts";

/** Maximum time of a batch, which has at least one call. */
const BATCH_MS = 8;

interface Candidate {
  readonly peer: string;
  readonly remote: Remote;
  readonly tool: ToolName;
  readonly mode: Mode;
  readonly calls: number;
  /** Name of the candidate in `toComparison`. */
  readonly name: string;
  /** Milliseconds of a call, one for each round. */
  readonly samples: number[];
}

export interface CompareOptions {
  readonly rounds: number;
  /** Warm-up time of each candidate before the first round, unless `WARM_CALLS` come first; default one second. */
  readonly warmMs?: number;
  /** Reports progress as a line of text. */
  readonly say: (line: string) => void;
}

export interface Compared {
  readonly rows: readonly PeerRow[];
  readonly absent: readonly Absent[];
}

/** A peer that does not start, or fails later, is left out with the reason. `peers` has the baseline. */
export async function comparePeers(peers: readonly Peer[], { rounds, warmMs = 1_000, say }: CompareOptions): Promise<Compared> {
  const absent = new Map<string, string>();
  const candidates: Candidate[] = [];
  await using remotes = new AsyncDisposableStack();
  for (const peer of peers) {
    await giveUpOnFailure(peer.id, async () => {
      const remote = remotes.use(await startRemote(peer));
      for (const tool of TOOLS)
        for (const mode of remote.modes) candidates.push(await warmUp({ peer: peer.id, remote, tool, mode }, warmMs));
    });
    say(absent.has(peer.id) ? `${peer.id}: ${absent.get(peer.id) ?? ""}` : `${peer.id} is warm`);
  }
  for (let round = 0; round < rounds; round++) {
    for (const { peer, remote, tool, mode, calls, samples } of inTurn(candidates, round)) {
      if (absent.has(peer)) continue;
      await giveUpOnFailure(peer, async () => void samples.push(await remote.run({ tool, mode, calls })));
    }
  }
  const measured = candidates.filter(({ peer }) => !absent.has(peer));
  const times = toComparison(measured);
  const rows = measured.map(({ peer, tool, mode, name }): PeerRow => {
    return {
      peer,
      tool,
      mode,
      us: round3(times.medianMs(name) * 1_000),
      ratio: round3(times.ratio(name, nameOf(BASELINE, tool, "fresh"))),
    };
  });
  return { rows, absent: [...absent].map(([peer, reason]) => ({ peer, reason })) };

  async function giveUpOnFailure(peer: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      absent.set(peer, error instanceof Error ? error.message : String(error));
    }
  }
}

async function warmUp(candidate: Pick<Candidate, "peer" | "remote" | "tool" | "mode">, warmMs: number): Promise<Candidate> {
  const { peer, remote, tool, mode } = candidate;
  const begin = performance.now();
  let done = 0;
  let ms = Number.NaN;
  for (let calls = 1; done < WARM_CALLS && performance.now() - begin < warmMs; calls *= 2) {
    ms = await remote.run({ tool, mode, calls });
    done += calls;
  }
  return { ...candidate, calls: Math.max(1, Math.floor(BATCH_MS / ms)), name: nameOf(peer, tool, mode), samples: [] };
}

function nameOf(peer: string, tool: ToolName, mode: Mode): string {
  return `${peer} ${tool} ${mode}`;
}

/** Round to two figures: noise of the machine is larger than a third one. */
function round3(figure: number): number {
  return Number(figure.toPrecision(3));
}
