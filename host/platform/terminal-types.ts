/** The user's terminal. Types only. */

import type { LineConnection } from "./network/socket-types.ts";

/** The user's terminal, if there is one. */
export interface Terminal {
  /** Whether the user can be asked (stdin and stderr are a TTY). */
  readonly interactive: boolean;
  /** Whether stdout is a TTY, so that the user reads it. */
  readonly outIsTerminal: boolean;
  readonly color: boolean;
  readonly columns: number;
  /** Writes text to stdout. All of it is written eventually. */
  out(text: string): void;
  /** Writes to stderr; dropped and counted if stderr is too slow. `owner`: plugin that has a share of the waiting lines. */
  error(text: string, owner?: string): void;
  /** Resolves when little of `out`'s text is waiting, or the signal fires. Await it when writing more than a few results. */
  drained(signal: AbortSignal): Promise<void>;
  /** Waits at the end of the program for `out`'s text, and briefly for the rest. */
  flush(): Promise<void>;
  /**
   * Discards what was typed earlier, calls `onOpen`, shows `prompt` on stderr and waits for a line; undefined if input ended or the signal
   * fired.
   */
  ask(prompt: string, signal: AbortSignal, onOpen?: () => void): Promise<string | undefined>;
  /** Reads all of standard input as UTF-8. @throws {FileError} `too_large` if it is longer than `maxBytes`. */
  readInput(maxBytes: number): Promise<string>;
  /** Returns stdin and stdout as one connection, always the same, for protocols. From then on `out` writes to stderr. */
  lines(): LineConnection;
  /** Calls the listener at SIGINT and SIGTERM. */
  onInterrupt(listener: () => void): void;
  exit(code: number): void;
}
