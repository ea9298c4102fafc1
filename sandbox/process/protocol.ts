/** What the host and the process of a sandbox say to each other. What comes out of the process is hostile, as a worker's words are. */

import type { OperationMessage } from "../call/answer-operation.ts";
import type { Invocation, PluginSource } from "../invocation.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import type { Fault } from "../fault.ts";
import type { TapeText, WorldText } from "./tape-text.ts";

/** Host to process. Pieces of bytes travel beside the head, in the order named. */
export type ProcessRequest =
  /** Sent once, before everything else. Pieces: the engine; the file of the base image, if `base` names one. */
  | { readonly type: "boot"; readonly base?: string; readonly maximumWorkers: number; readonly maximumQueue: number }
  /** Pieces: the plugin's files. */
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
  /** `answer` is tagged text, as a worker gets it. Pieces: the answer's bytes, if it has any. */
  | { readonly type: "answer"; readonly number: number; readonly operation: number; readonly answer: string }
  | { readonly type: "abort"; readonly number: number }
  | { readonly type: "ping" };

/** What of a call is data. */
export type PlainInvocation = Omit<Invocation, "hostCall" | "onLogs" | "signal" | "world"> & { readonly world?: WorldText };

/** Process to host: a worker's words about calls, and some of its own. Pieces: an operation's text above 64 KB, its bytes; the file of a base image. */
export type ProcessMessage =
  | { readonly type: "ready" }
  /** The base image was made here. Believed only of a process that no plugin was sent to. */
  | { readonly type: "base"; readonly name: string; readonly bytes?: Uint8Array }
  | { readonly type: "defect"; readonly message: string }
  | { readonly type: "pong" }
  | { readonly type: "loaded"; readonly number: number; readonly loadMs: number; readonly imageBytes: number }
  | OperationMessage
  | Extract<WorkerMessage, { type: "refused" | "taken" | "logs" }>
  | (Omit<Extract<WorkerMessage, { type: "done" }>, "state" | "tape"> & ToldOfCall)
  | (Omit<Extract<WorkerMessage, { type: "failed" }>, "fault" | "tape"> & ToldOfCall & { readonly fault: Fault });

/** What is told of every call. */
interface ToldOfCall {
  readonly tape?: TapeText;
  readonly beganAfresh?: true;
}
