/** A plugin to load and a call into it, as the host states them, and what came of it. */

import type { JsonSchema, JsonValue, Limits, ValueError } from "../manifests/mod.ts";
import type { Fault, LoadFault } from "./fault.ts";
import type { HostCallHandler } from "./host-call.ts";
import type { CallWorld, KeptTape } from "./tape/tape.ts";

/** Everything a plugin is made of; nothing else can reach its image (SPEC B9). */
export interface PluginSource {
  readonly name: string;
  /** Identity of these bytes; the key of the image. */
  readonly digest: string;
  /** By "/"-separated path relative to the plugin's folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Files whose exports are tools, and the exports that must be functions. */
  readonly modules: ReadonlyMap<string, readonly string[]>;
  /** For loading it; a call has `limits.memoryBytes`. */
  readonly memoryBytes: number;
  readonly loadMs: number;
}

export type LoadOutcome =
  | { readonly ok: true; readonly loadMs: number; readonly imageBytes: number }
  | { readonly ok: false; readonly fault: LoadFault };

/** One line of a guest's log. */
export type LogLine = readonly [level: "debug" | "info" | "warn" | "error", text: string];

/** One call into a loaded plugin. */
export interface Invocation {
  readonly callId: string;
  /** On whose behalf: what all its calls together may take has a share. Absent: no caller's in particular. */
  readonly caller?: string;
  readonly digest: string;
  readonly module: string;
  readonly export: string;
  readonly args: JsonValue;
  /** Their JSON, where the caller has it already: large ones are not written a second time. */
  readonly argsText?: string;
  /** JSON text of an object: the tool's second argument, together with `signal`, `workspace`, `log` and `progress`. */
  readonly contextText: string;
  readonly limits: Limits;
  /** What an output above 64 KB is checked against, in the worker; a smaller one is the caller's to check. */
  readonly outputSchema?: JsonSchema;
  /** Set for a plugin that keeps its state between the calls of a session: whose state this call continues. */
  readonly session?: string;
  /** Its time and randomness, if they are not to be the machine's. */
  readonly world?: CallWorld;
  readonly hostCall: HostCallHandler;
  /** Lines the guest logged, in order and some at a time; text is guest data. */
  readonly onLogs: (lines: readonly LogLine[]) => void;
  readonly signal: AbortSignal;
}

export interface InvocationUsed {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly logBytes: number;
  readonly operations: number;
  /** JSON text of the arguments. */
  readonly argumentBytes?: number;
  /** The largest payload of one operation, either way. */
  readonly operationBytes?: number;
  /** Operations that waited for the host at once, at most. */
  readonly pendingOperations?: number;
  /** Timers that waited at once when the call did, at most: the guest's own word. */
  readonly timers?: number;
  /** Of what went to the host and of the output, at most. */
  readonly jsonDepth?: number;
  /** In steps of 256; absent on an engine without a write barrier. */
  readonly stackBytes?: number;
  /** What the engine's meter counted (`fuel.ts`): the same for the same call. 0 on an engine without a meter, and of a worker that was ended. */
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

/** What a tool returned. */
export interface InvocationOutput {
  /** At most 64 KB of JSON, without what is in `parts`. */
  readonly output: JsonValue;
  /** Of an output above 64 KB. A worker's word: neither where they belong nor that they are JSON was looked at. */
  readonly parts?: readonly OutputPart[];
  /** Of an output above 64 KB: how it differs from the schema, in a worker's words. */
  readonly problems?: readonly ValueError[];
}

interface OutcomeBase {
  readonly used: InvocationUsed;
  /** There if one was to be kept, and the worker lived to tell. */
  readonly tape?: KeptTape;
  /** The call had a session, and no state of it to go on from. */
  readonly beganAfresh?: true;
  /** The state that the call left for its session was larger than what is kept, and none is: its size. */
  readonly droppedStateBytes?: number;
}

export type InvocationOutcome =
  | (OutcomeBase & InvocationOutput & { readonly ok: true })
  | (OutcomeBase & { readonly ok: false; readonly fault: Fault });
