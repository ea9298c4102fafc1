/** The requests of one call that are under way, by the numbers that the guest gave them (SPEC C6). */

import type { HttpResponse } from "../../platform/network/network-types.ts";
import type { StreamedBody } from "./net-body.ts";
import { MAX_OPEN_EXCHANGES } from "./net-limits.ts";

/** One request, from its beginning until its answer is read or given up. */
export interface Exchange {
  /** Aborted when the guest gives it up, or the call ends. */
  readonly signal: AbortSignal;
  body?: StreamedBody;
  response?: HttpResponse;
  /** What of the last piece did not fit into an answer. */
  rest?: Uint8Array;
  isReading: boolean;
  isWriting: boolean;
}

/**
 * A call's exchanges. The numbers are the guest's own: what it makes up leads to nothing, or to what is its own anyway.
 *
 * `closeAll` is for the end of the call; nothing can be opened after it.
 */
export interface Exchanges {
  /** Undefined if the number is in use, or if there are too many. */
  open(id: number): Exchange | undefined;
  find(id: number): Exchange | undefined;
  /** Ends what is there; a number of nothing is no error. */
  close(id: number): void;
  closeAll(): void;
}

export function createExchanges(): Exchanges {
  const open = new Map<number, { readonly exchange: Exchange; readonly abort: AbortController }>();
  let isOver = false;

  function close(id: number): void {
    const found = open.get(id);
    if (found === undefined) return;
    open.delete(id);
    found.abort.abort();
    found.exchange.body?.close();
    found.exchange.response?.close();
  }

  return {
    open(id) {
      if (isOver || open.has(id) || open.size >= MAX_OPEN_EXCHANGES) return undefined;
      const abort = new AbortController();
      const exchange: Exchange = { signal: abort.signal, isReading: false, isWriting: false };
      open.set(id, { exchange, abort });
      return exchange;
    },
    find: (id) => open.get(id)?.exchange,
    close,
    closeAll() {
      isOver = true;
      for (const id of [...open.keys()]) close(id);
    },
  };
}
