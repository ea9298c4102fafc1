/** Starts the process of one database, with nothing but that database within its reach. */

import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessConnection } from "../../../sandbox/mod.ts";
import { IS_EXECUTABLE, nodeArguments, nodeEnvironment } from "../executable/executable.ts";
import { findTool } from "../isolation/confine.ts";
import { spelledDifferently } from "../isolation/runtimes.ts";
import { startProcess } from "../isolation/processes.ts";

/** Bound of a file: the highest quota, and its log while a transaction is written. In blocks of 512 bytes. */
const MAX_FILE_BLOCKS = (3 * 1024 * 1024 * 1024) / 512;
/**
 * Bound of private memory on Linux, in KiB. V8 reserves some 560 MiB of it, most of which it never uses; about 400 MiB remain for SQLite, which
 * then reports that it is out of memory.
 */
const MAX_DATA_KIB = 1024 * 1024;

const SHELL = "/bin/sh";
/**
 * A process inside a statement does not see that its input has ended. On Linux the kernel kills it together with the host, if this system's
 * `setpriv` can ask for that.
 */
const BOUNDED = `ulimit -c 0; ulimit -f ${MAX_FILE_BLOCKS}; ulimit -d ${MAX_DATA_KIB}
setpriv=$1; shift
if "$setpriv" --pdeathsig KILL "$0" -c : 2>/dev/null; then exec "$setpriv" --pdeathsig KILL "$@"; fi
exec "$@"`;

/** @param file absolute path of the database */
export function startDatabaseProcess(file: string): ProcessConnection {
  const folder = realpathSync(dirname(file));
  const options = nodeOptions(folder);
  const command: readonly [string, ...string[]] =
    "Deno" in globalThis ? denoCommand(folder) : [realpathSync(process.execPath), ...nodeArguments(options, ENTRY, `${folder}/data.db`)];
  return startProcess({
    owner: "database",
    command: existsSync(SHELL) ? [SHELL, "-c", BOUNDED, SHELL, findTool("setpriv") ?? "/nowhere", ...command] : command,
    cwd: folder,
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...nodeEnvironment(options) },
    isBehindAnother: false,
  });
}

function nodeOptions(folder: string): readonly string[] {
  const file = `${folder}/data.db`;
  // In an executable no code is read from a disk.
  const readable = [...(IS_EXECUTABLE ? [] : [CODE_FOLDER]), file];
  return ["--no-warnings", "--permission", ...readable.map((path) => `--allow-fs-read=${path}`), `--allow-fs-write=${file}`];
}

function denoCommand(folder: string): readonly [string, ...string[]] {
  const file = `${folder}/data.db`;
  return [
    spelledDifferently(process.execPath),
    "run",
    "--quiet",
    ...["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"],
    // A comma in a path is doubled.
    `--allow-read=${[CODE_FOLDER, file].map((path) => path.replaceAll(",", ",,")).join(",")}`,
    `--allow-write=${file.replaceAll(",", ",,")}`,
    ENTRY,
    file,
  ];
}

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const ENTRY = fileURLToPath(new URL(`./database-main.${EXTENSION}`, import.meta.url));
const CODE_FOLDER = dirname(ENTRY);
