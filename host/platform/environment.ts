/** The process and the machine it runs on. */

import { existsSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { IS_EXECUTABLE, nodeCommand, unpacked } from "./executable/executable.ts";
import { cacheFolder } from "./files/cache-folder.ts";
import { configFolder } from "./files/config-folder.ts";
import type { Environment } from "./environment-types.ts";
import { fateOf, ownIdentity } from "./processes/process-identity.ts";
import { withSlashes } from "./files/slashes.ts";

/** Creates the environment. Folders are real paths, because permissions are compared with resolved paths (SPEC PA4). */
export function createEnvironment(): Environment {
  return {
    get: (name) => {
      // `process.env` inherits from Object.prototype, so `toString` would look like a variable.
      return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
    },
    names: () => Object.keys(process.env),
    cwd: withSlashes(realOrSame(process.cwd())),
    home: withSlashes(realOrSame(homedir())),
    tmp: withSlashes(realOrSame(tmpdir())),
    cache: withSlashes(resolveParent(cacheFolder())),
    config: withSlashes(resolveParent(configFolder())),
    os: currentOs(),
    pid: process.pid,
    get self() {
      return ownIdentity();
    },
    fateOf,
    packageFolder: () => withSlashes(packageFolder()),
    argv: process.argv.slice(2),
    command: ownCommand(),
    runNode: process.versions["deno"] === undefined ? nodeCommand() : ["node"],
  };
}

function ownCommand(): readonly string[] {
  if (IS_EXECUTABLE) return [process.execPath];
  return [process.execPath, ...(process.versions["deno"] === undefined ? [] : ["run", "-A"]), ...process.argv.slice(1, 2)];
}

/** The sources and the bundle of them are at different depths below the folder. */
function packageFolder(): string {
  if (IS_EXECUTABLE) return unpacked("package");
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

function currentOs(): Environment["os"] {
  switch (process.platform) {
    case "linux":
    case "darwin":
      return process.platform;
    case "win32":
      return "windows";
    default:
      return "other";
  }
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A home that does not exist is common in containers; `$home` still means its name.
    return path;
  }
}

/** Returns the real path of something that may not exist: the real path of the nearest existing folder plus the rest. */
function resolveParent(path: string): string {
  const real = realOrSame(path);
  const parent = dirname(path);
  return real !== path || parent === path ? real : join(resolveParent(parent), basename(path));
}
