/** An executor runs one decided call on one route (SPEC O5). A route is one file and one line in `mod.ts`. Types only. */

import type { JsonObject, JsonValue, Route, ValueError } from "../../manifests/mod.ts";
import type { AllowDecision, ContentBlock, LimitsUsed, ToolCall } from "../call/call.ts";
import type { ChainStep } from "../call/chain.ts";
import type { ToolErrorData } from "../call/errors.ts";
import type { Large, LargeFacts } from "../primitives/json/large.ts";
import type { RecordingSummary } from "../call/recording.ts";
import type { Platform } from "../platform/platform.ts";
import type { DryRunReport } from "../call/dry-run-report.ts";
import type { Meter } from "../call/meter.ts";
import type { LendSlot } from "../call/session.ts";
import type { RegisteredTool } from "./tool.ts";

/** Everything an executor needs for one call. */
export interface Execution {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  /** Validated arguments; those named by `requires` hold the resolved value. Frozen. */
  readonly args: JsonValue;
  readonly decision: AllowDecision;
  /** Aborted on cancellation. The executor enforces the deadline itself (`decision.limits.wallMs`). */
  readonly signal: AbortSignal;
  /** Counts the resources that the call uses. */
  readonly meter: Meter;
  /** Slot of the call in its session, lent to other calls while this one waits for a confirmation. */
  readonly slot?: { readonly lend: LendSlot };
  /** Called when a confirmation begins; returns a function to call when it ends. Absent if no result reports the call's duration. */
  readonly asking?: () => () => void;
  /** Dry run that changes nothing (SPEC E8). `preview`: the user has not agreed yet, so the call sends nothing either. */
  readonly dryRun?: "asked" | "preview";
  /** Platform of a dry run, used instead of the host's. */
  readonly overlay?: { readonly platform: Platform };
}

/** Result of a run. */
export type Outcome = OutcomeOk | OutcomeError;

/** Facts reported for every run, successful or not. */
export interface OutcomeBase {
  readonly used: LimitsUsed;
  readonly filesModified: readonly string[];
  readonly commandExecuted?: string;
  readonly content?: readonly ContentBlock[];
  readonly metadata?: JsonObject;
  readonly recording?: RecordingSummary;
  readonly dryRun?: DryRunReport;
  /** Steps of the chain that the call began. */
  readonly steps?: readonly ChainStep[];
  /** Operations that were still running when the call ended; later changes of theirs are not listed. */
  readonly unfinished?: readonly string[];
  /** Output so far of a call that was stopped. */
  readonly partialOutput?: JsonValue;
  /** Parts of an output above 64 KB, as the route received them and unchecked. `finished` converts them into `large`. */
  readonly parts?: readonly LargePart[];
  /** Checked parts: valid JSON where `kind` claims it, secrets removed. The outcome has `null` or `""` in their place. */
  readonly large?: ReadonlyMap<string, Large>;
  /** Violations of the tool's output schema by a large output. A smaller output has not been checked yet. */
  readonly problems?: readonly ValueError[];
}

/** A part of an output that stays bytes. */
export interface LargePart extends Pick<LargeFacts, "kind" | "bytes"> {
  /** `output`, `metadata`, `error/details/output`, `content/0/data`, `content/0/text`. */
  readonly at: string;
}
/** The tool returned; its output has not been validated yet. */
export interface OutcomeOk extends OutcomeBase {
  readonly ok: true;
  readonly output: JsonValue;
}
/** The tool failed or was stopped. */
interface OutcomeError extends OutcomeBase {
  readonly ok: false;
  readonly error: ToolErrorData;
  /** Set if the host closed while the call waits: it has not ended, and continues in the next host. */
  readonly isLeft?: true;
}

/** Runs a call. @returns the outcome; never rejects because of the tool. */
export type Executor = (execution: Execution) => Promise<Outcome>;

/** The executor of each route. */
export type Executors = { readonly [R in Route]: Executor };
