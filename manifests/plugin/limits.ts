/** Limits of one call: units, defaults, hard ceilings (SPEC B3). */

/** Limits of one call. Times in milliseconds, sizes in bytes, the rest are counts. */
export interface Limits {
  /** Elapsed time of a call. Default 30,000. */
  readonly wallMs: number;
  /** Processor time of the guest. Default 10,000. */
  readonly cpuMs: number;
  /** Memory of the guest. Default 64 MiB. */
  readonly memoryBytes: number;
  /** Arguments as JSON. Default 1 MiB. */
  readonly argumentBytes: number;
  /** The result as JSON. Default 1 MiB. */
  readonly outputBytes: number;
  /** Lines of the log. Default 256 KiB. */
  readonly logBytes: number;
  /** Maximum payload of one host operation, in each direction. Default 8 MiB. */
  readonly operationBytes: number;
  /** Maximum operations in flight; further ones are queued in the guest. Default 64. */
  readonly pendingOperations: number;
  /** Operations of one call. Default 10,000. */
  readonly operations: number;
  /** Default 1,000. */
  readonly timers: number;
  /** Maximum nesting of arguments and results. Default 64. */
  readonly jsonDepth: number;
  /** CPU time for loading the plugin (type stripping, top-level code). Default 5,000. */
  readonly loadMs: number;
  /** Maximum size of the plugin's database in the project (`context.data`). Default 64 MiB. */
  readonly dataBytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = Object.freeze({
  wallMs: 30_000,
  cpuMs: 10_000,
  memoryBytes: 64 * MIB,
  argumentBytes: MIB,
  outputBytes: MIB,
  logBytes: 256 * 1024,
  operationBytes: 8 * MIB,
  pendingOperations: 64,
  operations: 10_000,
  timers: 1_000,
  jsonDepth: 64,
  loadMs: 5_000,
  dataBytes: 64 * MIB,
});

/** Hard ceilings for manifests, policies and call options. A request between default and ceiling needs the user or a policy (SPEC B3). */
export const LIMIT_CEILINGS: Limits = Object.freeze({
  wallMs: 600_000,
  cpuMs: 120_000,
  memoryBytes: 512 * MIB,
  argumentBytes: 16 * MIB,
  outputBytes: 16 * MIB,
  logBytes: 4 * MIB,
  operationBytes: 64 * MIB,
  pendingOperations: 1_024,
  operations: 1_000_000,
  timers: 1_000,
  jsonDepth: 512,
  loadMs: 30_000,
  dataBytes: 1_024 * MIB,
});

/** A guest's stack; fixed, because the worker's native stack is sized for it (FACTS, engine). */
export const GUEST_STACK_BYTES: number = 256 * 1024;

/** Limits that a manifest or a rule requests: any subset. */
export type LimitRequest = { readonly [K in keyof Limits]?: number };

/** Returns `wanted` where given, else `base`; at most `ceiling` and at least 1. */
export function resolveLimits(wanted: LimitRequest, base: Limits = DEFAULT_LIMITS, ceiling: Limits = LIMIT_CEILINGS): Limits {
  const resolved: Record<string, number> = {};
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) {
    resolved[key] = Math.max(1, Math.min(wanted[key] ?? base[key], ceiling[key]));
  }
  // The loop above set every key of Limits.
  return Object.freeze(resolved) as unknown as Limits;
}
