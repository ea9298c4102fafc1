/** Chooses the runtime of the sandbox's process and its permission flags. */

import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { nodeArguments, nodeCommand, nodeEnvironment } from "../executable/executable.ts";

export interface ProcessRuntime {
  readonly name: "deno" | "node";
  /** Absolute path without links. */
  readonly program: string;
  /** Oldest supported major version. */
  readonly atLeast: number;
  /** Arguments that print the version. */
  readonly versionArgs: readonly string[];
  /** Returns the arguments. @param entry the script to run @param readable all paths that it may read */
  readonly args: (entry: string, readable: readonly string[]) => readonly string[];
  /** Returns the environment. @param emptyFolder Deno's cache folder, which stays empty */
  readonly env: (emptyFolder: string, readable: readonly string[]) => Readonly<Record<string, string>>;
}

/**
 * Returns runtimes in order of preference. Deno comes first because its permissions cover everything. A host on Deno uses only its own
 * Deno; a host on Node falls back to Node.
 */
export function processRuntimes(): readonly ProcessRuntime[] {
  if ("Deno" in globalThis) return [deno(spelledDifferently(process.execPath))];
  const found = findDeno();
  return found === undefined ? [node()] : [deno(realpathSync(found)), node()];
}

/**
 * Spells Deno's path differently: if Deno's `node:child_process` finds its own path among the arguments, it rewrites those after it and
 * adds `-A`.
 */
export function spelledDifferently(path: string): string {
  return path.startsWith("/") ? `/.${path}` : path;
}

/** Without `--allow-` flags nothing is allowed, and Deno never prompts. The worker's file must be readable to be started. */
function deno(program: string): ProcessRuntime {
  return {
    name: "deno",
    program,
    atLeast: 2,
    versionArgs: ["--version"],
    args: (entry, readable) => [
      "run",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--cached-only",
      "--node-modules-dir=manual",
      // A comma in a path is doubled.
      `--allow-read=${readable.map((path) => path.replaceAll(",", ",,")).join(",")}`,
      entry,
    ],
    env: (emptyFolder) => ({ DENO_DIR: emptyFolder, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" }),
  };
}

function node(): ProcessRuntime {
  return {
    name: "node",
    program: realpathSync(process.execPath),
    atLeast: 24,
    versionArgs: [...nodeCommand().slice(1), "--version"],
    args: (entry, readable) => nodeArguments(nodeOptions(readable), entry),
    env: (_emptyFolder, readable) => nodeEnvironment(nodeOptions(readable)),
  };
}

function nodeOptions(readable: readonly string[]): readonly string[] {
  // A folder covers everything below it.
  return ["--no-warnings", "--permission", "--allow-worker", ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/**
 * Returns Deno's program: `BASCULE_DENO`, else the first on `PATH`. Relative entries are skipped, because the user did not install Deno
 * there.
 */
export function findDeno(): string | undefined {
  const { PATH = "", BASCULE_DENO: named } = process.env;
  if (named !== undefined && named !== "") return isAbsolute(named) && isExecutable(named) ? named : undefined;
  const name = process.platform === "win32" ? "deno.exe" : "deno";
  return PATH.split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
