/** Why a test of an outside suite does not pass. Types only. */

export interface Gap {
  /** Matches `<file>: <test>`; the first gap that matches a test is its reason. */
  readonly tests: RegExp;
  readonly reason: string;
  /** True: the test asks for what no plugin is meant to have (processes, servers, the runtime's internals), so it counts as not runnable. */
  readonly isOut: boolean;
}

/** A test that no plugin can run. */
export function out(tests: RegExp, reason: string): Gap {
  return { tests, reason, isOut: true };
}

/** A test that could pass one day. */
export function gap(tests: RegExp, reason: string): Gap {
  return { tests, reason, isOut: false };
}
