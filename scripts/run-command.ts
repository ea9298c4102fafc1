/** Runs a program for a script of this repository. */

import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository, ending in a slash. */
export const REPOSITORY: string = fileURLToPath(new URL("../", import.meta.url));

export interface CommandOutcome {
  /** Exit code; 1 if a signal ended the program or it did not start. */
  readonly code: number;
  /** Output of both streams, in order of arrival. */
  readonly output: string;
}

export interface CommandOptions {
  /** Working directory; default the repository. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Timeout, default 10 minutes. Afterwards the program is killed, and the output reports it. */
  readonly timeoutMs?: number;
  /** Whether to show the output as it arrives. */
  readonly echo?: boolean;
}

/** Runs a program with the checkout's own tools first on PATH, and waits until it ends. Never rejects. */
export function runCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandOutcome> {
  const { cwd = REPOSITORY, timeoutMs = 600_000, echo = false } = options;
  const path = `${REPOSITORY}node_modules/.bin${delimiter}${process.env["PATH"] ?? ""}`;
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  let output = "";
  const timer = setTimeout(() => {
    output += `\n${command} ran longer than ${String(timeoutMs / 1000)} s and was ended\n`;
    child.kill("SIGKILL");
  }, timeoutMs);
  for (const [stream, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      output += text;
      if (echo) target.write(text);
    });
  }
  const finish = (code: number): void => {
    clearTimeout(timer);
    resolve({ code, output });
  };
  child.on("error", (cause) => {
    output += `Cannot run ${command}: ${cause.message}\n`;
    finish(1);
  });
  child.on("close", (code) => finish(code ?? 1));
  return promise;
}
