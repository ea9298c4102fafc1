/** How a running call reaches other tools. Types only: what dispatches them is `host/dispatch/chains/tool-calls.ts`. */

import type { ChainStep } from "../call/chain.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Execution } from "../tools/execution.ts";
import type { RunTime } from "../call/run-time.ts";

/** A running call's way to others. Made by the host, for one call. */
export interface ToolCalls {
  /** The qualified name of the tool that a name means here; undefined if there is none. */
  find(name: string): string | undefined;
  /** Goes through dispatch. @returns a `StepAnswer`, whatever came of it; or `{ asks }`, a number, while the step waits for a person. */
  call(name: string, args: JsonValue): Promise<JsonValue>;
  /** Resolves when nobody is asked for that step, at once for what is none. */
  asked(step: number): Promise<void>;
  /** As `call`, of a step that waited. */
  result(step: number): Promise<JsonValue | undefined>;
  /** Of a call that is no step itself: every step below it that has ended. */
  readonly steps: readonly ChainStep[] | undefined;
  /** Cancels what is still running and waits for its end. */
  close(): Promise<void>;
}

export type OpenToolCalls = (execution: Execution, time: RunTime) => ToolCalls;
