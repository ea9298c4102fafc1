/** How much of the network may be in use at once, whoever uses it: what is over waits its turn (SPEC C6). */

import { NetworkError } from "./network-types.ts";

/** To one host and port, of all calls together. */
const MAX_CONNECTIONS_TO_A_HOST = 32;
/** Lookups hold a thread of the runtime's pool of four, which files need too. */
const MAX_LOOKUPS = 2;

export interface NetworkSlots {
  /** Waits for a place; call what it answers once, when the connection is closed. @throws the signal's reason */
  connection(host: string, signal: AbortSignal): Promise<() => void>;
  lookup<T>(run: () => Promise<T>): Promise<T>;
}

export function createNetworkSlots(): NetworkSlots {
  const hosts = new Map<string, Gate>();
  const lookups = createGate(MAX_LOOKUPS);
  return {
    async connection(host, signal) {
      const gate = hosts.get(host) ?? createGate(MAX_CONNECTIONS_TO_A_HOST);
      hosts.set(host, gate);
      const leave = await gate.enter(signal);
      return () => {
        leave();
        if (gate.isEmpty()) hosts.delete(host);
      };
    },
    async lookup(run) {
      const leave = await lookups.enter();
      try {
        return await run();
      } finally {
        leave();
      }
    },
  };
}

interface Gate {
  enter(signal?: AbortSignal): Promise<() => void>;
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
      signal?.throwIfAborted();
      if (taken >= places) await turn(waiting, signal);
      else taken++;
      return once(leave);
    },
    isEmpty: () => taken === 0 && waiting.length === 0,
  };
}

async function turn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const next = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const stop = (): void => {
      waiting.splice(waiting.indexOf(next), 1);
      reject(signal?.reason instanceof NetworkError ? signal.reason : new NetworkError("aborted", "the request was aborted"));
    };
    waiting.push(next);
    signal?.addEventListener("abort", stop, { once: true });
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
