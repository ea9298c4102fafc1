/** How a running call reaches other tools. Types only; `host/chains/tool-calls.ts` implements it. */

import type { ChainStep } from "../call/chain.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Execution } from "../tools/execution.ts";
import type { RunTime } from "../call/run-time.ts";

/** Calls other tools on behalf of one running call. Created by the host. */
export interface ToolCalls {
  /** Returns the qualified name of the tool that a name refers to, or undefined. */
  find(name: string): string | undefined;
  /**
   * Calls a tool through dispatch. Returns a `StepAnswer` for every outcome, or `{ asks }`, a number, while the step awaits a confirmation.
   */
  call(name: string, args: JsonValue): Promise<JsonValue>;
  /** Resolves when that step awaits no confirmation; at once for an unknown step. */
  asked(step: number): Promise<void>;
  /** Returns the answer of a step that waited, as `call` does. */
  result(step: number): Promise<JsonValue | undefined>;
  /** True once the call has begun a step, ended or not: steps live in this process. */
  readonly hasSteps: boolean;
  /** For the outermost call of a chain: every step below it that has ended. */
  readonly steps: readonly ChainStep[] | undefined;
  /** Cancels running steps and waits for their end. */
  close(): Promise<void>;
}

export type OpenToolCalls = (execution: Execution, time: RunTime) => ToolCalls;
