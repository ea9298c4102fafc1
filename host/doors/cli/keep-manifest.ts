/** Keeps the manifests of plugins whose tools are written from code up to date in `bascule dev` (SPEC AX1). */

import { FileError, type Platform } from "../../platform/platform.ts";
import { isFromCode, manifestText, syncManifest } from "../../plugins/code/sync-manifest.ts";
import { printable } from "../../primitives/text.ts";
import { codeProblemLines, openCodeReader, writeCompared } from "./code-manifest.ts";
import { timeOf } from "./terminal-log.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";

export interface ManifestKeeper {
  /** Compares one plugin's manifest with its code, and writes it. @returns true if the manifest or a file beside it was written */
  keep(plugin: string, directory: string): Promise<boolean>;
  close(): Promise<void>;
}

const INDENT = " ".repeat(9);
const MAX_TOLD = 1_024;

/** Creates the keeper. It shows a plugin's problems again only after they changed. */
export function createManifestKeeper(platform: Platform, output: Output, signal: AbortSignal): ManifestKeeper {
  const told = new Map<string, string>();
  const { style } = output;

  function tell(directory: string, lines: readonly string[]): void {
    // The first line has the time.
    const text = lines.slice(1).join("\n");
    if (told.get(directory) === text) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.set(directory, text);
    for (const line of lines) output.line(line);
  }

  const reader = openCodeReader(platform);

  async function keep(plugin: string, directory: string): Promise<boolean> {
    const line = (word: string, text: string): string =>
      `${style.dim(timeOf(platform.clock.now()))} ${word} ${style.bold(printable(plugin))}  ${text}`;
    try {
      const folder = await platform.files.realPath(directory);
      const text = await manifestText(platform, folder);
      if (text === undefined || !isFromCode(text)) return false;
      const compared = await syncManifest(platform, folder, reader, signal);
      if (compared.kind === "problems") {
        const shown = pathFrom(platform.environment.cwd, directory);
        const lines = await codeProblemLines(compared.problems, { platform, output, directory: folder, folder: shown });
        const title = line(style.red("manifest"), "is not written from the code, because of this:");
        tell(directory, [title, ...lines.map((one) => `${INDENT}${one}`)]);
        output.entry({ type: "manifest", plugin, changes: [], problems: compared.problems });
        return false;
      }
      told.delete(directory);
      const written = await writeCompared(platform, folder, compared);
      if (written.length === 0) return false;
      const { changes } = compared;
      output.line(line(style.dim("manifest"), printable(changes.length === 0 ? written.join(", ") : changes.join("; "))));
      output.entry({ type: "manifest", plugin, changes });
      return true;
    } catch (error) {
      // The folder was deleted in the meantime, which is a separate event.
      if (error instanceof FileError && error.code === "not_found") return false;
      if (!(error instanceof FileError)) throw error;
      tell(directory, [line(style.yellow("note    "), `Cannot write the manifest: ${error.message}`)]);
      return false;
    }
  }

  return { keep, close: () => reader.close() };
}
