/** What a task of a service thread is, and what it is run with. */

import type { Journals } from "../../platform/files/journal-types.ts";
import type { Files, GuardedFiles } from "../../platform/platform.ts";

/** What tasks reach of the outside, on whichever thread they run. */
export interface ServiceWorld {
  readonly journals: Journals;
  readonly files: Files;
  readonly guarded: GuardedFiles;
  /** Lets everything else that waits for the thread have its turn. */
  turn(): Promise<void>;
  /** Milliseconds, monotonic. */
  now(): number;
}

/**
 * A task's function. One that needs more than a few milliseconds awaits `world.turn()` in between; one that answers at once returns no
 * promise.
 */
export type ServiceTask = (input: never, world: ServiceWorld) => unknown;
