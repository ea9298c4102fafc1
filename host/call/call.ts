/** A call of a tool: what comes in, what was decided, what comes out (SPEC D6, X1). Types only. */

import type { Caller, JsonObject, JsonValue, Limits, Permissions, Route, SideEffect, SideEffectClass } from "../../manifests/mod.ts";
import type { ChainMark, ChainPlace, ChainStep } from "./chain.ts";
import type { RawArguments } from "./arguments.ts";
import type { ToolErrorData } from "./errors.ts";
import type { AskCaller } from "./asks.ts";
import type { LogLevel } from "../platform/platform.ts";
import type { DryRunReport } from "./dry-run-report.ts";
import type { RecordingSummary } from "./recording.ts";
import type { Grant } from "./grant.ts";
import type { LackingLimit } from "./limit-hint.ts";
import type { HostCallHandler } from "../../sandbox/mod.ts";
import type { Quota } from "./quota.ts";
import type { Session } from "./session.ts";
import type { ContentBlock } from "./tool-output.ts";

export type { ContentBlock } from "./tool-output.ts";

/** One call as a door hands it in. Frozen. */
export interface ToolCall {
  readonly callId: string;
  /** Bare or qualified name, as the caller wrote it. */
  readonly tool: string;
  /** JSON data, or JSON text that dispatch parses (SPEC S3). Not yet checked. */
  readonly args: RawArguments;
  readonly session: Session;
  readonly turnId?: string;
  readonly caller: Caller;
  /** Where it stands in the chain that it is a step of; absent for a direct call. */
  readonly chain?: ChainPlace;
  /** Wish for a deadline, in milliseconds from the start of the tool. */
  readonly timeoutMs?: number;
  /** All randomness of the guest is computed from it (SPEC B6). */
  readonly seed?: string;
  /** What the guest sees as the time when it begins, in milliseconds since the epoch. */
  readonly timeMs?: number;
  /** Whether it is recorded (SPEC B8); absent: as the project says. */
  readonly record?: boolean;
  /** It changes nothing: what it would change is in its result (SPEC E8). */
  readonly dryRun?: true;
  /** Answers the guest's operations in place of the bridges. */
  readonly answer?: HostCallHandler;
  /** W3C traceparent. */
  readonly traceparent?: string;
  /** `json`: of a value above 64 KB its JSON in UTF-8, in one line. */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /** What the guest writes to `console` and its log, less the secrets. */
  readonly onLog?: (level: LogLevel, text: string) => void;
  /** How a host tool asks the caller; absent where there is nobody to ask. */
  readonly ask?: AskCaller;
  /** The door's way to ask its person; absent where it has none. */
  readonly confirm?: ConfirmPrompt;
  /** Where the caller does not wait for a person: gets the result that says so; the call goes on by itself. */
  readonly onPending?: (result: ToolResult) => void;
}

/** Shows a pending confirmation and gives the answer; `undefined` if nobody answered. */
export type ConfirmPrompt = (request: ConfirmationRequest, signal: AbortSignal) => Promise<boolean | undefined>;

/** What a person is asked: the call as it will run (SPEC E2). */
export interface ConfirmationRequest {
  readonly requestId: string;
  readonly callId: string;
  /** Qualified name. */
  readonly tool: string;
  readonly plugin?: string;
  readonly digest?: string;
  /** As checked and completed. Caller-controlled text: escape it before it reaches a terminal. */
  readonly args: JsonValue;
  /**
   * Of arguments above 64 KB, as canonical JSON: the length in UTF-8 and the SHA-256 in hexadecimal. Doors show an outline in their place,
   * and of `projectedModifications`.
   */
  readonly largeArguments?: { readonly bytes: number; readonly sha256: string };
  readonly class: SideEffectClass;
  readonly destructive: boolean;
  /** The tools that wait for this call, the outermost first; absent where a client calls it itself. */
  readonly calledBy?: readonly string[];
  /** Paths that the call says it will write. */
  readonly projectedModifications: readonly string[];
  /**
   * In the middle of a call: what it asks for now. A yes holds for this call only. `value` is a path with all that is below it,
   * a host or a name, and absent for all of the kind; `leadsTo` is where a path really leads, if that is another place.
   */
  readonly permission?: { readonly kind: string; readonly value?: string; readonly leadsTo?: string };
  /** What it will change, where it ran dry to find out: then this is what is done, and nothing else. */
  readonly preview?: DryRunReport;
  /** SHA-256 in hexadecimal over tool, digest, arguments, modifications and preview: an answer is to this and nothing else (SPEC E3). */
  readonly hash: string;
}

/** What policy said, with the layer and rule that decided; part of the result and of every event (SPEC D6). */
export type Decision = AllowDecision | DenyDecision;

/** The tool may run, for `ask` if a person agrees. */
export interface AllowDecision {
  readonly kind: "allow" | "ask";
  readonly route: Route;
  readonly grant: Grant;
  readonly limits: Limits;
  /** Limits that its plugin asks to be higher, and nobody allowed. */
  readonly lacking?: readonly LackingLimit[];
  readonly because: Because;
  /** For a plugin on the host route that a person trusts: what its process is held by. */
  readonly confinement?: Confinement;
  /** Why it cannot run there, whoever agrees: nobody is asked then. */
  readonly unavailable?: string;
  /** How much of it may be used in which time (SPEC D9). */
  readonly quotas?: readonly Quota[];
  /** For `ask`: which confirmation mode asked. */
  readonly confirm: "auto" | "prompt" | "prompt_once";
  /** It runs dry, whatever the caller wishes (SPEC E8). */
  readonly dryRun?: true;
  /** It is on record before it does anything, or is refused, whether it changes something or not (SPEC AU3). */
  readonly mustRecord?: true;
}

/** `deno`: each of Deno's permission checks is answered by the host; `none`: a plain process (SPEC O1). */
export type Confinement = "deno" | "none";

/** The tool does not run. */
export interface DenyDecision {
  readonly kind: "deny";
  readonly because: Because;
  /** `confirmation` mode `deny` answers `user_denied`, everything else `permission_denied`. */
  readonly by: "policy" | "confirmation";
}

/** What decided. */
export interface Because {
  /** `default`, `rule`, `layer`, `confirmation`, … */
  readonly layer: string;
  /** The rule's selector as written, e.g. `words.grep`. */
  readonly rule: string;
}

/** The part of a decision that leaves the host: no grant, no functions. */
export interface DecisionSummary {
  readonly kind: Decision["kind"];
  readonly route?: Route;
  readonly confinement?: Confinement;
  readonly limits?: Limits;
  readonly dryRun?: true;
  readonly grants?: readonly { readonly layer: string; readonly permissions: Permissions }[];
  readonly because: Because;
}

/** What a call used, in the units of `Limits`. */
export interface LimitsUsed {
  readonly wallMs: number;
  readonly cpuMs?: number;
  readonly memoryBytes?: number;
  readonly outputBytes?: number;
  readonly logBytes?: number;
  readonly operations?: number;
  /** Work as the engine counts it: the same for the same call, whatever the machine is doing. */
  readonly fuel?: number;
  readonly argumentBytes?: number;
  /** How far the stack reached. */
  readonly stackBytes?: number;
  /** The largest payload of one operation. */
  readonly operationBytes?: number;
  /** The most at once. */
  readonly pendingOperations?: number;
  readonly timers?: number;
  /** The deepest. */
  readonly jsonDepth?: number;
  /** From files and the network to the tool, and from it. */
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  /** Requests over the network, redirects included. */
  readonly requests?: number;
}

/** What came of a call; tell by `ok`. */
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
  /** From its arrival to its end, without the time in which a person was asked. */
  readonly durationMs: number;
  readonly limitsUsed: LimitsUsed;
  readonly decision?: DecisionSummary;
  /** There if it was a step of a chain. */
  readonly chain?: ChainMark;
  /** The steps below it, those of its steps included; there if it called other tools and is no step itself. */
  readonly steps?: readonly ChainStep[];
  /** Operations that were under way and had not ended 5 s after the call did: what they still change is not in `filesModified`. */
  readonly unfinished?: readonly string[];
  /** There if the call was to be recorded. */
  readonly recording?: RecordingSummary;
  /** There if it ran dry: what it would have changed. */
  readonly dryRun?: DryRunReport;
  /** What was left out because it is more than the session takes (SPEC X6). */
  readonly truncated?: readonly TruncatedPart[];
  readonly metadata: JsonObject;
}

/** A part of a result that is not there whole. */
export interface TruncatedPart {
  /** `output`, `content/0`, `error/message`, `error/details`. */
  readonly part: string;
  /** By which the whole can be read, in the same session; absent if it was too large to be kept. */
  readonly handle?: string;
  /** Of the whole, in UTF-8: a text as it is, anything else as JSON. */
  readonly bytes: number;
  /** Of the beginning that is there. */
  readonly shownBytes: number;
}

/** The tool answered. */
export interface ToolSuccess extends ResultBase {
  readonly ok: true;
  readonly status: "success";
  readonly output: JsonValue;
}

/** The call failed, was refused, or waits for an approval; `error` says why. */
export interface ToolFailure extends ResultBase {
  readonly ok: false;
  readonly status: "error" | "pending_approval";
  readonly output: null;
  readonly error: ToolErrorData;
  /** What a call that was cancelled or out of time had produced so far (SPEC T3). */
  readonly partialOutput?: JsonValue;
}
