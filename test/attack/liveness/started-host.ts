/** Starts processes of hosts with the probe loaded. */

import { type ChildProcess, spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stderr } from "./modes.ts";
import { childrenOf } from "./outside.ts";

/** Paths of a host. */
export interface Place {
  readonly folder: string;
  readonly probe: string;
  /** File for stderr, if it goes to a file. */
  readonly log: string;
}

export interface StartedHost {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** Ends the process with all its descendants. */
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
  // Opened at both ends, and never read.
  const unread = stderr === "unread" ? await open(fifo, "r+") : undefined;
  const child = spawn(program, args, {
    cwd: folder,
    // Same session as this process: if the system schedules by session, the control host gets an equal share.
    stdio: ["pipe", "pipe", unread?.fd ?? (stderr === "file" ? file.fd : "pipe")],
    env: { ...environmentOf(folder), ...(probed && { LIVENESS_PROBE: probe }) },
  });
  child.stdout?.resume();
  child.stderr?.resume();
  child.stdin?.on("error", () => undefined);
  const ended = new Promise((resolve) => child.once("exit", resolve)).then(async () => await Promise.all([file.close(), unread?.close()]));
  return { child, ended, end: () => endTree(child.pid) };
}

/** Returns the environment. All runs share a cache of compilers and images, because otherwise the first one is slow. */
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

/** Ends a process and all its descendants. */
function endTree(pid: number | undefined): void {
  if (pid === undefined) return;
  const started = childrenOf(pid);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended, but its descendants may not have.
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
