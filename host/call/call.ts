/** Types of a call: its input, policy's decision and its result (SPEC D6, X1). Types only. */

import type { Caller, JsonObject, JsonValue, Limits, Permissions, Route, SideEffect, SideEffectClass } from "../../manifests/mod.ts";
import type { ChainMark, ChainPlace, ChainStep } from "./chain.ts";
import type { RawArguments } from "./argument-text.ts";
import type { ToolErrorData } from "./errors.ts";
import type { AskCaller } from "./asks.ts";
import type { LogLevel } from "../platform/platform.ts";
import type { DryRunReport } from "./dry-run-report.ts";
import type { RecordingSummary } from "./recording.ts";
import type { CallGrant, Grant } from "./grant.ts";
import type { LackingLimit } from "./limit-hint.ts";
import type { HostCallHandler } from "../../sandbox/mod.ts";
import type { Quota } from "./quota.ts";
import type { Session } from "./session.ts";
import type { ContentBlock } from "./tool-output.ts";

export type { ContentBlock } from "./tool-output.ts";

/** One call as a door passes it to dispatch. Frozen. */
export interface ToolCall {
  readonly callId: string;
  /** Bare or qualified name, as the caller wrote it. */
  readonly tool: string;
  /** JSON data, or JSON text that dispatch parses (SPEC S3). Not yet validated. */
  readonly args: RawArguments;
  readonly session: Session;
  readonly turnId?: string;
  readonly caller: Caller;
  /** Position in the chain, if the call is a step of one; absent for a direct call. */
  readonly chain?: ChainPlace;
  /** Requested deadline in milliseconds from the start of the tool. */
  readonly timeoutMs?: number;
  /** Seed of the guest's randomness (SPEC B6). */
  readonly seed?: string;
  /** The guest's clock at the start of the call, in milliseconds since the epoch. */
  readonly timeMs?: number;
  /** Whether to keep a recording (SPEC B8); absent: the project decides. */
  readonly record?: boolean;
  /** Whether the call is a dry run: its result lists the changes, and nothing is changed (SPEC E8). */
  readonly dryRun?: true;
  /** Permissions that the user granted for this call only. */
  readonly callGrant?: CallGrant;
  /** Answers the guest's operations in place of the bridges. */
  readonly answer?: HostCallHandler;
  /** Set if the call continues after a restart. */
  readonly resumed?: ResumedCall;
  /** W3C traceparent. */
  readonly traceparent?: string;
  /** @param json the JSON of a value above 64 KB, in UTF-8 and on one line */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /**
   * Receives the values that the tool yields, in order. A promise holds the tool back until it settles, or the call ends.
   *
   * @param json the JSON of a value above 64 KB, in UTF-8 and on one line
   */
  readonly onYield?: (value: JsonValue, json?: Uint8Array) => void | Promise<void>;
  /** Receives what the guest writes to `console` and its log, without secrets. */
  readonly onLog?: (level: LogLevel, text: string) => void;
  /** Sends requests of a host tool to the caller; absent if the caller cannot answer. */
  readonly ask?: AskCaller;
  /** Asks the door's user for a confirmation; absent if the door has no user. */
  readonly confirm?: ConfirmPrompt;
  /** Receives the pending result if the caller does not wait for a confirmation; the call continues without it. */
  readonly onPending?: (result: ToolResult) => void;
}

/** Part of a call that began to wait in an earlier process (SPEC FR2). */
interface ResumedCall {
  /** The guest, if the tool had begun. */
  readonly frozen?: Uint8Array;
  /** The confirmation that it waits for. */
  readonly request?: Pick<ConfirmationRequest, "requestId" | "hash">;
  /** Whether the user was shown what the call would change. Then it is determined again, and must be the same. */
  readonly hasPreview?: boolean;
  /** Answer to `request`. Absent: the user is asked again under the same id. */
  readonly answer?: ResumedAnswer;
  /** Id that the tool had then: requests of tools without a version are bound to it. */
  readonly toolId: string;
  /** Set if its version of the plugin does not serve any more. */
  readonly isOfEarlierVersion?: true;
  /** Files that it changed until then. */
  readonly filesModified: readonly string[];
}

/** Outcome of a confirmation whose call was not in this process. */
export interface ResumedAnswer {
  readonly answer: "allowed" | "denied" | "timeout" | "cancelled" | "too_many";
  readonly scope?: "once" | "session" | "always";
  readonly reason?: string;
}

/** Shows a pending confirmation and returns the user's answer; `undefined` without an answer. */
export type ConfirmPrompt = (request: ConfirmationRequest, signal: AbortSignal) => Promise<boolean | undefined>;

/** A confirmation request: the call as it will run (SPEC E2). */
export interface ConfirmationRequest {
  /** Id for the answer. */
  readonly requestId: string;
  readonly callId: string;
  /** Qualified name of the tool. */
  readonly tool: string;
  readonly plugin?: string;
  /** SHA-256 in hexadecimal of the plugin's files. */
  readonly digest?: string;
  /** Validated arguments with defaults. The text comes from the caller: escape it before it reaches a terminal. */
  readonly args: JsonValue;
  /**
   * Set for arguments above 64 KB: the UTF-8 length and the SHA-256 in hexadecimal of their canonical JSON. Doors show an outline of them
   * and of `projectedModifications`.
   */
  readonly largeArguments?: { readonly bytes: number; readonly sha256: string };
  readonly class: SideEffectClass;
  /** Whether the tool declares that it deletes or overwrites. */
  readonly destructive: boolean;
  /** The tools that wait for this call, the outermost first; absent if a client calls it directly. */
  readonly calledBy?: readonly string[];
  /** Paths that the call declares to write. */
  readonly projectedModifications: readonly string[];
  /**
   * Set for a permission that the call requests while it runs; an approval covers this call only. `value` is a path with everything below
   * it, a host or a name; absent for all of the kind. `leadsTo` is the target of a path that contains a link.
   */
  readonly permission?: { readonly kind: string; readonly value?: string; readonly leadsTo?: string };
  /** Changes found by a dry run; on approval exactly these are made. */
  readonly preview?: DryRunReport;
  /**
   * SHA-256 in hexadecimal over tool, version hash, arguments, modifications and preview: an answer applies to this request only (SPEC E3).
   */
  readonly hash: string;
}

/** Policy's decision with the layer and rule that caused it; part of the result and of every event (SPEC D6). */
export type Decision = AllowDecision | DenyDecision;

/** The tool may run; for `ask`, if the user approves. */
export interface AllowDecision {
  readonly kind: "allow" | "ask";
  readonly route: Route;
  readonly grant: Grant;
  readonly limits: Limits;
  /** Limits that the plugin requests to be higher and that were not accepted. */
  readonly lacking?: readonly LackingLimit[];
  readonly because: Because;
  /** For a trusted plugin on the host route: the confinement of its process. */
  readonly confinement?: Confinement;
  /** Reason if the tool cannot run on this route; the user is not asked then. */
  readonly unavailable?: string;
  /** Quotas of the call (SPEC D9). */
  readonly quotas?: readonly Quota[];
  /** For `ask`: the confirmation mode. */
  readonly confirm: "auto" | "prompt" | "prompt_once";
  /** Whether policy requires a dry run, whatever the caller's options (SPEC E8). */
  readonly dryRun?: true;
  /** Whether the call must be recorded before it acts, with side effects or without; otherwise it is refused (SPEC AU3). */
  readonly mustRecord?: true;
}

/** `deno`: the host answers each of Deno's permission checks; `none`: a plain process (SPEC O1). */
export type Confinement = "deno" | "none";

/** The tool must not run. */
export interface DenyDecision {
  readonly kind: "deny";
  readonly because: Because;
  /** The `confirmation` mode `deny` answers `user_denied`, everything else `permission_denied`. */
  readonly by: "policy" | "confirmation";
}

/** Cause of a decision. */
export interface Because {
  /** `default`, `rule`, `layer`, `confirmation`, … */
  readonly layer: string;
  /** The rule's selector as written, e.g. `words.grep`. */
  readonly rule: string;
}

/** The public part of a decision: no grant, no functions. */
export interface DecisionSummary {
  readonly kind: Decision["kind"];
  readonly route?: Route;
  readonly confinement?: Confinement;
  readonly limits?: Limits;
  readonly dryRun?: true;
  readonly grants?: readonly { readonly layer: string; readonly permissions: Permissions }[];
  readonly because: Because;
}

/** Resources that a call used, in the units of `Limits`. */
export interface LimitsUsed {
  /** Elapsed time. */
  readonly wallMs: number;
  /** Processor time of the guest. */
  readonly cpuMs?: number;
  /** Peak of the guest's memory. */
  readonly memoryBytes?: number;
  /** The result as JSON. */
  readonly outputBytes?: number;
  readonly logBytes?: number;
  /** Number of operations that the guest requested of the host. */
  readonly operations?: number;
  /** Work as counted by the engine: deterministic for the same call, whatever the load of the machine. */
  readonly fuel?: number;
  readonly argumentBytes?: number;
  /** Maximum stack depth. */
  readonly stackBytes?: number;
  /** Largest payload of one operation. */
  readonly operationBytes?: number;
  /** Maximum number of concurrent operations. */
  readonly pendingOperations?: number;
  readonly timers?: number;
  /** Maximum JSON nesting depth. */
  readonly jsonDepth?: number;
  /** Bytes read from files and the network, and written to them. */
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  /** Network requests, including redirects. */
  readonly requests?: number;
}

/** Result of a call; `ok` tells success from failure. */
export type ToolResult = ToolSuccess | ToolFailure;

interface ResultBase {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: JsonValue;
  readonly plugin?: string;
  readonly digest?: string;
  readonly requiresApproval: boolean;
  readonly content: readonly ContentBlock[];
  readonly sideEffects: readonly SideEffect[];
  readonly filesModified: readonly string[];
  readonly commandExecuted?: string;
  readonly route?: Route;
  /** Milliseconds from arrival to end, without the wait for confirmations. */
  readonly durationMs: number;
  readonly limitsUsed: LimitsUsed;
  readonly decision?: DecisionSummary;
  /** Set if the call was a step of a chain. */
  readonly chain?: ChainMark;
  /** Steps below this call, including nested ones; set if it called other tools and is not a step itself. */
  readonly steps?: readonly ChainStep[];
  /** Operations that had not ended 5 s after the call; `filesModified` lacks their later changes. */
  readonly unfinished?: readonly string[];
  /** Set if the call was to be recorded. */
  readonly recording?: RecordingSummary;
  /** Changes that a dry run would have made. */
  readonly dryRun?: DryRunReport;
  /** Parts that were cut to the size that the session accepts (SPEC X6). */
  readonly truncated?: readonly TruncatedPart[];
  readonly metadata: JsonObject;
}

/** A truncated part of a result. */
export interface TruncatedPart {
  /** `output`, `content/0`, `error/message`, `error/details`. */
  readonly part: string;
  /** Handle to read the whole part in the same session; absent if it was too large to keep. */
  readonly handle?: string;
  /** UTF-8 bytes of the whole part: a text as it is, other values as JSON. */
  readonly bytes: number;
  /** Bytes of the shown beginning. */
  readonly shownBytes: number;
}

/** A successful call. */
export interface ToolSuccess extends ResultBase {
  readonly ok: true;
  readonly status: "success";
  /** Returned value of the tool, checked against its output schema. */
  readonly output: JsonValue;
}

/** The call failed, was refused, or waits for a confirmation; `error` is the reason. */
export interface ToolFailure extends ResultBase {
  readonly ok: false;
  /** `pending_approval`: the call waits for a confirmation that the caller cannot give now. */
  readonly status: "error" | "pending_approval";
  readonly output: null;
  readonly error: ToolErrorData;
  /** Output of a cancelled or timed-out call so far (SPEC T3). */
  readonly partialOutput?: JsonValue;
}
