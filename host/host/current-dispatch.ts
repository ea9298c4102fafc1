/** The state of the host that calls run with. */

import type { Dispatch } from "../dispatch/dispatch.ts";

/**
 * Set once, when the executors exist: the state names the executors, and the calls that their tools make need the state.
 */
export interface CurrentDispatch {
  /** Returns the state at this moment. @throws {Error} if a call begins before `set`. */
  get(): Dispatch;
  set(make: () => Dispatch): void;
}

export function createCurrentDispatch(): CurrentDispatch {
  let make = (): Dispatch => {
    throw new Error("A call began before the host was open");
  };
  return { get: () => make(), set: (made) => void (make = made) };
}
