/** Programs that serve over their standard streams, one message a line: MCP servers (SPEC K3). Types only. */

export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A longer line ends the process. */
  readonly maxLineBytes: number;
  /** The next line waits for the promise, if there is one. Empty lines are left out. */
  readonly onLine: (line: string) => void | Promise<void>;
  /** Called once, whatever ended it; `lastWords` is the end of what it wrote to standard error. */
  readonly onEnd: (how: string, lastWords: string) => void;
}

/** A program while it runs. */
export interface ServerProcess {
  /** @param line whole, or in parts of UTF-8 @returns false if it has ended, or does not read what it is sent */
  send(line: string | readonly Uint8Array[]): boolean;
  /** Closes its input, then SIGTERM, then SIGKILL; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

export interface ServerProcesses {
  /** Never throws: what cannot be started ends. */
  start(options: ServerProcessOptions): ServerProcess;
  /** `fetch`, for one origin only: no redirects, no cookies, bounded answers. */
  fetchFrom(origin: string, maxMessageBytes: number): typeof fetch;
  /** `fetch`, for authorization servers that a server names, an URL: over https only, and no nearer to this machine than that server is. */
  fetchSecurely(options: { readonly server: string; readonly maxBytes: number }): typeof fetch;
}
