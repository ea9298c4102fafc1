/** Remote repositories as bytes: nothing of them is checked out, and none of their code runs. Types only. */

/** A repository as it is now. */
export interface FetchedRepository {
  /** The commit's id. */
  readonly commit: string;
  /** Its files, as a tar file. */
  readonly tar: Uint8Array;
}

/** Source and bounds of a fetch. */
export interface FetchRepositoryOptions {
  /** URL over https, ssh, or http on this machine. The caller has checked it. */
  readonly url: string;
  /** A branch or a tag. Default: the repository's default branch. */
  readonly ref?: string;
  /** Maximum size of the tar file. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The `git` program. */
export interface Git {
  /** Fetches a repository. @throws {GitError} if it cannot be fetched */
  fetch(options: FetchRepositoryOptions): Promise<FetchedRepository>;
}

/** The reason why a repository was not fetched, with git's own text if it has one. */
export class GitError extends Error {
  override readonly name = "GitError";
}
