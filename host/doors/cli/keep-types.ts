/** `bascule dev` keeps the types of the plugins that it serves as their manifests have them (SPEC M8). */

import { FileError, type Platform } from "../../platform/platform.ts";
import { readManifest } from "../../plugins/types/read-manifest.ts";
import { compareTypes, writeInFolder } from "../../plugins/types/write-types.ts";
import { timeOf } from "./live-lines.ts";
import type { Output } from "./output.ts";
import { printable } from "../../primitives/text.ts";

/** Looks at one plugin's folder, writes what is not fresh, and says so. */
export type TypesKeeper = (plugin: string, directory: string) => Promise<void>;

/** Where somebody else's file or a read-only folder is in the way, that is said once for a folder. */
export function createTypesKeeper(platform: Pick<Platform, "files" | "guarded" | "random" | "clock">, output: Output): TypesKeeper {
  const told = new Set<string>();
  const { style } = output;

  function tell(line: string): void {
    output.line(`${style.dim(timeOf(platform.clock.now()))} ${line}`);
  }

  function tellOnce(directory: string, line: string): void {
    if (told.has(directory)) return;
    // Folders come and go in a long run; to say something twice is better than to grow.
    if (told.size >= MAX_TOLD) told.clear();
    told.add(directory);
    tell(line);
  }

  return async (plugin, directory) => {
    const name = style.bold(printable(plugin));
    try {
      const folder = await platform.files.realPath(directory);
      const manifest = await readManifest(platform, folder);
      // A wrong manifest is shown by whoever loads it, and the types of the last good one are better than none.
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
      tellOnce(directory, `${style.yellow("note")}     ${name} has its own ${foreign.join(" and ")}: left alone (rename it to get types)`);
    } catch (error) {
      // The folder went away meanwhile: that is an event of its own.
      if (error instanceof FileError && error.code === "not_found") return;
      if (!(error instanceof FileError)) throw error;
      tellOnce(directory, `${style.yellow("note")}     The types of ${name} cannot be written: ${error.message}`);
    }
  };
}

const MAX_TOLD = 4_096;
