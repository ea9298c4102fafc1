/** Runs the CLI in this process on the real platform, with a fake terminal and its own working directory. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { main } from "../../../../host/doors/cli/main.ts";
import { createMemoryPair } from "../../../../host/platform/memory/memory-sockets.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { openTrustStore } from "../../../../host/project/trust/trust-store.ts";
import type { LineConnection, Platform } from "../../../../host/platform/platform.ts";

/** Output and exit code of a command. */
export interface CliOutcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** A command that is running. */
export interface RunningCommand {
  /** Returns everything printed so far on both streams, in order. */
  readonly printed: () => string;
  /** Waits until a text is printed. @throws {Error} after 15 seconds */
  waitFor(text: string): Promise<void>;
  interrupt(): void;
  /** The other end of stdin and stdout, for commands that use a protocol on them. */
  readonly client: LineConnection;
  readonly ended: Promise<CliOutcome>;
}

export interface CliOptions {
  /** Answers of the user, in order. Absent: the terminal is not interactive. */
  readonly answers?: readonly (string | Promise<string>)[];
  readonly input?: string;
  readonly color?: boolean;
  /** Width of the terminal. Default: 100. */
  readonly columns?: number;
  /** The program as the user types it. Default: `bascule`. */
  readonly program?: string;
  /** Default: `TERM=dumb`, which shows no progress of slow work. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory relative to the project's folder. Default: that folder. */
  readonly cwd?: string;
}

/** A temporary project folder. */
export interface CliProject extends AsyncDisposable {
  readonly folder: string;
  write(path: string, text: string): Promise<void>;
  run(args: readonly string[], options?: CliOptions): Promise<CliOutcome>;
  start(args: readonly string[], options?: CliOptions): RunningCommand;
}

const real = currentPlatform({ log: { level: "error" } });

const DEADLINE_MS = 15_000;
const POLL_MS = 10;

/** Creates a temporary folder with these files. @param isOwn false for a folder from elsewhere, of which nothing is trusted yet */
export async function createCliProject(
  files: Readonly<Record<string, string>> = {},
  { isOwn = true }: { readonly isOwn?: boolean } = {},
): Promise<CliProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-cli-")));
  const trust = await openTrustStore(real, folder);
  if (isOwn) await trust.change((before) => ({ ...before, all: true }));
  const running = new Set<RunningCommand>();

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  function start(args: readonly string[], options: CliOptions = {}): RunningCommand {
    const command = startCommand(args, join(folder, options.cwd ?? "."), options);
    running.add(command);
    void command.ended.then(() => running.delete(command));
    return command;
  }

  for (const [path, text] of Object.entries(files)) await write(path, text);
  return {
    folder,
    write,
    start,
    run: (args, options) => start(args, options).ended,
    async [Symbol.asyncDispose]() {
      for (const command of running) {
        command.interrupt();
        await command.ended;
      }
      await rm(folder, { recursive: true, force: true });
      await rm(trust.file, { force: true });
    },
  };
}

function startCommand(args: readonly string[], cwd: string, options: CliOptions): RunningCommand {
  const answers = [...(options.answers ?? [])];
  const listeners: (() => void)[] = [];
  let out = "";
  let error = "";
  let printed = "";
  const [lines, client] = createMemoryPair();
  const platform: Platform = {
    ...real,
    environment: { ...real.environment, cwd, get: (name) => ({ TERM: "dumb", ...options.env })[name] },
    terminal: {
      interactive: options.answers !== undefined,
      outIsTerminal: options.answers !== undefined,
      color: options.color ?? false,
      columns: options.columns ?? 100,
      out(text) {
        out += text;
        printed += text;
      },
      error(text) {
        error += text;
        printed += text;
      },
      ask(prompt) {
        error += prompt;
        return Promise.resolve(answers.shift());
      },
      readInput: () => Promise.resolve(options.input ?? ""),
      lines: () => lines,
      onInterrupt: (listener) => void listeners.push(listener),
      drained: () => Promise.resolve(),
      flush: () => Promise.resolve(),
      exit: () => {},
    },
  };
  const ended = main(args, platform, options.program).then((code) => ({ code, out, error }));
  return {
    printed: () => printed,
    ended,
    client,
    interrupt: () => listeners.forEach((listener) => listener()),
    async waitFor(text) {
      const until = Date.now() + DEADLINE_MS;
      while (!printed.includes(text)) {
        if (Date.now() > until) throw new Error(`Did not print ${JSON.stringify(text)} in time, but:\n${printed}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
  };
}
