/**
 * State that plugins with `state: "session"` keep between the calls of one session: one image each (SPEC B2).
 *
 * The calls of one session into one plugin run one after another, each from the image that the last successful call left. States are
 * bounded in number and bytes. Above a bound, the plugin that holds the most loses its least recently used state, so no plugin evicts
 * states of one that holds less. The next call of such a session starts with fresh state, and its outcome says so.
 */

import type { Image } from "../engine/image.ts";

export const MAXIMUM_STATES = 64;
export const MAXIMUM_STATES_BYTES: number = 128 * 1024 * 1024;

interface StateKey {
  readonly digest: string;
  readonly session: string;
}

interface Kept extends StateKey {
  readonly image: Image;
}

export class SessionStates {
  /** Stored states, least recently used first. */
  readonly #kept: Map<string, Kept> = new Map();
  /** Promise of the last call started, by key. */
  readonly #tails: Map<string, Promise<unknown>> = new Map();

  /** Runs `call` after the earlier calls of the same key, with the state they left. Returns undefined if aborted before its turn. */
  async next<T>(key: StateKey, signal: AbortSignal, call: (state: Image | undefined) => Promise<T>): Promise<T | undefined> {
    const name = nameOf(key);
    const before = this.#tails.get(name);
    const wait = createWait(signal);
    const mine = (async () => {
      await before;
      return wait.isOver() ? undefined : await call(this.#kept.get(name)?.image);
    })();
    this.#tails.set(name, mine);
    const clean = (): void => {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
    };
    mine.then(clean, clean);
    return await Promise.race([mine, wait.aborted]);
  }

  keep(key: StateKey, image: Image): void {
    const name = nameOf(key);
    this.#kept.delete(name);
    this.#kept.set(name, { ...key, image });
    while (this.#isOver()) this.#makeRoom();
  }

  drop(key: StateKey): void {
    this.#kept.delete(nameOf(key));
  }

  /** Drops the states of a removed plugin version. */
  forget(digest: string): void {
    for (const [name, kept] of this.#kept) if (kept.digest === digest) this.#kept.delete(name);
  }

  /** Drops the states of a session that has ended. */
  endSession(session: string): void {
    for (const [name, kept] of this.#kept) if (kept.session === session) this.#kept.delete(name);
  }

  #isOver(): boolean {
    let bytes = 0;
    for (const { image } of this.#kept.values()) bytes += image.pages.byteLength;
    return this.#kept.size > MAXIMUM_STATES || bytes > MAXIMUM_STATES_BYTES;
  }

  #makeRoom(): void {
    const shares = new Map<string, number>();
    for (const { digest, image } of this.#kept.values()) {
      const share = 1 / MAXIMUM_STATES + image.pages.byteLength / MAXIMUM_STATES_BYTES;
      shares.set(digest, (shares.get(digest) ?? 0) + share);
    }
    const most = Math.max(...shares.values());
    for (const [name, { digest }] of this.#kept) if (shares.get(digest) === most) return void this.#kept.delete(name);
  }
}

/** Unambiguous, because a hash contains no space. */
function nameOf({ digest, session }: StateKey): string {
  return `${digest} ${session}`;
}

/** Creates a wait that the signal can abort until `isOver` is called. */
function createWait(signal: AbortSignal): { readonly aborted: Promise<undefined>; isOver(): boolean } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = (): void => resolve(undefined);
  signal.addEventListener("abort", abort, { once: true });
  return {
    aborted: promise,
    isOver() {
      signal.removeEventListener("abort", abort);
      return signal.aborted;
    },
  };
}
