/** Options of calls, and the `ToolCall` that they make. */

import type { RawArguments } from "../call/argument-text.ts";
import type { ConfirmPrompt, ToolCall } from "../call/call.ts";
import type { ChainPlace } from "../call/chain.ts";
import type { CallGrant } from "../call/grant.ts";
import type { Session } from "../call/session.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { HostCallHandler } from "../../sandbox/mod.ts";

/** Options of a call, beside its tool and its arguments. */
export interface CallOptions {
  /** Default: a session of the host, shared by all calls without a session. */
  readonly session?: Session;
  /** The turn this call belongs to. */
  readonly turn?: string;
  readonly signal?: AbortSignal;
  /** Counted from the start of the tool; never above policy's limit. */
  readonly timeoutMs?: number;
  /** Default: a new UUIDv7. */
  readonly callId?: string;
  /**
   * Seed of the guest's randomness: two calls with the same seed get the same values. A seed reveals every key and token that the guest
   * generates.
   */
  readonly seed?: string;
  /**
   * The guest's clock at the start of the call, in milliseconds since the epoch. From then on its time is deterministic: a timer fires when
   * the guest has nothing else left to wait for.
   */
  readonly timeMs?: number;
  /** Whether to keep a recording for `bascule replay`. Default: `audit.record` in `bascule.json`. */
  readonly record?: boolean;
  /**
   * Dry run: files change in memory only, requests that could change something are not sent, and the result's `dryRun` lists the changes.
   * `host.commit(callId)` applies them.
   */
  readonly dryRun?: boolean;
  /** Permissions that the user granted for this call only. Within what the manifest requests and no policy denies, as every grant. */
  readonly callGrant?: CallGrant;
  /** Answers the guest's operations in place of the bridges, for tests: the call has no effects outside of the sandbox. */
  readonly answer?: HostCallHandler;
  /** W3C traceparent. */
  readonly traceparent?: string;
  /** @param json the JSON of a value above 64 KB, in UTF-8 and on one line */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /** Receives the values that a tool yields, while it runs. A promise holds the tool back until it settles, or the call ends. */
  readonly onYield?: ToolCall["onYield"];
  /** Receives what a guest writes to `console` and its log; the host's log receives it as well. */
  readonly onLog?: ToolCall["onLog"];
  /** Answers the requests that host tools send to the caller in the middle of a call. */
  readonly ask?: ToolCall["ask"];
  /** Asks the user for a confirmation while the caller waits. */
  readonly confirm?: ConfirmPrompt;
  /**
   * Behaviour of a call that needs a confirmation if `confirm` is absent: `pending` (default) answers `approval_required` at once, and the
   * call runs when a user approves it; `refuse` answers `user_denied`.
   */
  readonly unattended?: "pending" | "refuse";
}

/** One of several calls. */
export interface CallRequest {
  /** Name of the tool, bare or qualified. */
  readonly tool: string;
  /** Default: no arguments. */
  readonly args?: RawArguments;
  /** Default: a new id. */
  readonly callId?: string;
  /** Counted from the start of the tool; never above policy's limit. */
  readonly timeoutMs?: number;
}

/** Options that several calls share. */
export interface CallAllOptions extends Omit<CallOptions, "callId" | "timeoutMs"> {
  /** Runs the calls one after the other; otherwise they run concurrently, up to the session's cap. */
  readonly sequential?: boolean;
  /**
   * `chain`: the calls are steps of one chain (SPEC K6). Read-only steps run together, every other step runs alone, and steps after a
   * failure do not run. Only tools that may be chained are allowed. Default `direct`.
   */
  readonly mode?: "direct" | "chain";
  /** In a chain, steps that change something run beside others too. Default false. */
  readonly parallelMutations?: boolean;
}

/** Merges the options of the turn with those of one call. */
export function ofRequest({ callId, timeoutMs }: CallRequest, shared: CallAllOptions): CallOptions {
  return { ...shared, ...(callId !== undefined && { callId }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

interface MadeFor {
  readonly newId: () => string;
  readonly defaultSession: Session;
  readonly onPending?: ToolCall["onPending"];
  readonly chain?: ChainPlace | undefined;
}

export function toCall(
  tool: string,
  args: RawArguments,
  wanted: CallOptions,
  { newId, defaultSession, onPending, chain }: MadeFor,
): ToolCall {
  const { session = defaultSession, turn, timeoutMs, callId = newId(), traceparent, onProgress, onYield, onLog, ask, confirm } = wanted;
  const { seed, timeMs, record, dryRun, callGrant, answer } = wanted;
  return Object.freeze({
    callId,
    tool,
    args,
    session,
    caller: chain === undefined ? "direct" : "chain",
    ...(chain && { chain }),
    ...(turn !== undefined && { turnId: turn }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(seed !== undefined && { seed }),
    ...(timeMs !== undefined && { timeMs }),
    ...(record !== undefined && { record }),
    ...(dryRun === true && { dryRun }),
    ...(callGrant && { callGrant }),
    ...(answer && { answer }),
    ...(traceparent !== undefined && { traceparent }),
    ...(onProgress && { onProgress }),
    ...(onYield && { onYield }),
    ...(onLog && { onLog }),
    ...(ask && { ask }),
    ...(confirm && { confirm }),
    ...(onPending && { onPending }),
  });
}
