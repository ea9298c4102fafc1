/** The process that the host runs in, and others of the machine. Types only. */

/** The process: its variables, folders and arguments. */
export interface Environment {
  get(name: string): string | undefined;
  /** Names of all variables, unsorted. */
  names(): readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly tmp: string;
  /** Where this machine keeps what a start would make anew: compiled code, images. Need not be there. */
  readonly cache: string;
  /** Where this person keeps what was agreed to on this machine. Need not be there. */
  readonly config: string;
  readonly os: "linux" | "darwin" | "windows" | "other";
  readonly pid: number;
  /** This process, so that another one can find out what became of it. */
  readonly self: ProcessIdentity;
  fateOf(identity: ProcessIdentity): ProcessFate;
  readonly argv: readonly string[];
  /** What starts this program again, before its arguments: absolute paths. */
  readonly command: readonly string[];
}

/** A process, in words that mean it and no other, also when its number was given away again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Compared with what the system says now; "0" where it does not say. */
  readonly startedAt: string;
  /** The machine's name, for people. */
  readonly machine: string;
  /** Where its number means something: 12 hexadecimal digits for this start of this machine, or of this container. */
  readonly scope: string;
}

/** `unknown`: of another machine, or the system does not say. */
export type ProcessFate = "alive" | "gone" | "unknown";
