/** The report of a dry run: every change that it would make, and the requests that it held back (SPEC E8). Types only. */

/** Contents of a file. */
export interface Contents {
  readonly bytes: number;
  /** Absent for contents that were not read: of a file above 1 MiB, or one of many, that is only removed or replaced. */
  readonly sha256?: string;
}

/** One change of a file or folder. Paths inside the workspace are relative to it. */
export interface FileChange {
  readonly kind: "created" | "modified" | "deleted" | "renamed";
  readonly path: string;
  readonly type: "file" | "directory" | "symlink" | "other";
  /** Previous path of a renamed entry. */
  readonly from?: string;
  /** Previous contents of a file. Absent if they were not read, as for a mere rename. */
  readonly before?: Contents;
  readonly after?: Contents;
  /** Changed permissions: `644 → 600`; those set for a new entry: `777`. */
  readonly mode?: string;
  /** In the unified format. Absent for binary files, and for files too large to compare. */
  readonly diff?: string;
}

/** A request that was held back. */
export interface HeldRequest {
  readonly method: string;
  readonly url: string;
  /** Bytes of the body that the guest supplied. */
  readonly bytes: number;
}

/** The effects that a call would have had. */
export interface DryRunReport {
  readonly changes: readonly FileChange[];
  /** Number of changes beyond the listed ones. */
  readonly moreChanges?: number;
  readonly held: readonly HeldRequest[];
  /** Number of requests beyond the listed ones. */
  readonly moreHeld?: number;
  /** SHA-256 of changes and held requests. A confirmation covers exactly these (SPEC E3). */
  readonly hash: string;
  /** Whether it can be committed: the tool succeeded, and no request was held back. */
  readonly canCommit: boolean;
}
