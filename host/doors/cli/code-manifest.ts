/** Compares a plugin's manifest with its code, and writes it (SPEC AX1): for `bascule manifest` and `bascule dev`. */

import { serviceThreads } from "../../host/service-entry.ts";
import type { Platform } from "../../platform/platform.ts";
import { type SyncOutcome, type SyncProblem, manifestText } from "../../plugins/code/sync-manifest.ts";
import { type CodeReader, createCodeReader } from "../../plugins/code/code-reader.ts";
import { MANIFEST_FILE } from "../../plugins/folder/walk.ts";
import { readManifest } from "../../plugins/types/read-manifest.ts";
import { compareTypes, runtimeState, writeInFolder } from "../../plugins/types/write-types.ts";
import { RUNTIME_FILE, RUNTIME_TEXT } from "../../plugins/types/tool-api.ts";
import { createService } from "../../primitives/service/service.ts";
import type { PluginProblem } from "../operations.ts";
import { withFrame } from "../problem-frame.ts";
import { problemLines } from "./frame.ts";
import type { Output } from "./output.ts";

/** A manifest and its code, compared. */
type Compared = Extract<SyncOutcome, { readonly kind: "read" }>;

/** Opens the threads that read code; close them at the end. */
export function openCodeReader(platform: Platform): CodeReader {
  const onDefect = (message: string, error: unknown): void => platform.log.write("error", message, { error });
  return createCodeReader(platform, () => createService({ threads: serviceThreads(platform), environment: platform, onDefect }));
}

/**
 * Writes the manifest, and the generated files that follow from it. A manifest that was changed since it was read is left alone.
 *
 * @returns the names of the files that were written
 */
export async function writeCompared(platform: Platform, directory: string, compared: Compared): Promise<readonly string[]> {
  const { before, after, usesDefineTool } = compared;
  const written: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeInFolder(platform, directory, name, text);
    written.push(name);
  };
  const runtime = usesDefineTool ? await runtimeState(platform, directory) : "fresh";
  if (runtime === "missing" || runtime === "stale") await write(RUNTIME_FILE, RUNTIME_TEXT);
  if (after !== before && (await manifestText(platform, directory)) === before) await write(MANIFEST_FILE, after);
  if (written.length === 0) return written;
  const manifest = await readManifest(platform, directory);
  for (const { name, text, state } of manifest?.ok === true ? await compareTypes(platform, directory, manifest.manifest) : [])
    if (state === "stale" || state === "missing") await write(name, text);
  return written;
}

/** Formats problems with their source lines. @param folder the plugin's folder as shown */
export async function codeProblemLines(
  problems: readonly SyncProblem[],
  {
    platform,
    output,
    directory,
    folder,
  }: { readonly platform: Platform; readonly output: Output; readonly directory: string; readonly folder: string },
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const problem of problems) {
    const placed: PluginProblem = problem.line === undefined ? problem : { file: MANIFEST_FILE, ...problem };
    const framed = await withFrame(placed, directory, platform.files);
    lines.push(...problemLines(framed, { ...output, folder }));
  }
  return lines;
}
