/** Long work on the host's thread, in small pieces. Types only. */

/** Runs long work on the host's thread in small pieces, so that other work can run in between (SPEC LV2). */
export interface Slices {
  /**
   * Runs the work from `yield` to `yield`, in turn with all other such work. Together they take some milliseconds of each turn of the event
   * loop. A piece up to a `yield` should take less than a millisecond, as 64 KB do. @throws any error of the work
   */
  run<T>(work: Iterator<void, T>): Promise<T>;
}
