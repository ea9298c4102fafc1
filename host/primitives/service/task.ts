/** A task of a service thread: a function by name (SPEC LV2). */

import type { TaskEnvironment } from "../../platform/threads/service-port.ts";

export type { TaskEnvironment } from "../../platform/threads/service-port.ts";

/**
 * A task's function. One that needs more than a few milliseconds awaits `environment.turn()` in between; one that answers at once returns no
 * promise.
 */
export type TaskFunction = (input: never, env: TaskEnvironment) => unknown;

/** `host/host/service-tasks.ts` lists every task, so that the thread finds it by its name. */
export interface ServiceTask<F extends TaskFunction = TaskFunction> {
  readonly name: string;
  readonly run: F;
}
