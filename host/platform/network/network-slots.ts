/** Limits the use of the network by holder; requests above a limit wait (SPEC C6). */

import { type Claim, claimOf, type GiveBack, type Holder, type HolderShares, Shares } from "../../../sandbox/mod.ts";
import { NetworkError } from "./network-types.ts";

/** Connections per host and port. A caller that holds its whole share leaves some to other callers, also of the same plugin. */
const CONNECTIONS: HolderShares = { plugin: 48, caller: 64, callerOfPlugin: 32 };
/** Maximum number of lookups: each holds a thread of the runtime's pool of four, which files need too. */
const MAX_LOOKUPS = 2;
/** Names that resolve slowly delay only the caller that asks for them. */
const LOOKUPS: HolderShares = { plugin: 1, caller: 1, callerOfPlugin: 1 };

/** Pieces of 64 KB that are handed on per turn of the event loop. A plugin without any waits for no other plugin. */
const PIECES_OF_TURN = 8;
const PIECES_AT_LEAST = 4;
const PIECES: HolderShares = { plugin: 4, caller: 6, callerOfPlugin: 4 };

/** Holder of a slot, and the signal that ends the wait. */
export interface Waiting extends Holder {
  readonly signal: AbortSignal;
}

interface NetworkSlots {
  /**
   * Waits for a connection slot; call the returned function once, when the connection is closed. @throws {NetworkError} if the signal is
   * aborted
   */
  connection(host: string, waiting: Waiting): Promise<() => void>;
  /** Runs a lookup. A running lookup cannot be cancelled; a waiting one does not begin after the abort. @throws {NetworkError} then */
  lookup<T>(run: () => Promise<T>, waiting: Waiting): Promise<T>;
  /**
   * Waits until a piece from a server may be handed on: plugin by plugin, then request by request. @throws {NetworkError} if the signal is
   * aborted
   */
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

/** Takes a share. @throws {NetworkError} if the signal aborts first */
async function take(shares: Shares, claim: Claim, { signal }: Waiting): Promise<GiveBack> {
  const taken = await shares.take(claim, signal);
  if (taken !== undefined) return taken;
  throw signal.reason instanceof NetworkError ? signal.reason : new NetworkError("aborted", "the request was aborted");
}
