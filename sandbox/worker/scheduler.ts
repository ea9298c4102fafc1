/**
 * Decides which guest gets the worker's thread next: round-robin by plugin, and within a plugin short work first.
 *
 * A guest keeps the thread until it leaves the engine, or until its slice is over and it is suspended (`fiber.ts`). So a busy guest
 * delays every other plugin by one slice, however many calls of its plugin are busy.
 */

/**
 * Length of a slice: how long a guest computes before others run, and how long a plugin with many short pieces of work keeps the thread.
 */
export const SLICE_MS = 5;

/** One stay of a guest on the thread. Must lead to one call of `Scheduler.left` when the guest leaves the thread. */
type Stay = () => void;

/**
 * Kinds of work, in order of priority within a plugin: answers, timers and ends; calls that have not started; guests whose slice is over.
 */
type StayKind = "answer" | "call" | "slice";

export class Scheduler {
  readonly #now: () => number;
  readonly #plugins: Map<string, PluginQueue> = new Map();
  /** Plugins with work. The first has the thread. */
  readonly #round: PluginQueue[] = [];
  #turnEndsAt = 0;
  #calls = 0;
  #left: (() => void) | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of calls that wait to be started. */
  get waitingCalls(): number {
    return this.#calls;
  }

  /** Queues a stay. `plugin` is the plugin's hash. */
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

  /** Drops a plugin without queued work. */
  forget(plugin: string): void {
    const queue = this.#plugins.get(plugin);
    if (queue !== undefined && isEmpty(queue)) this.#plugins.delete(plugin);
  }

  /**
   * Runs the next guest.
   *
   * @returns undefined if no guest waits, true if the guest has already left the thread, else a promise for when it has
   */
  next(): Promise<void> | true | undefined {
    const [queue] = this.#round;
    if (queue === undefined) return undefined;
    const stay = this.#take(queue);
    // A guest that was suspended has used up its plugin's slice.
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

  /** Must be called when the guest that has the thread is suspended, waits or ends. */
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

  /** Alternates between new calls, for the length of a slice, and a busy guest, so that neither starves the other. */
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
    // A single plugin has no slice limit and needs no clock.
    if (this.#round.length > 1) this.#turnEndsAt = this.#now() + SLICE_MS;
  }
}

interface PluginQueue extends Record<StayKind, Stay[]> {
  /** True if the plugin's last work was the slice of a busy guest. */
  wasSlice: boolean;
  /** Time until which new calls go first, in the thread's milliseconds. */
  callsUntil: number;
}

function isEmpty({ answer, call, slice }: PluginQueue): boolean {
  return answer.length === 0 && call.length === 0 && slice.length === 0;
}
