/** How much of the network may be in use at once, and by whom: what is over waits its turn (SPEC C6). */

import { type Claim, claimOf, type GiveBack, type Holder, type HolderShares, Shares } from "../../../sandbox/mod.ts";
import { NetworkError } from "./network-types.ts";

/** To one host and port: a caller that holds all of its own leaves some to other callers, those of the same plugin included. */
const CONNECTIONS: HolderShares = { plugin: 48, caller: 64, callerOfPlugin: 32 };
/** Lookups hold a thread of the runtime's pool of four, which files need too. */
const MAX_LOOKUPS = 2;
/** Names that are slow to be found are slow for who asks for them. */
const LOOKUPS: HolderShares = { plugin: 1, caller: 1, callerOfPlugin: 1 };

/** Pieces of 64 KB that are handed on in a turn of the event loop. The first of a plugin that has none do not wait for those of others. */
const PIECES_OF_TURN = 8;
const PIECES_AT_LEAST = 4;
const PIECES: HolderShares = { plugin: 4, caller: 6, callerOfPlugin: 4 };

/** Whose turn it is, and until when it is waited for. */
export interface Waiting extends Holder {
  readonly signal: AbortSignal;
}

export interface NetworkSlots {
  /** Waits for a place; call what it answers once, when the connection is closed. @throws {NetworkError} if the signal is aborted */
  connection(host: string, waiting: Waiting): Promise<() => void>;
  /** A lookup that has begun cannot be called off; one that waits is not begun once its signal is aborted. @throws {NetworkError} then */
  lookup<T>(run: () => Promise<T>, waiting: Waiting): Promise<T>;
  /** Waits until a piece that a server sent may be handed on: plugin by plugin, then request by request. @throws {NetworkError} if the signal is aborted */
  piece(waiting: Waiting): Promise<void>;
}

export function createNetworkSlots(): NetworkSlots {
  const connections = new Shares(Infinity);
  const lookups = new Shares(MAX_LOOKUPS);
  const pieces = new Shares(PIECES_OF_TURN, PIECES_AT_LEAST);
  return {
    piece: async (waiting) => void setImmediate(await take(pieces, claimOf(waiting, waiting.signal, PIECES), waiting)),
    connection: (host, waiting) => take(connections, claimOf(waiting, waiting.caller, CONNECTIONS, host), waiting),
    async lookup(run, waiting) {
      const leave = await take(lookups, claimOf(waiting, waiting.caller, LOOKUPS), waiting);
      try {
        return await run();
      } finally {
        leave();
      }
    },
  };
}

/** @throws {NetworkError} if the signal is aborted before */
async function take(shares: Shares, claim: Claim, { signal }: Waiting): Promise<GiveBack> {
  const taken = await shares.take(claim, signal);
  if (taken !== undefined) return taken;
  throw signal.reason instanceof NetworkError ? signal.reason : new NetworkError("aborted", "the request was aborted");
}
