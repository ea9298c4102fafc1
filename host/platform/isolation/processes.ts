/** Starts one process with its three streams, for the sandbox or a plugin's database. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { ProcessConnection } from "../../../sandbox/mod.ts";
import { setAlive } from "../files/handle-alive.ts";
import { withOnlyPipes } from "../files/inherited-files.ts";

interface ProcessStart {
  /** Owner of the process, for messages. */
  readonly owner: "sandbox" | "database";
  readonly command: readonly [program: string, ...args: string[]];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the process is the only child of what `command` starts, which ends with it. */
  readonly isBehindAnother: boolean;
}

/** Characters kept of standard error, the only explanation if a process does not start. */
const LAST_WORDS = 1_000;

export function startProcess({ owner, command, cwd, env, isBehindAnother }: ProcessStart): ProcessConnection {
  const child = spawnAlone(command, { cwd, env });
  const { stdin, stdout, stderr } = child;
  let lastWords = "";
  stderr.on("data", (chunk: Uint8Array) => {
    lastWords = (lastWords + new TextDecoder().decode(chunk)).slice(-LAST_WORDS);
  });
  // A broken stream means that the process ended, and `close` follows.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  for (const handle of [child, stdin, stdout, stderr]) setAlive(handle, false);

  let startError: Error | undefined;
  let ended = false;
  const gone = new Promise<string>((resolve) => {
    child.on("error", (error) => {
      startError = error;
      // `exit` is not emitted if no process started.
      if (child.pid === undefined) resolve(error.message);
    });
    child.on("exit", (code, signal) => {
      ended = true;
      const how = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
      const said = lastWords.trim();
      resolve(`The ${owner}'s process ended: ${startError?.message ?? how}${said === "" ? "" : `; it said ${JSON.stringify(said)}`}`);
    });
  });

  return {
    send(pieces) {
      if (ended || !stdin.writable) return;
      stdin.cork();
      for (const piece of pieces) stdin.write(piece);
      stdin.uncork();
    },
    get unsentBytes() {
      return stdin.writableLength;
    },
    onData: (listener) => void stdout.on("data", listener),
    onExit: (listener) => void gone.then(listener),
    keepAlive(on) {
      for (const handle of [child, stdout]) setAlive(handle, on);
    },
    async kill() {
      // The caller waits for the end, so the process must keep the host alive until then.
      setAlive(child, true);
      if (!ended) kill(child, isBehindAnother);
      await gone;
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

/**
 * Starts a program with its three streams and no other file.
 *
 * Files that the host's parent process left open would be open in the child too: `/dev/null` takes their place. Deno cannot express that;
 * on Deno the shell closes what it can (`confine.ts`).
 */
function spawnAlone(
  [program, ...args]: ProcessStart["command"],
  options: Pick<ProcessStart, "cwd" | "env">,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return withOnlyPipes(3, (stdio) => {
    const child = spawn(program, args, { cwd: options.cwd, env: { ...options.env }, stdio });
    // The types only describe three pipes.
    return child as ChildProcessByStdio<Writable, Readable, Readable>;
  });
}

/**
 * Kills the process itself if `unshare` is its parent, which then ends too and reaps it. If `unshare` were killed first, the process might
 * never be reaped.
 */
function kill(child: ChildProcess, isBehindAnother: boolean): void {
  const inner = child.pid === undefined || !isBehindAnother ? [] : childrenOf(child.pid);
  for (const pid of inner) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has just ended.
    }
  }
  if (inner.length === 0) child.kill("SIGKILL");
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter((text) => text !== "")
      .map(Number);
  } catch {
    // Not Linux, or a kernel without this file.
    return [];
  }
}
