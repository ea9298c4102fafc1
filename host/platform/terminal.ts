/** The user's terminal. Prompts go to stderr, because stdout is for results. */

import { createInterface } from "node:readline";
import { errorText } from "./error-text.ts";
import { createMutex } from "./mutex.ts";
import { BoundedLines } from "./network/bounded-lines.ts";
import { joinBytes } from "./bytes.ts";
import { createStreamConnection } from "./network/line-connection.ts";
import { FileError, type LineConnection, type Terminal } from "./platform.ts";
import { isGone, PIECE_LENGTH, standardWriter, toWritable } from "./stream-writer.ts";

const DEFAULT_COLUMNS = 80;

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const interrupted = new Set<() => void>();
  const interruption = new AbortController();
  const interrupt = (): void => {
    interruption.abort();
    interrupted.forEach((listener) => listener());
  };
  const [results, notes] = [standardWriter(1), standardWriter(2)];
  // A reader that is gone (`bascule list | head`) is not an error; a result that cannot be written is.
  results.onFailure(failUnlessGone);
  const noteLines = new BoundedLines(notes, (text) => `${text}\n`);
  // Prompts are shown one at a time, in the order of the calls.
  const inTurn = createMutex();
  let lines: LineConnection | undefined;

  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    outIsTerminal: stdout.isTTY === true,
    color: wantsColor(),
    get columns() {
      return stderr.columns ?? stdout.columns ?? DEFAULT_COLUMNS;
    },
    out(text) {
      if (lines === undefined) results.write(text);
      else noteLines.add(text, undefined);
    },
    error: (text, owner) => noteLines.add(text, owner),
    drained: (signal) => results.drained(PIECE_LENGTH, signal),
    async flush() {
      // Waits for results without a limit, but not for standard error or the protocol, which the parent process may never read.
      if (lines === undefined) await results.drained(0, interruption.signal);
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(), BRIEF_MS);
      await Promise.all([results.drained(0, end.signal), notes.drained(0, end.signal)]);
      clearTimeout(timer);
    },
    ask: (prompt, signal) => inTurn(() => askOnce(prompt, signal, interrupt)),
    readInput,
    lines() {
      if (lines !== undefined) return lines;
      const output = toWritable(results);
      results.onFailure((error) => {
        failUnlessGone(error);
        output.destroy();
      });
      return (lines = createStreamConnection(stdin, output));
    },
    onInterrupt(listener) {
      interrupted.add(listener);
      if (interrupted.size > 1) return;
      process.on("SIGINT", interrupt);
      process.on("SIGTERM", interrupt);
    },
    exit: (code) => process.exit(code),
  };
}

/** Time in which a live reader of standard error has read the last lines. */
const BRIEF_MS = 1_000;

function askOnce(prompt: string, signal: AbortSignal, interrupt: () => void): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const output = Object.assign(toWritable(standardWriter(2)), { columns: process.stderr.columns ?? DEFAULT_COLUMNS });
    const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
    const close = (): void => lines.close();
    signal.addEventListener("abort", close, { once: true });
    lines.once("close", () => {
      signal.removeEventListener("abort", close);
      resolve(undefined);
    });
    // In raw mode Ctrl-C arrives here instead of at the process.
    lines.once("SIGINT", () => {
      lines.close();
      interrupt();
    });
    lines.question(prompt, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

async function readInput(maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Without an encoding set, standard input yields bytes.
  for await (const part of process.stdin as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes) throw new FileError("too_large", `Standard input is longer than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(joinBytes(parts));
}

/** Follows https://no-color.org and https://force-color.org */
function wantsColor(): boolean {
  if ((process.env["NO_COLOR"] ?? "") !== "") return false;
  if ((process.env["FORCE_COLOR"] ?? "") !== "") return true;
  return process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
}

function failUnlessGone(error: unknown): void {
  if (isGone(error)) return;
  process.stderr.write(`Cannot write to standard output: ${errorText(error)}\n`);
  process.exit(1);
}
