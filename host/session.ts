/** A session: one client's calls, their workspace, role and concurrency (SPEC T1, D4). */

export interface Session {
  readonly id: string;
  readonly role?: string;
  /** Absolute real path. */
  readonly workspace: string;
  /** Free-form context the embedding program gave. */
  readonly agentId?: string;
  /** Calls that run at once; the rest wait. Default 4. */
  readonly concurrency: number;
}
