/** The definition of a peer: an alternative to bascule that does the same work in its documented way. */

import type { ToolName } from "./work.ts";

/** Properties of a peer, in words short enough for a table. */
export interface Gives {
  /** The boundary between the code and the host; "none" if code can escape. */
  readonly boundary: string;
  /** Limits that hold against code that does not want to stop. */
  readonly limits: string;
  /** Where the code runs, as the caller sees it. */
  readonly runs: string;
}

/** Id of the peer that the others are compared with. */
export const BASELINE = "bascule";

/** One peer: a file that exports it, and a line in `mod.ts`. */
export interface Peer {
  readonly id: string;
  /** Name in the table. */
  readonly name: string;
  /** Everything that a fresh call creates; absent if all calls share state. */
  readonly fresh: string;
  readonly gives: Gives;
  /** Runtime of the peer's process; default Node. */
  readonly runtime?: "node" | "deno";
  /** Words before the file's name on that process's command line. */
  readonly flags?: readonly string[];
  /** Prepares both tools. Packages are imported here, so that a missing one only leaves out its peer. */
  start(): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** Makes a call that may see state of earlier ones; absent if the peer has no such call. */
  readonly warm?: Call;
  /** Makes a call that sees no state of earlier ones. */
  readonly fresh: Call;
  close?(): Promise<void>;
}

/** Returns the tool's answer, or its JSON text; without a promise if the call does not wait. */
export type Call = (tool: ToolName, argsText: string) => unknown;

/**
 * Imports a package of this folder, or of the product. `Slice` is the part that is used, because types are missing if the package
 * is not installed.
 */
export async function importPackage<Slice>(name: string): Promise<Slice> {
  // The cast is unchecked; a wrong shape shows when calls are answered.
  return (await import(name)) as Slice;
}
