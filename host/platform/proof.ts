/**
 * Proofs that an act was checked against a grant (architecture, decision 3).
 *
 * A guarded file operation takes a `CheckedPath`, a connection takes a `CheckedUrl`, a process a `CheckedProgram`; none can be
 * written down by hand. `host/capabilities/checked.ts` alone may import `provePath`, `proveUrl` and `proveProgram` (held by the
 * architecture test).
 */

declare const proven: unique symbol;

/** As it is written, or any that a file system may take for the same name. */
export type Spelling = "exact" | "any";

/** A path that the grant allowed for `Access`, and the question to ask again once the real file is open. */
export interface CheckedPath<Access extends "read" | "write"> {
  readonly [proven]: Access;
  /** Absolute and lexically normalised, as the caller meant it; symlinks not yet followed. */
  readonly path: string;
  /** What the guest or the caller wrote, for messages. */
  readonly written: string;
  /**
   * True if the grant also allows the place the opened descriptor really is (SPEC PA4, C4). With `any` denials hold for every
   * spelling of their names; `permitsPlace` (`host/platform/files/spelling.ts`) says when that is to be asked.
   */
  readonly permits: (resolvedPath: string, spelling?: Spelling) => boolean;
  /** Asked before a folder or link is removed, moved or replaced. */
  readonly isRoot?: IsRoot;
}

/**
 * The folder that a grant names, which is not the plugin's to take away: others are granted it too, and the next call would find
 * whatever has its name then.
 */
export type IsRoot = (resolvedPath: string) => boolean;

/** A request whose scheme, host, port, method and path the grant allowed; addresses are asked after resolution (SPEC C6). */
export interface CheckedUrl {
  readonly [proven]: "net";
  /** Absolute, `http:` or `https:`, in the form of the URL standard, without credentials and fragment. */
  readonly url: string;
  /** The only method that it may be used with. */
  readonly method: string;
  /** True if the grant also allows a connection to this address. */
  readonly permitsAddress: (address: string) => boolean;
}

/** A program that the grant allowed to run (SPEC G2). */
export interface CheckedProgram {
  readonly [proven]: "run";
  /** The file itself, absolute. */
  readonly path: string;
  /** What the caller wrote, for messages. */
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
