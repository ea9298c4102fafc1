/** Time and timers. Types only. */

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds, monotonic, comparable across the host and its workers. */
  monotonic(): number;
  /** Calls `task` once after `delayMs`; never keeps the process alive by itself. Returns a cancel function. */
  after(delayMs: number, task: () => void): () => void;
  /** Keeps the process alive until the returned function is called. */
  keepAlive(): () => void;
}
