/** Long work of a worker's calls, one piece at a time, the calls in turn: none keeps the others waiting for all of its own. */

/** Must not reject. */
type Task = () => Promise<void>;

export class RoundRobin {
  readonly #background: (work: Promise<void>) => void;
  readonly #lines: Map<object, Task[]> = new Map();
  #busy = false;

  /** @param background is given the promise that settles when nothing is left to do. */
  constructor(background: (work: Promise<void>) => void) {
    this.#background = background;
  }

  /** Runs the task when it is the owner's turn. */
  take(owner: object, task: Task): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, [task]);
    else line.push(task);
    if (!this.#busy) this.#background(this.#run());
  }

  /** Forgets what the owner has not begun. */
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
      // To the end of the round.
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      if (task !== undefined) await task();
    }
    this.#busy = false;
  }
}
