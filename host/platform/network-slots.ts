/** How much of the network may be in use at once, and by whom: what is over waits its turn (SPEC C6). */

import { Shares } from "../../sandbox/mod.ts";
import { NetworkError } from "./network-types.ts";

/** To one host and port, of all calls of one owner together: whoever holds them all keeps nobody else away. */
const MAX_CONNECTIONS_TO_A_HOST = 32;
/** Lookups hold a thread of the runtime's pool of four, which files need too. */
const MAX_LOOKUPS = 2;
/** Names that are slow to be found are slow for who asks for them. */
const MAX_LOOKUPS_OF_AN_OWNER = 1;

/** Pieces of 64 KB that are handed on in a turn of the event loop. The first of an owner that has none do not wait for those of others. */
const PIECES_OF_TURN = 8;
const PIECES_OF_AN_OWNER = 4;

/** Whose turn it is, and until when it is waited for. */
export interface Waiting {
  readonly owner: string;
  readonly signal: AbortSignal;
}

export interface NetworkSlots {
  /** Waits for a place; call what it answers once, when the connection is closed. @throws the signal's reason */
  connection(host: string, waiting: Waiting): Promise<() => void>;
  /** A lookup that has begun cannot be called off; one that waits is not begun once its signal is aborted. @throws the signal's reason */
  lookup<T>(run: () => Promise<T>, waiting: Waiting): Promise<T>;
  /** Waits until a piece that a server sent may be handed on: owner by owner, then request by request. @throws {NetworkError} if the signal is aborted */
  piece(waiting: Waiting): Promise<void>;
}

export function createNetworkSlots(): NetworkSlots {
  const connections = createGates(MAX_CONNECTIONS_TO_A_HOST);
  const ownLookups = createGates(MAX_LOOKUPS_OF_AN_OWNER);
  const lookups = createGate(MAX_LOOKUPS);
  const pieces = new Shares(PIECES_OF_TURN, PIECES_OF_AN_OWNER);
  return {
    async piece({ owner, signal }) {
      const claim = { size: 1, party: owner, line: signal, within: [[`owner ${owner}`, PIECES_OF_AN_OWNER]] } as const;
      const taken = await pieces.take(claim, signal);
      if (taken === undefined) throw new NetworkError("aborted", "the request was aborted");
      setImmediate(taken);
    },
    connection: (host, { owner, signal }) => connections(`${host} ${owner}`, signal),
    async lookup(run, { owner, signal }) {
      const leaveOwn = await ownLookups(owner, signal);
      try {
        const leave = await lookups.enter(signal);
        try {
          return await run();
        } finally {
          leave();
        }
      } finally {
        leaveOwn();
      }
    },
  };
}

/** A gate for each key, as long as somebody is in it or before it. */
function createGates(places: number): (key: string, signal: AbortSignal) => Promise<() => void> {
  const gates = new Map<string, Gate>();
  return async (key, signal) => {
    const gate = gates.get(key) ?? createGate(places);
    gates.set(key, gate);
    const forget = (): void => {
      if (gate.isEmpty() && gates.get(key) === gate) gates.delete(key);
    };
    try {
      const leave = await gate.enter(signal);
      return () => {
        leave();
        forget();
      };
    } catch (reason) {
      forget();
      throw reason;
    }
  };
}

interface Gate {
  enter(signal: AbortSignal): Promise<() => void>;
  isEmpty(): boolean;
}

function createGate(places: number): Gate {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    // The place is handed on: nobody who comes now is before who waited.
    if (next === undefined) taken--;
    else next();
  };
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (taken >= places) await turn(waiting, signal);
      else taken++;
      return once(leave);
    },
    isEmpty: () => taken === 0 && waiting.length === 0,
  };
}

async function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const next = (): void => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const stop = (): void => {
      waiting.splice(waiting.indexOf(next), 1);
      reject(signal.reason instanceof NetworkError ? signal.reason : new NetworkError("aborted", "the request was aborted"));
    };
    waiting.push(next);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
