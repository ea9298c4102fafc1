/** How much a sandbox has to do. */
export interface SandboxUse {
  /** Workers that take calls, the spare not counted. */
  readonly workers: number;
  readonly busy: number;
  /** Calls that wait for a worker. */
  readonly queued: number;
}

export function useOf(workers: readonly { readonly jobs: { readonly size: number } }[], queued: number): SandboxUse {
  return { workers: workers.length, busy: workers.filter(({ jobs }) => jobs.size > 0).length, queued };
}
