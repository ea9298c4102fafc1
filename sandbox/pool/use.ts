/** Current load of a sandbox. */
export interface SandboxUse {
  /** Number of workers that take calls, without the spare. */
  readonly workers: number;
  readonly busy: number;
  /** Number of calls that wait for a worker. */
  readonly queued: number;
  /** Memory of the workers' instances. Reported by the workers, so not trusted. */
  readonly memoryBytes: number;
}

/** The part of a worker that its load follows from. */
interface Loaded {
  readonly jobs: { readonly size: number };
  readonly takenBytes: number;
}

export function useOf(workers: readonly Loaded[], queued: number): SandboxUse {
  return {
    workers: workers.length,
    busy: workers.filter(({ jobs }) => jobs.size > 0).length,
    queued,
    memoryBytes: workers.reduce((sum, { takenBytes }) => sum + Math.max(0, takenBytes), 0),
  };
}
