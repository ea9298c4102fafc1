/** Processes for plugins that a person trusts with native code (SPEC O1), as an interface. Types only. */

/** `deno`: each check of Deno's permissions is asked of the host. `none`: the runtime does whatever the plugin says. */
export type TrustedConfinement = "deno" | "none";

/** One process for one call. */
export interface TrustedStart {
  readonly confinement: TrustedConfinement;
  /** The plugin's own bytes, by "/"-separated relative path: what is run is a copy of them, wherever they came from. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Names in imports that are no paths, to files of the plugin. */
  readonly imports: readonly (readonly [name: string, file: string])[];
  /** Where it begins; a folder of its own where this one is not there. */
  readonly cwd: string;
  /** All variables that it gets from us. */
  readonly env: Readonly<Record<string, string>>;
  /** Of JavaScript's heap. */
  readonly memoryBytes: number;
  /** A longer message ends it. */
  readonly maxLineBytes: number;
  /** Whether it may start programs where only the runtime's own flags stand in its way. */
  readonly mayRun: boolean;
}

/** What comes out of it. Everything is the plugin's own word, except that only Deno itself writes checks. */
export interface TrustedListeners {
  /** A line of our own code's, beside the plugin. The next one comes when the promise is fulfilled; it must not reject. */
  onMessage(line: string): void | Promise<void>;
  /** One check of a permission, in the words of Deno's broker protocol. */
  onCheck(line: string): void;
  /** What the plugin wrote to its standard streams, in pieces of bounded length. */
  onOutput(stream: "stdout" | "stderr", text: string): void;
}

export interface TrustedProcess {
  /** Absolute real path of a folder for this process alone, with everything in it. */
  readonly root: string;
  /** Where the plugin's copy is, below `root`. */
  readonly code: string;
  /** The socket that our code in the process connects to, once. */
  readonly channel: string;
  /** Resolves when the copy is complete and our code in the process has connected, if it ever does. @throws {FileError} if it cannot be written. */
  readonly ready: Promise<void>;
  /** Sends one line. */
  send(...pieces: readonly (string | Uint8Array)[]): void;
  /** Answers a check. */
  answer(line: string): void;
  /** Why it ended, in words for people; resolves once, whoever ended it. */
  readonly ended: Promise<string>;
  /** Ends it, with every process that it started and that did not take leave of it, and removes its folder. Idempotent. */
  end(): Promise<void>;
}

/** What such processes run on here. */
export interface TrustedRuntime {
  readonly confinement: TrustedConfinement;
  readonly name: "deno" | "node";
  readonly program: string;
}

export interface TrustedProcesses {
  /** Undefined where Deno is wanted and is not installed. Looks at the disk, every time. */
  find(confinement: TrustedConfinement): TrustedRuntime | undefined;
  /** @throws {FileError} if its folder cannot be made, or there is no runtime. */
  start(options: TrustedStart, listeners: TrustedListeners): Promise<TrustedProcess>;
}
