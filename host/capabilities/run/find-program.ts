/** Where a program is that a tool names: by its path, or by the folders of the host's `PATH` that no tool can put a file into. */

import { namesPath } from "../../../manifests/mod.ts";
import { FileError, type Platform } from "../../platform/platform.ts";

type World = Pick<Platform, "files" | "environment">;

/** Where there is no `PATH`. */
const USUAL_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];
const MAX_FOLDERS = 256;

/**
 * The absolute folders of `PATH`, without those in the workspace: who can write a file there could choose what `git` is.
 *
 * @param workspace the session's, a real path
 */
export async function searchPath({ files, environment }: World, workspace: string): Promise<readonly string[]> {
  const isWindows = environment.os === "windows";
  const listed = environment.get(isWindows ? "Path" : "PATH") ?? environment.get("PATH");
  const written = listed === undefined ? USUAL_FOLDERS : listed.split(isWindows ? ";" : ":");
  const absolute = written.filter((folder) => (isWindows ? /^[A-Za-z]:[\\/]/ : /^\//).test(folder)).slice(0, MAX_FOLDERS);
  const outside: string[] = [];
  for (const folder of new Set(absolute)) {
    const real = await realPathOf(files, folder);
    if (real !== undefined && !isBelow(real, workspace)) outside.push(folder);
  }
  return outside;
}

/** The first file of that name that may be executed, under that name; undefined if there is none. */
export async function findProgram(program: string, folders: readonly string[], world: World): Promise<string | undefined> {
  if (namesPath(program)) return await executableAt(program, world);
  const names = world.environment.os === "windows" ? [program, `${program}.exe`] : [program];
  for (const folder of folders) {
    for (const name of names) {
      const found = await executableAt(`${folder}/${name}`, world);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

const EXECUTABLE = 0o111;
/** Windows hands these to its shell, which reads the arguments (CVE-2024-27980). */
const BATCH = /\.(bat|cmd)$/i;

/** Not where links lead: many programs (busybox, npm) look at the name that they were called by. */
async function executableAt(path: string, { files, environment }: World): Promise<string | undefined> {
  if (environment.os === "windows" && BATCH.test(path)) return undefined;
  const real = await realPathOf(files, path);
  const info = real === undefined ? undefined : await files.stat(real);
  const isProgram = info?.kind === "file" && (environment.os === "windows" || (info.mode & EXECUTABLE) !== 0);
  return isProgram ? path : undefined;
}

/** Undefined for what is not there. */
export async function realPathOf(files: World["files"], path: string): Promise<string | undefined> {
  try {
    return await files.realPath(path);
  } catch (thrown) {
    if (thrown instanceof FileError) return undefined;
    throw thrown;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
