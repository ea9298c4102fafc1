/** Processes for plugins that the user trusts with native code (SPEC O1), as an interface. Types only. */

/** `deno`: Deno asks the host for each permission check. `none`: the runtime is unconfined. */
export type TrustedConfinement = "deno" | "none";

/** Options of one process for one call. */
export interface TrustedStart {
  readonly confinement: TrustedConfinement;
  /** The plugin's own bytes, by "/"-separated relative path. The process runs a copy of them, whatever their source. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Import map: bare names to files of the plugin. */
  readonly imports: readonly (readonly [name: string, file: string])[];
  /** Working folder; the process's own folder if this one does not exist. */
  readonly cwd: string;
  /** All variables that the host passes. */
  readonly env: Readonly<Record<string, string>>;
  /** Maximum size of JavaScript's heap. */
  readonly memoryBytes: number;
  /** Maximum bytes of a message; a longer one ends the process. */
  readonly maxLineBytes: number;
  /** Whether the process may start programs if only the runtime's own flags could prevent it. */
  readonly mayRun: boolean;
}

/** Listeners for the process's output. All of it is untrusted, except that only Deno itself writes checks. */
export interface TrustedListeners {
  /**
   * Called with a line of bascule's own code, which runs beside the plugin. The next line comes when the promise is fulfilled; it must not
   * reject.
   */
  onMessage(line: string): void | Promise<void>;
  /** Called with one permission check in Deno's broker protocol. */
  onCheck(line: string): void;
  /** Called with output of the plugin to its standard streams, in pieces of bounded length. */
  onOutput(stream: "stdout" | "stderr", text: string): void;
}

export interface TrustedProcess {
  /** Absolute real path of the folder that belongs to this process, with all its files. */
  readonly root: string;
  /** Folder of the plugin's copy, below `root`. */
  readonly code: string;
  /** Socket to which bascule's code in the process connects once. */
  readonly channel: string;
  /**
   * Resolves when the copy is complete and bascule's code in the process has connected, if it ever does. @throws {FileError} if the copy
   * cannot be written.
   */
  readonly ready: Promise<void>;
  /** Sends one line. */
  send(...pieces: readonly (string | Uint8Array)[]): void;
  /** Answers a check. */
  answer(line: string): void;
  /** Resolves once with a description of how the process ended. */
  readonly ended: Promise<string>;
  /** Ends the process, with all children that did not leave its group, and removes its folder. Idempotent. */
  end(): Promise<void>;
}

/** The program that runs such processes on this system. */
export interface TrustedRuntime {
  readonly confinement: TrustedConfinement;
  readonly name: "deno" | "node";
  readonly program: string;
}

export interface TrustedProcesses {
  /** Finds the runtime; undefined if Deno is required and not installed. Checks the disk on each call. */
  find(confinement: TrustedConfinement): TrustedRuntime | undefined;
  /** Starts a process. @throws {FileError} if its folder cannot be created, or no runtime is found */
  start(options: TrustedStart, listeners: TrustedListeners): Promise<TrustedProcess>;
}
