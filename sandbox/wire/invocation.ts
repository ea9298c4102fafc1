/** Types of a plugin to load, a call into it, and its outcome. */

import type { JsonSchema, JsonValue, Limits, ValueError } from "../../manifests/mod.ts";
import type { Fault, LoadFault, LoadWarning } from "./fault.ts";
import type { HostCallHandler } from "./host-call.ts";
import type { Observed } from "./observed.ts";
import type { CallConditions, KeptTape } from "./tape.ts";

/** All input of a plugin's image. Nothing else can reach the image (SPEC B9). */
export interface PluginSource {
  readonly name: string;
  /** Hash of the files, and key of the image. */
  readonly digest: string;
  /** File contents by "/"-separated path relative to the plugin's folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files whose exports are tools, and the exports that must be functions. */
  readonly modules: ReadonlyMap<string, readonly string[]>;
  /** Memory limit while loading. Calls use `limits.memoryBytes`. */
  readonly memoryBytes: number;
  readonly loadMs: number;
}

export type LoadOutcome =
  | { readonly ok: true; readonly loadMs: number; readonly imageBytes: number; readonly warnings?: readonly LoadWarning[] }
  | { readonly ok: false; readonly fault: LoadFault };

/** One line of a guest's log. */
export type LogLine = readonly [level: "debug" | "info" | "warn" | "error", text: string];

/** One call into a loaded plugin. */
export interface Invocation {
  readonly callId: string;
  /** Owner of the call. All calls of one caller share a budget. Absent: no caller in particular. */
  readonly caller?: string;
  readonly digest: string;
  readonly module: string;
  readonly export: string;
  readonly args: JsonValue;
  /** JSON of the arguments, if the caller already has it. Avoids serializing large ones twice. */
  readonly argsText?: string;
  /** JSON text of an object: the tool's second argument, together with `signal`, `workspace`, `log` and `progress`. */
  readonly contextText: string;
  readonly limits: Limits;
  /** Schema that the worker checks an output above 64 KB against. The caller checks smaller outputs. */
  readonly outputSchema?: JsonSchema;
  /** Session whose state this call continues. Set if the plugin keeps its state between the calls of a session. */
  readonly session?: string;
  /** Time and randomness of the call. Absent: the machine's. */
  readonly conditions?: CallConditions;
  /** Keeps the call while it waits for what outlives the process. Absent: the call ends with the process. */
  readonly freezing?: Freezing;
  /** Bytes of a frozen call, which goes on where it stopped. */
  readonly frozen?: Uint8Array;
  readonly hostCall: HostCallHandler;
  /** Takes the lines that the guest logged, in order and in batches. The text is guest data. */
  readonly onLogs: (lines: readonly LogLine[]) => void;
  readonly signal: AbortSignal;
}

/** Keeps a waiting call as bytes, so that another process can continue it. */
export interface Freezing {
  /** Resolves to whether the call, as the host knows it, waits for nothing that ends with the process. */
  isReady(): Promise<boolean>;
  /**
   * Takes the call as it waits now, in place of earlier bytes. They hold until `thaw`.
   *
   * @param timerAt the time at which its next timer is due, on the launcher's clock; undefined if it has none
   */
  freeze(frozen: Uint8Array, timerAt: number | undefined): void;
  /** Called before the call goes on, and when it ends: the bytes must not be used any more. */
  thaw(): void;
}

export interface InvocationUsed {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly logBytes: number;
  readonly operations: number;
  /** Bytes of the arguments' JSON text. */
  readonly argumentBytes?: number;
  /** Largest payload of one operation, in either direction. */
  readonly operationBytes?: number;
  /** Peak number of operations waiting for the host. */
  readonly pendingOperations?: number;
  /** Peak number of timers waiting at the same time as the call. Reported by the guest. */
  readonly timers?: number;
  /** Maximum nesting of the output and of what was sent to the host. */
  readonly jsonDepth?: number;
  /** Peak stack in steps of 256 bytes. Absent on an engine without a write barrier. */
  readonly stackBytes?: number;
  /**
   * Fuel counted by the engine's meter (`fuel.ts`), deterministic for the same call. 0 on an engine without a meter, and if the worker
   * was ended.
   */
  readonly fuel: number;
}

/** A part of an output that crosses as bytes. The rest has `null` or `""` in its place. */
export interface OutputPart {
  /** `output`, `metadata`, or a string of a content block: `content/0/data`, `content/0/text`. */
  readonly at: string;
  /** `text`: a string, as UTF-8. `json`: JSON text. */
  readonly kind: "text" | "json";
  readonly bytes: Uint8Array;
}

/** The output of a tool. */
export interface InvocationOutput {
  /** At most 64 KB of JSON, without the parts. */
  readonly output: JsonValue;
  /** Parts of an output above 64 KB, as the worker sent them: neither their place nor their JSON has been checked. */
  readonly parts?: readonly OutputPart[];
  /** Schema problems of an output above 64 KB, as the worker reported them. */
  readonly problems?: readonly ValueError[];
}

interface OutcomeBase {
  readonly used: InvocationUsed;
  /** Recording of the call. Present if one was requested and the worker survived. */
  readonly tape?: KeptTape;
  /** Present if they were requested, and the worker survived. */
  readonly observed?: Observed;
  /** True if the call had a session without a stored state. */
  readonly beganAfresh?: true;
  /** Size of the state that the call left for its session, if it was too large to keep. */
  readonly droppedStateBytes?: number;
}

export type InvocationOutcome =
  | (OutcomeBase & InvocationOutput & { readonly ok: true })
  | (OutcomeBase & { readonly ok: false; readonly fault: Fault });
