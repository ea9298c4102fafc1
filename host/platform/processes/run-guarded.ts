/** Runs a program to its end. The program and its children also end when this process ends in any way. */

import { spawnGuarded } from "./process-group.ts";
import { signalGroup } from "./signal-group.ts";

interface GuardedRun {
  /** A path; a name is looked up in `PATH`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Default: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Maximum bytes of output; more ends the program. */
  readonly maxBytes: number;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/** How the program ended. */
export type GuardedEnd =
  | { readonly kind: "ended"; readonly exitCode: number; readonly output: Uint8Array; readonly errors: string }
  /** Stopped by `signal`, by the size of its output, or by a signal of the system. */
  | { readonly kind: "stopped"; readonly by: "signal" | "size" | "system" }
  /** The program was not found or could not start. */
  | { readonly kind: "not_started"; readonly why: "not_found" | "other" };

const MAX_ERROR_CHARACTERS = 4_096;
/** Exit code of the shell if the program is not found. */
const SHELL_NOT_FOUND = 127;

export function runGuarded({ file, args, cwd, env = ownEnvironment(), maxBytes, signal }: GuardedRun): Promise<GuardedEnd> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: "stopped", by: "signal" });
    let child: ReturnType<typeof spawnGuarded>;
    try {
      child = spawnGuarded({ file, args, cwd, env });
    } catch {
      // Node throws for some arguments.
      return resolve({ kind: "not_started", why: "other" });
    }
    const output: Buffer[] = [];
    let length = 0;
    let errors = "";
    let stopped: "signal" | "size" | undefined;
    const stop = (by: "signal" | "size"): void => {
      stopped ??= by;
      signalGroup(child, "SIGKILL");
    };
    const onAbort = (): void => stop("signal");
    const end = (result: GuardedEnd): void => {
      signal.removeEventListener("abort", onAbort);
      for (const stream of child.stdio) stream?.destroy();
      resolve(result);
    };
    signal.addEventListener("abort", onAbort);
    // A broken stream means that the program ends: `exit` follows.
    for (const stream of child.stdio) stream?.on("error", () => {});
    child.stdin?.end();
    child.stdout?.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > maxBytes) stop("size");
      else output.push(piece);
    });
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      errors = `${errors}${piece}`.slice(-MAX_ERROR_CHARACTERS);
    });
    child.once("error", (error: NodeJS.ErrnoException) =>
      end({ kind: "not_started", why: error.code === "ENOENT" ? "not_found" : "other" }),
    );
    // Kills the program's children and the guard; then the streams end.
    child.once("exit", () => signalGroup(child, "SIGKILL"));
    child.once("close", (exitCode) => {
      if (stopped !== undefined) return end({ kind: "stopped", by: stopped });
      if (exitCode === null) return end({ kind: "stopped", by: "system" });
      if (exitCode === SHELL_NOT_FOUND) return end({ kind: "not_started", why: "not_found" });
      end({ kind: "ended", exitCode, output: new Uint8Array(Buffer.concat(output)), errors });
    });
  });
}

function ownEnvironment(): Readonly<Record<string, string>> {
  // All existing variables have a string value.
  return { ...process.env } as Record<string, string>;
}
