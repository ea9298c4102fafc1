/** Finds a program by its path, or in those folders of the host's `PATH` that tools cannot write to. */

import { isAtOrBelow, namesPath } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import { orUndefined } from "../../platform/or-undefined.ts";

type SearchPlatform = Pick<Platform, "files" | "environment">;

/** Used if `PATH` is not set. */
const USUAL_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
const MAX_FOLDERS = 256;

/**
 * Returns the absolute folders of `PATH` outside of the workspace: a writable folder would let a tool choose what `git` is.
 *
 * @param workspace the session's, a real path
 */
export async function searchPath({ files, environment }: SearchPlatform, workspace: string): Promise<readonly string[]> {
  const isWindows = environment.os === "windows";
  const listed = environment.get(isWindows ? "Path" : "PATH") ?? environment.get("PATH");
  const written = listed === undefined ? USUAL_FOLDERS : listed.split(isWindows ? ";" : ":");
  const absolute = written.filter((folder) => (isWindows ? /^[A-Za-z]:[\\/]/ : /^\//).test(folder)).slice(0, MAX_FOLDERS);
  const outside: string[] = [];
  for (const folder of new Set(absolute)) {
    const real = await orUndefined(files.realPath(folder));
    if (real !== undefined && !isAtOrBelow(real, workspace)) outside.push(folder);
  }
  return outside;
}

/** Returns the path of the first executable file with that name, or undefined. */
export async function findProgram(program: string, folders: readonly string[], env: SearchPlatform): Promise<string | undefined> {
  if (namesPath(program)) return await executableAt(program, env);
  const names = env.environment.os === "windows" ? [program, `${program}.exe`] : [program];
  for (const folder of folders) {
    for (const name of names) {
      const found = await executableAt(`${folder}/${name}`, env);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const EXECUTABLE = 0o111;
/** Windows runs these in its shell, which interprets the arguments (CVE-2024-27980). */
const BATCH = /\.(bat|cmd)$/i;

/** Returns the path without resolving links: many programs (busybox, npm) depend on the name that they were called by. */
async function executableAt(path: string, { files, environment }: SearchPlatform): Promise<string | undefined> {
  if (environment.os === "windows" && BATCH.test(path)) return undefined;
  const real = await orUndefined(files.realPath(path));
  const info = real === undefined ? undefined : await files.stat(real);
  const isProgram = info?.kind === "file" && (environment.os === "windows" || (info.mode & EXECUTABLE) !== 0);
  return isProgram ? path : undefined;
}
