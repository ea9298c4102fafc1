/** A call's running requests, by the numbers that the guest gave them (SPEC C6). */

import type { HttpResponse } from "../../platform/network/network-types.ts";
import type { StreamedBody } from "./net-body.ts";
import { MAX_OPEN_EXCHANGES } from "./net-limits.ts";

/** One request, until its response is read or cancelled. */
export interface Exchange {
  /** Aborted when the guest cancels it, or the call ends. */
  readonly signal: AbortSignal;
  body?: StreamedBody;
  response?: HttpResponse;
  /** The part of the last piece that did not fit into an answer. */
  rest?: Uint8Array;
  isReading: boolean;
  isWriting: boolean;
}

/**
 * A call's exchanges. The guest chooses the numbers; an invented one finds nothing, or another request of the same call.
 *
 * `closeAll` is called at the end of the call; afterwards `open` fails.
 */
export interface Exchanges {
  /** Returns undefined if the number is in use, or too many requests are open. */
  open(id: number): Exchange | undefined;
  find(id: number): Exchange | undefined;
  /** True if a request is open. */
  readonly isAny: boolean;
  /** Closes a request; an unknown number is ignored. */
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
    get isAny() {
      return open.size > 0;
    },
    close,
    closeAll() {
      isOver = true;
      for (const id of [...open.keys()]) close(id);
    },
  };
}
