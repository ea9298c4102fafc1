/** What a peer is: something that a user would pick instead of bascule, doing the same work in its documented way. */

import type { ToolName } from "./work.ts";

/** What it gives and does not give, in words short enough for a table. */
export interface Gives {
  /** What stands between the code and the host; "none" where code that wants out gets out. */
  readonly boundary: string;
  /** Which limits hold against code that does not want to stop. */
  readonly limits: string;
  /** Where the code runs, as the caller sees it. */
  readonly runs: string;
}

/** The peer that the others are compared with. */
export const BASELINE = "bascule";

/** A peer is one file with one of these, and a line in `mod.ts`. */
export interface Peer {
  readonly id: string;
  /** As the table shows it. */
  readonly name: string;
  /** What a fresh call makes anew; absent where every call shares state. */
  readonly fresh: string;
  readonly gives: Gives;
  /** Whose process it is started in; Node unless said. */
  readonly runtime?: "node" | "deno";
  /** Words before the file's name on that process's command line. */
  readonly flags?: readonly string[];
  /** Makes it ready for both tools. Packages are imported in here, so that one that is not installed is only not measured. */
  start(): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** A call that may find what earlier ones left behind. Absent where there is no such call. */
  readonly warm?: Call;
  /** A call that finds nothing of earlier ones. */
  readonly fresh: Call;
  close?(): Promise<void>;
}

/** Gives the tool's answer, or its JSON text. One that does not wait gives no promise. */
export type Call = (tool: ToolName, argsText: string) => unknown;

/** A package of this folder, or of the product. `Slice` is what is used of it, since types are not there where it is not installed. */
export async function importPackage<Slice>(name: string): Promise<Slice> {
  // What a package really is shows when its calls answer.
  return (await import(name)) as Slice;
}
