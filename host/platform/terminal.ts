/** The user's terminal. Prompts go to stderr, because stdout is for results. */

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
    ask: (prompt, signal, onOpen) =>
      inTurn(async () => {
        if (!(await dropEarlierInput(signal, interrupt))) return undefined;
        onOpen?.();
        return await askOnce(prompt, signal, interrupt);
      }),
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

/** Time without input after which all that was typed earlier has arrived: Deno reads standard input on another thread. */
const QUIET_MS = 50;
const CTRL_C = 3;

/**
 * Discards what was typed before the prompt is shown, because it cannot be an answer to it. Returns false if the signal fired, the input
 * ended, or Ctrl-C was typed.
 */
async function dropEarlierInput(signal: AbortSignal, interrupt: () => void): Promise<boolean> {
  const { stdin } = process;
  if (stdin.isTTY !== true || signal.aborted) return !signal.aborted;
  let isQuiet = false;
  let isOver = false;
  const drop = (part: Uint8Array): void => {
    isQuiet = false;
    if (!part.includes(CTRL_C)) return;
    isOver = true;
    interrupt();
  };
  const end = (): void => void (isOver = true);
  // Raw mode also hands over a line without its end.
  stdin.setRawMode(true);
  stdin.on("data", drop).once("end", end).resume();
  while (!isQuiet && !isOver && !signal.aborted) {
    isQuiet = true;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    // After a busy period the timer fires before the input is read.
    await new Promise((resolve) => setImmediate(resolve));
  }
  stdin.off("data", drop).off("end", end).pause();
  stdin.setRawMode(false);
  return !isOver && !signal.aborted;
}

async function askOnce(prompt: string, signal: AbortSignal, interrupt: () => void): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  if (signal.aborted) return undefined;
  return await new Promise((resolve) => {
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
  const forced = process.env["FORCE_COLOR"] ?? "";
  // As Node's own colours and the usual libraries read it.
  if (forced === "0" || forced === "false") return false;
  if (forced !== "") return true;
  return process.stderr.isTTY === true && process.env["TERM"] !== "dumb";
}

function failUnlessGone(error: unknown): void {
  if (isGone(error)) return;
  process.stderr.write(`Cannot write to standard output: ${errorText(error)}\n`);
  process.exit(1);
}
