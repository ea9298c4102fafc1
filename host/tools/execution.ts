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
  /** Checked arguments; those named by `requires` hold the resolved value. Frozen. */
  readonly args: JsonValue;
  readonly decision: AllowDecision;
  /** Aborted at cancellation; the executor keeps its own deadline (`decision.limits.wallMs`). */
  readonly signal: AbortSignal;
  /** Counts what the call uses. */
  readonly meter: Meter;
  /** Its place among the session's calls, for while it waits for a person. */
  readonly slot?: { readonly lend: LendSlot };
  /** To be called when a person is asked; what it returns, when that is over. Absent where no result says how long the call took. */
  readonly asking?: () => () => void;
  /** It changes nothing (SPEC E8). `preview`: nobody has agreed to it yet, so that it sends nothing either. */
  readonly dryRun?: "asked" | "preview";
  /** The world of a dry run, in place of the host's. */
  readonly overlay?: { readonly platform: Platform };
}

/** What came of it. */
export type Outcome = OutcomeOk | OutcomeError;

/** What is told of every run, whatever came of it. */
export interface OutcomeBase {
  readonly used: LimitsUsed;
  readonly filesModified: readonly string[];
  readonly commandExecuted?: string;
  readonly content?: readonly ContentBlock[];
  readonly metadata?: JsonObject;
  readonly recording?: RecordingSummary;
  readonly dryRun?: DryRunReport;
  /** Of the chain that it began. */
  readonly steps?: readonly ChainStep[];
  /** Operations that did not end with it: what they still change is in no list. */
  readonly unfinished?: readonly string[];
  /** What a call that did not end had produced so far. */
  readonly partialOutput?: JsonValue;
  /** Of an output above 64 KB, as the route got it; nothing of it was looked at. `finished` makes `large` of it. */
  readonly parts?: readonly LargePart[];
  /** The same, looked through: JSON where it says so, without secrets. What the outcome has in its place is `null` or `""`. */
  readonly large?: ReadonlyMap<string, Large>;
  /** How a large output differs from the tool's schema; a smaller one was not checked yet. */
  readonly problems?: readonly ValueError[];
}

/** A part of an output that stays bytes. */
export interface LargePart extends Pick<LargeFacts, "kind" | "bytes"> {
  /** `output`, `metadata`, `error/details/output`, `content/0/data`, `content/0/text`. */
  readonly at: string;
}
/** The tool answered; its output is not checked yet. */
export interface OutcomeOk extends OutcomeBase {
  readonly ok: true;
  readonly output: JsonValue;
}
/** The tool failed or was stopped. */
export interface OutcomeError extends OutcomeBase {
  readonly ok: false;
  readonly error: ToolErrorData;
}

/** @returns the outcome; never rejects for what the tool did. */
export type Executor = (execution: Execution) => Promise<Outcome>;

/** Which executor serves which route. */
export type Executors = { readonly [R in Route]: Executor };
