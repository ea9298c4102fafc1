/** The person's terminal. Questions go to stderr: stdout is for results. */

import { createInterface } from "node:readline";
import { joinBytes } from "./bytes.ts";
import { createStreamConnection } from "./line-connection.ts";
import { FileError, type LineConnection, type Terminal } from "./platform.ts";

const DEFAULT_COLUMNS = 80;

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const interrupted = new Set<() => void>();
  const interrupt = (): void => interrupted.forEach((listener) => listener());
  // A reader that went away (`bascule list | head`) is no reason to crash.
  // Once for all hosts of the process: each of them has a terminal.
  for (const stream of [stdout, stderr]) if (!stream.listeners("error").includes(ignoreBrokenPipe)) stream.on("error", ignoreBrokenPipe);
  // Questions come one at a time, in the order they were asked.
  let previous: Promise<unknown> = Promise.resolve();
  let lines: LineConnection | undefined;

  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    color: wantsColor(),
    get columns() {
      return stderr.columns ?? stdout.columns ?? DEFAULT_COLUMNS;
    },
    out: (text) => void (lines === undefined ? stdout : stderr).write(text),
    error: (text) => void stderr.write(text),
    ask(prompt, signal) {
      const answer = previous.then(() => askOnce(prompt, signal, interrupt));
      previous = answer;
      return answer;
    },
    readInput,
    lines: () => (lines ??= createStreamConnection(stdin, stdout)),
    onInterrupt(listener) {
      interrupted.add(listener);
      if (interrupted.size > 1) return;
      process.on("SIGINT", interrupt);
      process.on("SIGTERM", interrupt);
    },
    exit: (code) => process.exit(code),
  };
}

function askOnce(prompt: string, signal: AbortSignal, interrupt: () => void): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY === true });
    const close = (): void => lines.close();
    signal.addEventListener("abort", close, { once: true });
    lines.once("close", () => {
      signal.removeEventListener("abort", close);
      resolve(undefined);
    });
    // In raw mode Ctrl-C comes here, not to the process.
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

/** https://no-color.org and https://force-color.org */
function wantsColor(): boolean {
  if ((process.env["NO_COLOR"] ?? "") !== "") return false;
  if ((process.env["FORCE_COLOR"] ?? "") !== "") return true;
  return process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
