/**
 * Which guest has the worker's thread next: plugins in turn, and of each plugin what is short first.
 *
 * A guest keeps the thread until it leaves the engine, or until its slice is over and it is suspended (`fiber.ts`). So a guest that
 * computes costs every other plugin one slice, however many calls of its plugin do the same.
 */

/** How long a guest computes before others get their turn, and how long a plugin with many short pieces of work keeps its turn. */
export const SLICE_MS = 5;

/** One stay of a guest on the thread. It calls `Scheduler.left` once, when the guest has left the thread. */
export type Stay = () => void;

/** Answers, timers and ends; calls that have not begun; guests whose slice is over. In each plugin in this order. */
export type StayKind = "answer" | "call" | "slice";

export class Scheduler {
  readonly #now: () => number;
  readonly #plugins: Map<string, PluginQueue> = new Map();
  /** Those with work. The first one has its turn. */
  readonly #round: PluginQueue[] = [];
  #turnEndsAt = 0;
  #calls = 0;
  #left: (() => void) | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Calls that wait for their turn. */
  get waitingCalls(): number {
    return this.#calls;
  }

  /** Adds a stay to those of a plugin; `plugin` is its digest. */
  add(plugin: string, kind: StayKind, stay: Stay): void {
    let queue = this.#plugins.get(plugin);
    if (queue === undefined) {
      queue = { answer: [], call: [], slice: [], wasSlice: false, callsUntil: 0 };
      this.#plugins.set(plugin, queue);
    }
    if (isEmpty(queue)) this.#join(queue);
    queue[kind].push(stay);
    if (kind === "call") this.#calls++;
  }

  /** Forgets a plugin that has nothing to do here any more. */
  forget(plugin: string): void {
    const queue = this.#plugins.get(plugin);
    if (queue !== undefined && isEmpty(queue)) this.#plugins.delete(plugin);
  }

  /**
   * Lets the next guest have the thread.
   *
   * @returns undefined if no guest waits for it, true if the guest has left it, else a promise for when it has
   */
  next(): Promise<void> | true | undefined {
    const [queue] = this.#round;
    if (queue === undefined) return undefined;
    const stay = this.#take(queue);
    // A guest that was suspended has used its plugin's turn.
    if (isEmpty(queue)) this.#leave();
    else if (queue.wasSlice || (this.#round.length > 1 && this.#now() >= this.#turnEndsAt)) this.#rotate(queue);
    let hasLeft = false;
    let leave: (() => void) | undefined;
    this.#left = () => {
      hasLeft = true;
      leave?.();
    };
    stay();
    return hasLeft || new Promise<void>((resolve) => (leave = resolve));
  }

  /** The guest that had the thread is suspended, waits, or is done. */
  left(): void {
    const left = this.#left;
    this.#left = undefined;
    left?.();
  }

  #take(queue: PluginQueue): Stay {
    const kind = this.#choose(queue);
    queue.wasSlice = kind === "slice";
    if (kind === "call") this.#calls--;
    const stay = queue[kind].shift();
    if (stay === undefined) throw new Error("The scheduler chose from an empty queue");
    return stay;
  }

  /** Calls that have not begun, for the time of a slice, and a guest that computes take turns: neither waits for all of the other. */
  #choose(queue: PluginQueue): StayKind {
    const { answer, call, slice, wasSlice } = queue;
    if (answer.length > 0) return "answer";
    if (slice.length === 0) return "call";
    if (call.length === 0) return "slice";
    if (wasSlice) queue.callsUntil = this.#now() + SLICE_MS;
    return this.#now() < queue.callsUntil ? "call" : "slice";
  }

  #join(queue: PluginQueue): void {
    if (this.#round.push(queue) === 1) this.#beginTurn();
  }

  #leave(): void {
    this.#round.shift();
    this.#beginTurn();
  }

  #rotate(queue: PluginQueue): void {
    this.#round.shift();
    this.#round.push(queue);
    this.#beginTurn();
  }

  #beginTurn(): void {
    // A plugin that is alone needs no clock.
    if (this.#round.length > 1) this.#turnEndsAt = this.#now() + SLICE_MS;
  }
}

interface PluginQueue extends Record<StayKind, Stay[]> {
  /** What came last of the plugin was a slice of a guest that computes. */
  wasSlice: boolean;
  /** From then on a guest that computes has its turn again, in the thread's milliseconds. */
  callsUntil: number;
}

function isEmpty({ answer, call, slice }: PluginQueue): boolean {
  return answer.length === 0 && call.length === 0 && slice.length === 0;
}
