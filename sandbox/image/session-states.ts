/**
 * What plugins with `state: "session"` keep between the calls of one session: an image each (SPEC B2).
 *
 * The calls of one session into one plugin run one after another, each from the image the last successful one left.
 * States are few and bounded; the one unused for longest is forgotten first, and its plugin begins afresh.
 */

import type { Image } from "./image.ts";

/** A state above this size is not kept: the call that made it fails. */
export const MAXIMUM_STATE_BYTES: number = 8 * 1024 * 1024;
const MAXIMUM_STATES = 64;

export interface StateKey {
  readonly digest: string;
  readonly session: string;
}

export class SessionStates {
  readonly #images: Map<string, Image> = new Map();
  /** The end of the last call that was begun, by key. */
  readonly #tails: Map<string, Promise<unknown>> = new Map();

  /** Runs `call` after the earlier calls of the same key, with the state they left. Undefined if it was aborted before its turn. */
  async next<T>(key: StateKey, signal: AbortSignal, call: (state: Image | undefined) => Promise<T>): Promise<T | undefined> {
    const name = nameOf(key);
    const before = this.#tails.get(name);
    const wait = createWait(signal);
    const mine = (async () => {
      await before;
      return wait.isOver() ? undefined : await call(this.#images.get(name));
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
    this.#images.delete(name);
    this.#images.set(name, image);
    const [oldest] = this.#images.keys();
    if (this.#images.size > MAXIMUM_STATES && oldest !== undefined) this.#images.delete(oldest);
  }

  /** Forgets the states of a plugin's version that is gone. */
  forget(digest: string): void {
    for (const name of this.#images.keys()) if (name.startsWith(`${digest} `)) this.#images.delete(name);
  }
}

/** A digest has no space in it. */
function nameOf({ digest, session }: StateKey): string {
  return `${digest} ${session}`;
}

/** A wait that an abort ends, as long as it lasts. */
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
