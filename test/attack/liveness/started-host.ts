/** Processes of hosts, with the probe in them. */

import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stderr } from "./modes.ts";
import { childrenOf } from "./outside.ts";

/** Where a host is. */
export interface Place {
  readonly folder: string;
  readonly probe: string;
  /** Where stderr goes if it goes to a file. */
  readonly log: string;
}

export interface StartedHost {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** With all that it started. */
  end(): void;
}

export async function startHost(
  command: readonly string[],
  { folder, probe, log }: Place,
  { stderr, probed = true }: { readonly stderr: Stderr; readonly probed?: boolean },
): Promise<StartedHost> {
  const [program = "", ...args] = stderr === "terminal" ? ["script", "-qefc", command.map(quoted).join(" "), "/dev/null"] : command;
  const file = await open(log, "a");
  const fifo = join(folder, "fifo");
  if (stderr === "unread") await run("mkfifo", [fifo]);
  // Open at both ends, and never read.
  const unread = stderr === "unread" ? await open(fifo, "r+") : undefined;
  const child = spawn(program, args, {
    cwd: folder,
    // In our session: where the system shares processors by session, the host beside gets no more than this one.
    stdio: ["pipe", "pipe", unread?.fd ?? (stderr === "file" ? file.fd : "pipe")],
    env: { ...environmentOf(folder), ...(probed && { LIVENESS_PROBE: probe }) },
  });
  child.stdout?.resume();
  child.stderr?.resume();
  child.stdin?.on("error", () => undefined);
  const ended = new Promise((resolve) => child.once("exit", resolve)).then(async () => await Promise.all([file.close(), unread?.close()]));
  return { child, ended, end: () => endTree(child.pid) };
}

/** What compilers and images are kept in is shared by all runs: the first one is slow otherwise. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const cache = process.env["LIVENESS_CACHE"] ?? join(tmpdir(), "bascule-liveness-cache");
  return {
    PATH: process.env["PATH"],
    HOME: join(folder, "home"),
    XDG_CACHE_HOME: cache,
    XDG_CONFIG_HOME: join(folder, "home"),
    DENO_DIR: process.env["DENO_DIR"] ?? join(process.env["HOME"] ?? "", ".cache/deno"),
    TMPDIR: folder,
  };
}

/** A process and all that it started. */
function endTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const started = childrenOf(pid);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended, and what it started may have not.
  }
  for (const child of started) endTree(child);
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: "inherit" });
  await new Promise((resolve) => child.once("exit", resolve));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
