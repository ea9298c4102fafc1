/** Runs long work of a worker's calls, one piece at a time, round-robin by call, so that a call never waits for all work of another. */

/** Must not reject. */
type Task = () => Promise<void>;

export class RoundRobin {
  readonly #background: (work: Promise<void>) => void;
  readonly #lines: Map<object, Task[]> = new Map();
  #busy = false;

  /** @param background receives a promise that settles when no work is left */
  constructor(background: (work: Promise<void>) => void) {
    this.#background = background;
  }

  /** Queues a task. It runs when its owner's turn comes. */
  take(owner: object, task: Task): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [task]);
    else line.push(task);
    if (!this.#busy) this.#background(this.#run());
  }

  /** Drops the owner's queued tasks. */
  leave(owner: object): void {
    this.#lines.delete(owner);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (;;) {
      const [next] = this.#lines;
      if (next === undefined) break;
      const [owner, line] = next;
      const task = line.shift();
      // Moves the owner to the end of the round.
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      if (task !== undefined) await task();
    }
    this.#busy = false;
  }
}
