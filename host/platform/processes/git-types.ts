/** Repositories of others, as bytes: nothing of them is checked out, and none of their code runs. Types only. */

/** A repository as it is now. */
export interface FetchedRepository {
  /** The commit's id. */
  readonly commit: string;
  /** Its files, as a tar file. */
  readonly tar: Uint8Array;
}

/** What may be fetched, and how much of it. */
export interface FetchRepositoryOptions {
  /** Over https, ssh, or http on this machine; whoever calls has checked it. */
  readonly url: string;
  /** A branch or a tag; without it, what the repository says. */
  readonly ref?: string;
  /** Of the tar file. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The `git` program. */
export interface Git {
  /** @throws {GitError} if it cannot be fetched. */
  fetch(options: FetchRepositoryOptions): Promise<FetchedRepository>;
}

/** Why a repository was not fetched, in git's own words where it has any. */
export class GitError extends Error {
  override readonly name = "GitError";
}
