/** What a dry run found out: every change that it would make, and what it did not send (SPEC E8). Types only. */

/** Contents of a file. */
export interface Contents {
  readonly bytes: number;
  /** Absent for what was not read: a file of more than 1 MiB, or one of many, that is only removed or replaced. */
  readonly sha256?: string;
}

/** One change of a file or folder. Paths are relative to the workspace where they are in it. */
export interface FileChange {
  readonly kind: "created" | "modified" | "deleted" | "renamed";
  readonly path: string;
  readonly type: "file" | "directory" | "symlink" | "other";
  /** Of a rename: where it was. */
  readonly from?: string;
  /** Of a file, where it was before and is read: not of what is only renamed. */
  readonly before?: Contents;
  readonly after?: Contents;
  /** Where rights change: `644 → 600`; of something new, where somebody said which: `777`. */
  readonly mode?: string;
  /** In the unified format; absent for what is no text, and for what is too large to compare. */
  readonly diff?: string;
}

/** A request that was not sent. */
export interface HeldRequest {
  readonly method: string;
  readonly url: string;
  /** Of the body, as far as it was given. */
  readonly bytes: number;
}

/** What a call would have done. */
export interface DryRunReport {
  readonly changes: readonly FileChange[];
  /** Changes beyond those that are listed. */
  readonly moreChanges?: number;
  readonly held: readonly HeldRequest[];
  /** Requests beyond those that are listed. */
  readonly moreHeld?: number;
  /** SHA-256 over changes and held requests: what somebody agrees to is this and nothing else (SPEC E3). */
  readonly hash: string;
  /** Whether it can be committed: the tool succeeded, and nothing was held. */
  readonly canCommit: boolean;
}
