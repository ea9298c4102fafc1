/** Why guest code stopped: the sandbox's closed union of failures (architecture, decision 5). */

/** Limits with an exhaustion fault of their own. The other limits are times. */
export type ExhaustedLimit =
  | "memory"
  | "stack"
  | "output"
  | "logs"
  | "operations"
  | "pendingOperations"
  | "timers"
  | "jsonDepth"
  | "operationBytes";

export type Fault =
  /** The tool threw, or its promise was rejected; `stack` holds the author's own file positions. */
  | { readonly kind: "threw"; readonly name: string; readonly message: string; readonly stack: string; readonly toolError?: GuestToolError }
  /** A wall or CPU deadline passed. */
  | { readonly kind: "timeout"; readonly limit: "wall" | "cpu"; readonly limitMs: number }
  | { readonly kind: "exhausted"; readonly limit: ExhaustedLimit; readonly allowed: number }
  /** The export is missing or not a function. */
  | { readonly kind: "no_export"; readonly module: string; readonly export: string; readonly available: readonly string[] }
  /** The returned value is not JSON (a cycle, a BigInt, a throwing `toJSON`). */
  | { readonly kind: "not_json"; readonly message: string }
  /** The returned promise can never settle: no job, timer or operation is left. */
  | { readonly kind: "never_settles" }
  /** The tool returned while operations with effects were still running. */
  | { readonly kind: "unfinished"; readonly operations: readonly string[] }
  /** A promise was rejected and not handled. */
  | { readonly kind: "unhandled"; readonly name: string; readonly message: string; readonly stack: string }
  | { readonly kind: "cancelled" }
  /** Too many calls wait for a worker, because of the number of calls or of the memory that they hold while waiting. */
  | { readonly kind: "overloaded"; readonly because: "calls" | "memory" }
  /** The waiting calls on one worker held too much memory together. Of all plugins this call's held the most, and within it this call. */
  | { readonly kind: "held_most"; readonly allowedBytes: number }
  /** The worker was ended because of another call after this call had done host operations (SPEC B10). */
  | { readonly kind: "lost" }
  /** The sandbox was closed while the call was frozen: another process continues it. */
  | { readonly kind: "frozen" }
  /** A frozen call cannot continue here. */
  | { readonly kind: "misfit"; readonly differs: FrozenMisfit }
  /** A replayed call behaved differently from its recording. */
  | { readonly kind: "differs" }
  /** The engine trapped (native stack, abort): the instance was discarded. */
  | { readonly kind: "trap"; readonly message: string };

/** The part that keeps a frozen call from continuing. `altered`: the bytes are not as they were written. */
export type FrozenMisfit = "altered" | "engine" | "version" | "call";

/** A failure that the tool wants shown verbatim: `toolOutput({ success: false })`, or a thrown object. */
export interface GuestToolError {
  readonly message: string;
  readonly details?: unknown;
}

/** The reason why a plugin could not be loaded. Positions refer to the author's files, from 1. */
export interface LoadFault {
  readonly kind: "syntax" | "threw" | "import" | "limit" | "no_export" | "trap";
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack?: string;
}

/** A value that top-level code took, and that is now the same for every call and every installation. Positions are the author's. */
export interface LoadWarning {
  /** The call: `Math.random()`, `crypto.randomUUID()`, `new Date()`. */
  readonly source: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Maximum warnings of a load; further ones are dropped. */
export const MAX_LOAD_WARNINGS = 20;
