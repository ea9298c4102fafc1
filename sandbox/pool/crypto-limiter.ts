/**
 * Limits the runtime threads that cryptography of all guests uses at once.
 *
 * Node's threads, four by default, also serve files and names, and their work cannot be stopped. So a long operation waits in its worker
 * until the host grants it one of two permits. A plugin gets one permit, and plugins take turns (SPEC LV3).
 */

import { type GiveBack, Shares } from "./shares.ts";
import type { Thread } from "./thread.ts";

const PERMITS = 2;
const PERMITS_PER_PLUGIN = 1;
/** Maximum number of requests of one worker. Each call has at most one. */
const MAXIMUM_ASKED = 2_048;

type LimitedThread = Pick<Thread, "send" | "onGone">;

interface Asked {
  readonly gone: AbortController;
  giveBack: GiveBack | undefined;
}

export class CryptoLimiter {
  readonly #shares: Shares = new Shares(PERMITS);
  /** Requests by worker and call number. */
  readonly #asked: Map<LimitedThread, Map<number, Asked>> = new Map();

  /** Handles a request or release. @returns false for a message that no honest worker sends */
  hear(thread: LimitedThread, { number, wants }: { readonly number: number; readonly wants: boolean }, plugin: string): boolean {
    const asked = this.#asked.get(thread) ?? new Map<number, Asked>();
    const { giveBack } = asked.get(number) ?? {};
    if (!wants) {
      giveBack?.();
      return giveBack !== undefined && asked.delete(number);
    }
    if (asked.has(number) || asked.size >= MAXIMUM_ASKED) return false;
    this.#asked.set(thread, asked);
    // KeyedQueue are released when the thread has ended, because the runtime finishes work that it has started.
    thread.onGone = () => this.#leave(thread);
    const one: Asked = { gone: new AbortController(), giveBack: undefined };
    asked.set(number, one);
    void this.#ask(thread, one, { number, plugin });
    return true;
  }

  async #ask(thread: LimitedThread, asked: Asked, { number, plugin }: { readonly number: number; readonly plugin: string }): Promise<void> {
    const within = [[`plugin ${plugin}`, PERMITS_PER_PLUGIN]] as const;
    const giveBack = await this.#shares.take({ size: 1, party: plugin, line: asked, within }, asked.gone.signal);
    if (asked.gone.signal.aborted) return giveBack?.();
    asked.giveBack = giveBack;
    thread.send({ type: "lane", number });
  }

  #leave(thread: LimitedThread): void {
    for (const { gone, giveBack } of this.#asked.get(thread)?.values() ?? []) {
      gone.abort();
      giveBack?.();
    }
    this.#asked.delete(thread);
  }
}
