/** Keeps the generated types of plugins up to date in `bascule dev` (SPEC M8). */

import { FileError, type Platform } from "../../platform/platform.ts";
import { readManifest } from "../../plugins/types/read-manifest.ts";
import { compareTypes, writeInFolder } from "../../plugins/types/write-types.ts";
import { timeOf } from "./terminal-log.ts";
import type { Output } from "./output.ts";
import { printable } from "../../primitives/text.ts";

/** Writes the outdated type files of one plugin's folder, and prints their names. */
export type TypesKeeper = (plugin: string, directory: string) => Promise<void>;

/** Creates the keeper. It notes once per folder if it cannot write there, because of a user's file or a read-only folder. */
export function createTypesKeeper(platform: Pick<Platform, "files" | "guarded" | "random" | "clock">, output: Output): TypesKeeper {
  const told = new Set<string>();
  const { style } = output;

  function tell(line: string): void {
    output.line(`${style.dim(timeOf(platform.clock.now()))} ${line}`);
  }

  function tellOnce(directory: string, line: string): void {
    if (told.has(directory)) return;
    // Bound the set: a repeated note is better than memory that grows in a long run.
    if (told.size >= MAX_TOLD) told.clear();
    told.add(directory);
    tell(line);
  }

  return async (plugin, directory) => {
    const name = style.bold(printable(plugin));
    try {
      const folder = await platform.files.realPath(directory);
      const manifest = await readManifest(platform, folder);
      // The loader reports an invalid manifest. Keep the types of the last valid one.
      if (manifest === undefined || !manifest.ok) return;
      const compared = await compareTypes(platform, folder, manifest.manifest);
      const stale = compared.filter(({ state }) => state === "stale" || state === "missing");
      for (const file of stale) await writeInFolder(platform, folder, file.name, file.text);
      if (stale.length > 0) {
        tell(`${style.dim("types")}    ${name}  ${stale.map((file) => file.name).join(", ")}`);
        output.entry({ type: "types", plugin, files: stale.map((file) => file.name) });
      }
      const foreign = compared.filter(({ state }) => state === "foreign").map((file) => `"${file.name}"`);
      if (foreign.length === 0) return;
      tellOnce(
        directory,
        `${style.yellow("note")}     ${name} has its own ${foreign.join(" and ")}: not overwritten (rename it to get types)`,
      );
    } catch (error) {
      // The folder was deleted in the meantime, which is a separate event.
      if (error instanceof FileError && error.code === "not_found") return;
      if (!(error instanceof FileError)) throw error;
      tellOnce(directory, `${style.yellow("note")}     Cannot write the types of ${name}: ${error.message}`);
    }
  };
}

const MAX_TOLD = 4_096;
