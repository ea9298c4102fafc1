/** The messages between the host and the process of a sandbox. Messages of the process are hostile, like those of a worker. */

import type { OperationMessage } from "../pool/answer-operation.ts";
import type { Invocation, PluginSource } from "../wire/invocation.ts";
import type { WorkerMessage } from "../wire/protocol.ts";
import type { Fault, LoadWarning } from "../wire/fault.ts";
import type { TapeText, ConditionsText } from "./tape-text.ts";

/** Messages from host to process. Binary parts follow the head, in the order named. */
export type ProcessRequest =
  /** Sent once, before all other messages. Parts: the engine; the file of the base image, if `base` names one. */
  | { readonly type: "boot"; readonly base?: string; readonly maximumWorkers: number; readonly maximumQueue: number }
  /** Parts: the plugin's files. */
  | {
      readonly type: "load";
      readonly number: number;
      readonly source: Omit<PluginSource, "files" | "modules">;
      readonly files: readonly string[];
      readonly modules: readonly (readonly [file: string, exports: readonly string[]])[];
    }
  | { readonly type: "unload"; readonly digest: string }
  | { readonly type: "endSession"; readonly session: string }
  | { readonly type: "call"; readonly number: number; readonly invocation: PlainInvocation }
  /** `answer` is tagged text, as for a worker. Parts: the answer's bytes, if any. */
  | { readonly type: "answer"; readonly number: number; readonly operation: number; readonly answer: string }
  | { readonly type: "abort"; readonly number: number }
  | { readonly type: "ping" };

/** The members of an invocation that are data. */
export type PlainInvocation = Omit<Invocation, "hostCall" | "onLogs" | "signal" | "conditions"> & { readonly conditions?: ConditionsText };

/**
 * Messages from process to host: those of a worker about calls, and some more. Parts: an operation's text above 64 KB and its bytes; the
 * file of a base image.
 */
export type ProcessMessage =
  | { readonly type: "ready" }
  /** The process made the base image. Only accepted from a process that was sent no plugin. */
  | { readonly type: "base"; readonly name: string; readonly bytes?: Uint8Array }
  | { readonly type: "defect"; readonly message: string }
  | { readonly type: "pong" }
  | {
      readonly type: "loaded";
      readonly number: number;
      readonly loadMs: number;
      readonly imageBytes: number;
      readonly warnings?: readonly LoadWarning[];
    }
  | OperationMessage
  | Extract<WorkerMessage, { type: "refused" | "taken" | "logs" }>
  | (Omit<Extract<WorkerMessage, { type: "done" }>, "state" | "tape"> & ToldOfCall)
  | (Omit<Extract<WorkerMessage, { type: "failed" }>, "fault" | "tape"> & ToldOfCall & { readonly fault: Fault });

/** Members of every call's result. */
interface ToldOfCall {
  readonly tape?: TapeText;
  readonly beganAfresh?: true;
}
