/** Current load of a sandbox. */
export interface SandboxUse {
  /** Number of workers that take calls, without the spare. */
  readonly workers: number;
  readonly busy: number;
  /** Number of calls that wait for a worker. */
  readonly queued: number;
}

export function useOf(workers: readonly { readonly jobs: { readonly size: number } }[], queued: number): SandboxUse {
  return { workers: workers.length, busy: workers.filter(({ jobs }) => jobs.size > 0).length, queued };
}
