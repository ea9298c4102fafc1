/** Processes that confine guests. Types only. */

import type { ProcessLauncher } from "../../../sandbox/mod.ts";

/** Separate processes for guests, so that an attacker who escapes from the engine finds nothing to steal. */
export interface Isolation extends Pick<ProcessLauncher, "prepareProcesses"> {
  /** Returns the confinement of such a process on this system. @throws {Error} if none can be started. */
  inspect(): Promise<Confinement>;
}

/** Confinement of a sandbox's process, found out by trying and never assumed. */
export interface Confinement {
  readonly runtime: "deno" | "node";
  readonly version: string;
  /** Absolute path. */
  readonly program: string;
  readonly system: "namespaces" | "network" | "none";
  readonly noNewPrivileges: boolean;
  /** Descriptions for the user, one line each. */
  readonly inForce: readonly string[];
  readonly leavesOpen: readonly string[];
}
