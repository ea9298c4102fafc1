/** Programs that serve over their standard streams, one message per line: MCP servers (SPEC K3). Types only. */

export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Maximum bytes of a line; a longer line ends the process. */
  readonly maxLineBytes: number;
  /** Called with each line that is not empty. The next line waits for the promise, if there is one. */
  readonly onLine: (line: string) => void | Promise<void>;
  /** Called once, for any kind of end. `lastWords` is the end of standard error. */
  readonly onEnd: (how: string, lastWords: string) => void;
}

/** A running program. */
export interface ServerProcess {
  /** Sends a line. @param line whole, or in parts of UTF-8 @returns false if the process has ended, or does not read its input */
  send(line: string | readonly Uint8Array[]): boolean;
  /** Closes the input, then sends SIGTERM, then SIGKILL; resolves when the process is gone. Idempotent. */
  stop(): Promise<void>;
}

export interface ServerProcesses {
  /** Starts a server. Never throws: a failed start calls `onEnd`. */
  start(options: ServerProcessOptions): ServerProcess;
  /** Returns a `fetch` for one origin: no redirects, no cookies, bounded answers. */
  fetchFrom(origin: string, maxMessageBytes: number): typeof fetch;
  /**
   * Returns a `fetch` for authorization servers named by the MCP server at the URL `server`: https only, and no nearer to this machine than
   * that server.
   */
  fetchSecurely(options: { readonly server: string; readonly maxBytes: number }): typeof fetch;
}
