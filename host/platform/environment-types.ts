/** The host's process, and other processes of the machine. Types only. */

/** Variables, folders and arguments of the process. */
export interface Environment {
  get(name: string): string | undefined;
  /** Returns the names of all variables, unsorted. */
  names(): readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
  /** Folder of this machine's caches (compiled code, images), which a start would otherwise rebuild. May not exist. */
  readonly cache: string;
  /** Folder of the user's consents on this machine. May not exist. */
  readonly config: string;
  readonly os: "linux" | "darwin" | "windows" | "other";
  readonly pid: number;
  /** Identity of this process, so that another process can find out whether it still runs. */
  readonly self: ProcessIdentity;
  fateOf(identity: ProcessIdentity): ProcessFate;
  /** Returns the folder of this package, with its templates. An executable unpacks it. @throws {Error} if it cannot */
  packageFolder(): string;
  readonly argv: readonly string[];
  /** Command that starts this program again, without arguments: absolute paths. */
  readonly command: readonly string[];
  /** Command that runs a script for Node: this program's own Node, else the one on `PATH`. */
  readonly runNode: readonly [program: string, ...args: string[]];
}

/** Identity of a process that stays unique even if its number is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time, compared with the system's current answer; "0" if the system does not tell. */
  readonly startedAt: string;
  /** The machine's name, for people. */
  readonly machine: string;
  /** Scope in which the number is valid: 12 hexadecimal digits for this boot of this machine, or for this container. */
  readonly scope: string;
}

/** `unknown`: a process of another machine, or the system does not tell. */
export type ProcessFate = "alive" | "gone" | "unknown";
