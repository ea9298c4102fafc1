/** Which runtime the sandbox's process has, and under which of its own permissions. */

import { accessSync, constants, realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export interface ProcessRuntime {
  readonly name: "deno" | "node";
  /** Absolute, without links. */
  readonly program: string;
  /** The oldest major version that will do. */
  readonly atLeast: number;
  /** @param entry what to run @param readable all that it may read */
  readonly args: (entry: string, readable: readonly string[]) => readonly string[];
  /** @param emptyFolder where Deno looks for its cache, and finds nothing */
  readonly env: (emptyFolder: string) => Readonly<Record<string, string>>;
}

/** Deno's permissions cover everything, so it comes first; its own host uses itself, and Node's uses Node where there is no Deno. */
export function processRuntimes(): readonly ProcessRuntime[] {
  if ("Deno" in globalThis) return [deno(spelledDifferently(process.execPath))];
  const found = findDeno();
  return found === undefined ? [node()] : [deno(realpathSync(found)), node()];
}

/** Wherever Deno's `node:child_process` sees its own path among arguments, it makes those behind it its own, with `-A`. */
export function spelledDifferently(path: string): string {
  return path.startsWith("/") ? `/.${path}` : path;
}

/** Without an `--allow-` nothing is allowed, and nobody is asked. The worker's file has to be readable to be started. */
function deno(program: string): ProcessRuntime {
  return {
    name: "deno",
    program,
    atLeast: 2,
    args: (entry, readable) => [
      "run",
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--cached-only",
      "--node-modules-dir=manual",
      // A comma of a path's own is written twice.
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
    args: (entry, readable) => [
      "--no-warnings",
      "--permission",
      "--allow-worker",
      // A folder is all that is in it.
      ...readable.map((path) => `--allow-fs-read=${path}`),
      entry,
    ],
    env: () => ({}),
  };
}

/** Deno's program: `BASCULE_DENO`, else on `PATH`, where entries that are relative say nothing about what the user installed. */
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
