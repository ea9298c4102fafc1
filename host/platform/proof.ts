/**
 * Proofs that an act was checked against a grant (architecture, decision 3).
 *
 * A guarded file operation takes a `CheckedPath`, a connection a `CheckedUrl`, a process a `CheckedProgram`. None of them can be written by
 * hand: only `host/capabilities/checked.ts` may import `provePath`, `proveUrl` and `proveProgram` (enforced by the architecture test).
 */

declare const proven: unique symbol;

/** The exact name, or every spelling that a file system may treat as the same name. */
export type Spelling = "exact" | "any";

/** A path that the grant allowed for `Access`, with the check to repeat once the real file is open. */
export interface CheckedPath<Access extends "read" | "write"> {
  readonly [proven]: Access;
  /** Absolute and lexically normalised; symlinks not yet followed. */
  readonly path: string;
  /** The path as the guest or the caller wrote it, for messages. */
  readonly written: string;
  /**
   * Whether the grant also allows the real path of the opened descriptor (SPEC PA4, C4). With `any`, denials apply to every spelling of
   * their names; `permitsPlace` (`host/platform/spelling.ts`) decides when to use it.
   */
  readonly permits: (resolvedPath: string, spelling?: Spelling) => boolean;
  /** Checked before a folder or link is removed, moved or replaced. */
  readonly isRoot?: IsRoot;
}

/**
 * Whether a path is a granted folder itself. A plugin must not remove it: other plugins have the same grant, and the next call would find
 * whatever has its name then.
 */
export type IsRoot = (resolvedPath: string) => boolean;

/** A request whose scheme, host, port, method and path the grant allowed; addresses are checked after resolution (SPEC C6). */
export interface CheckedUrl {
  readonly [proven]: "net";
  /** Absolute, `http:` or `https:`, in the form of the URL standard, without credentials and fragment. */
  readonly url: string;
  /** The only method that it may be used with. */
  readonly method: string;
  /** Whether the grant also allows a connection to this address. */
  readonly permitsAddress: (address: string) => boolean;
}

/** A program that the grant allowed to run (SPEC G2). */
export interface CheckedProgram {
  readonly [proven]: "run";
  /** Absolute path of the file itself. */
  readonly path: string;
  /** The program as the caller wrote it, for messages. */
  readonly written: string;
}

export function provePath<Access extends "read" | "write">(fields: Omit<CheckedPath<Access>, typeof proven>): CheckedPath<Access> {
  // The brand exists at the type level only.
  return Object.freeze(fields) as CheckedPath<Access>;
}

export function proveProgram(fields: Omit<CheckedProgram, typeof proven>): CheckedProgram {
  return Object.freeze(fields) as CheckedProgram;
}

export function proveUrl(fields: Omit<CheckedUrl, typeof proven>): CheckedUrl {
  return Object.freeze(fields) as CheckedUrl;
}
