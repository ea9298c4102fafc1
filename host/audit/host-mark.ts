/**
 * The mark of a host: a random id in its rows of the journal, and a row of the sealed store while it runs (SPEC FR2). The next host finds
 * the marks of hosts that have ended without closing, and ends their calls.
 */

import type { SealedSpace } from "../primitives/state/sealed-store.ts";
import { objectOf } from "../primitives/json/object-of.ts";

/** A host that has ended without closing. */
export interface EndedHost {
  readonly id: string;
  /** Its first call was later, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

export interface HostMark {
  /** Returns this host's id, which survives the end of the process from now on. Undefined if it cannot be kept. */
  id(): string | undefined;
  /** Returns the hosts that have ended. */
  ended(): readonly EndedHost[];
  /** Forgets such a host: its calls have ended. */
  settle(host: EndedHost): void;
  /** Removes this host's mark: all of its calls have ended, or are kept. */
  release(): void;
}

interface HostMarkOptions {
  /** Rows of the kind `host`. */
  readonly store: SealedSpace;
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onDefect: (message: string, error?: unknown) => void;
}

export function createHostMark({ store, newId, now, onDefect }: HostMarkOptions): HostMark {
  let own: string | undefined;
  let isMade = false;
  return {
    id() {
      if (isMade) return own;
      isMade = true;
      try {
        const id = newId();
        const refused = store.put(id, { sinceMs: now() });
        if (refused === undefined) own = id;
        else onDefect(`Calls that are lost with this host cannot be found later: ${refused}`);
      } catch (error) {
        onDefect("Calls that are lost with this host cannot be found later", error);
      }
      return own;
    },
    ended: () =>
      store.list().flatMap(({ id }) => {
        if (id === own) return [];
        const { value } = store.head(id) ?? {};
        const sinceMs = objectOf(value)?.["sinceMs"];
        // An altered mark is of unknown age: the whole journal is read.
        return { id, sinceMs: typeof sinceMs === "number" ? sinceMs : 0 };
      }),
    settle: ({ id }) => store.delete(id),
    release() {
      if (own !== undefined) store.delete(own);
      own = undefined;
    },
  };
}
