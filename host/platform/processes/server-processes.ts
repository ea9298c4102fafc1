/** MCP servers as child processes and over HTTP (SPEC K3). */

import type { ChildProcess } from "node:child_process";
import { errorText } from "../error-text.ts";
import { setAlive } from "../files/handle-alive.ts";
import { spawnGuarded } from "./process-group.ts";
import { readLines } from "../network/line-connection.ts";
import { fetchFrom, fetchSecurely } from "../network/server-fetch.ts";
import type { ServerProcess, ServerProcesses, ServerProcessOptions } from "./server-process-types.ts";
import { signalGroup } from "./signal-group.ts";

const LAST_WORDS_WITHIN_MS = 1_000;
const LAST_WORDS = 2_000;
/** Maximum unsent bytes for a server that does not read. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
/** Exit code of the shell if the program is not found. */
const SHELL_NOT_FOUND = 127;
const TO_SIGTERM_MS = 1_000;
const TO_SIGKILL_MS = 3_000;

export function createServerProcesses(): ServerProcesses {
  return { start, fetchFrom, fetchSecurely };
}

function start(options: ServerProcessOptions): ServerProcess {
  const { command, args, cwd, env, maxLineBytes, onLine, onEnd } = options;
  let child: ChildProcess;
  try {
    child = spawnGuarded({ file: command, args, cwd, env });
  } catch (thrown) {
    // Node throws for some arguments.
    queueMicrotask(() => onEnd(errorText(thrown), ""));
    return { send: () => false, stop: () => Promise.resolve() };
  }
  const { stdin, stdout, stderr, stdio } = child;
  // Calls keep the process alive; idle servers do not.
  for (const handle of [child, ...stdio]) setAlive(handle, false);
  let lastWords = "";
  let over: string | undefined;
  let stopping: Promise<void> | undefined;
  let ended = false;

  const gone = new Promise<void>((resolve) => {
    function end(how: string): void {
      if (ended) return;
      ended = true;
      signalGroup(child, "SIGKILL");
      for (const stream of stdio) stream?.destroy();
      resolve();
      onEnd(over ?? how, lastWords.trim());
    }
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => {
      const why = code === SHELL_NOT_FOUND ? " (program not found)" : "";
      const how = signal === null ? `it ended with exit code ${code ?? "unknown"}${why}` : `it was killed by ${signal}`;
      // The last output may still arrive, and a child that left the group may hold the streams open forever.
      signalGroup(child, "SIGKILL");
      const late = setTimeout(() => end(how), LAST_WORDS_WITHIN_MS);
      child.once("close", () => {
        clearTimeout(late);
        end(how);
      });
    });
  });
  // A broken stream means that the process ends: `exit` follows.
  for (const stream of stdio) stream?.on("error", () => {});

  const words = new TextDecoder();
  stderr?.on("data", (chunk: Uint8Array) => (lastWords = (lastWords + words.decode(chunk, { stream: true })).slice(-LAST_WORDS)));
  if (stdout)
    readLines(stdout, { maxLineBytes, isOver: () => over !== undefined, end: endTooLong }, (line) =>
      line.trim() === "" ? undefined : onLine(line),
    );

  function endTooLong(): void {
    over = `it sent a message longer than ${maxLineBytes} bytes`;
    signalGroup(child, "SIGKILL");
  }

  async function stop(): Promise<void> {
    stdin?.end();
    const timers = [
      setTimeout(() => signalGroup(child, "SIGTERM"), TO_SIGTERM_MS),
      setTimeout(() => signalGroup(child, "SIGKILL"), TO_SIGKILL_MS),
    ];
    await gone;
    for (const timer of timers) clearTimeout(timer);
  }

  return {
    send(line) {
      if (ended || stdin?.writable !== true || stdin.writableLength > MAX_UNSENT_BYTES) return false;
      if (typeof line === "string") stdin.write(`${line}\n`);
      else {
        for (const part of line) stdin.write(part);
        stdin.write("\n");
      }
      return true;
    },
    stop: () => (ended ? Promise.resolve() : (stopping ??= stop())),
  };
}
