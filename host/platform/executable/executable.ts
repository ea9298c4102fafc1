/**
 * bascule as one executable (`npm run dist`): its modules are assets inside, with paths below the executable's own path, where no file is
 * (`bin/executable.cjs`). Threads, processes and reads of these paths go through this file. Everywhere else its functions do as Node does.
 */

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { cacheFolder } from "../files/cache-folder.ts";
import { unpack } from "./unpack.ts";

/** Undefined on Deno, and where Node runs scripts. */
const sea = ((): typeof import("node:sea") | undefined => {
  const module = "Deno" in globalThis ? undefined : process.getBuiltinModule("node:sea");
  return module?.isSea() === true ? module : undefined;
})();

export const IS_EXECUTABLE: boolean = sea !== undefined;

/** Starts a thread. @param entry the module that it runs */
export function startThread(entry: URL, options: WorkerOptions): Worker {
  // Not imported: every start would load it.
  const { Worker: Thread } = process.getBuiltinModule("node:worker_threads");
  if (sea === undefined) return new Thread(entry, options);
  return new Thread(sea.getAsset("executable.cjs", "utf8"), { ...options, eval: true, argv: [fileURLToPath(entry)] });
}

/** Builds the arguments that make this program's own Node run a module, with options of Node. An executable gets them by `nodeEnvironment`. */
export function nodeArguments(options: readonly string[], ...script: readonly string[]): readonly string[] {
  return sea === undefined ? [...options, ...script] : script;
}

/** Builds the variables for `nodeArguments`. An executable takes no options of Node from its command line, which may hold words of others. */
export function nodeEnvironment(options: readonly string[]): Readonly<Record<string, string>> {
  return sea === undefined ? {} : { NODE_OPTIONS: options.map(quoted).join(" ") };
}

/** Returns the command that runs a user's script like Node. */
export function nodeCommand(): readonly [program: string, ...args: string[]] {
  return sea === undefined ? [process.execPath] : [process.execPath, `${process.execPath}${sep}node`];
}

/** Reads a file of a package that is installed, or inside the executable. @param isBrief whether it may block */
export async function readPackageFile(specifier: string, isBrief: boolean = false): Promise<Uint8Array> {
  const url = import.meta.resolve(specifier);
  if (sea !== undefined) return new Uint8Array(sea.getAsset(url.slice(rootUrl().length)));
  return isBrief ? readFileSync(fileURLToPath(url)) : await readFile(fileURLToPath(url));
}

/**
 * Puts files of the executable where other programs can read them, and returns their folder. For Deno, which runs files, and for files that
 * are copied.
 *
 * @param part folder inside the executable @throws {FileError} if other users can write there
 */
export function unpacked(part: "package" | "program"): string {
  if (sea === undefined) throw new Error("Not an executable");
  const names = sea.getAssetKeys().filter((name) => name.startsWith(`${part}/`));
  const { getAsset } = sea;
  const files = new Map(names.map((name) => [name.slice(part.length + 1), new Uint8Array(getAsset(name))]));
  return unpack(cacheFolder("unpacked"), `${part}-${getAsset("digest", "utf8")}`, files);
}

/** Returns a file of the program as Deno can read it. @param path as `import.meta.url` has it */
export function fileForDeno(path: string): string {
  return sea === undefined ? path : join(unpacked("program"), basename(path));
}

function rootUrl(): string {
  return `${pathToFileURL(process.execPath).href}/`;
}

/** Quotes an option as Node reads them from one text (https://nodejs.org/api/cli.html#node_optionsoptions). */
function quoted(option: string): string {
  return `"${option.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
