/** Reads the undo folder, which may hold anything and may disappear at any time (SPEC E8). */

import type { JsonValue } from "../../../manifests/mod.ts";
import { unlessMissing } from "../../platform/or-undefined.ts";
import { hashBytes, type Hasher } from "../../primitives/json/json-bytes.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import type { FileErrorCode, Files, Platform } from "../../platform/platform.ts";
import { readCall, type UndoCall, type UndoStep } from "./undo-step.ts";

const BOUNDS = { maxBytes: 64 * 1024, maxDepth: 8 };

/** Another host of the project may have removed files; entries of another kind count as missing. */
const GONE: readonly FileErrorCode[] = ["not_found", "not_a_directory", "is_a_directory", "not_regular", "too_large"];

/** Returns the names of a folder's entries, or an empty list if the folder is missing. */
export async function namesIn(files: Files, folder: string): Promise<readonly string[]> {
  return (await files.list(folder).catch(unlessMissing([], GONE))).map(({ name }) => name);
}

export async function readCallOf(files: Files, folder: string): Promise<UndoCall | undefined> {
  return readCall((await readJson(files, `${folder}/call.json`)) ?? null);
}

export async function readJson(files: Files, path: string): Promise<JsonValue | undefined> {
  const bytes = await files.readBytes(path, BOUNDS.maxBytes).catch(unlessMissing(undefined, GONE));
  const read = bytes && readJsonText(new TextDecoder().decode(bytes), BOUNDS);
  // The parsed value is JSON.
  return read?.ok === true ? (read.value as JsonValue) : undefined;
}

/** Returns the contents only if they match the step: a truncated or changed file returns undefined. */
export async function readContents(
  platform: Pick<Platform, "files"> & Hasher,
  path: string,
  step: UndoStep,
): Promise<Uint8Array | undefined> {
  if (step.kind !== "place") return undefined;
  if (step.before.kind === "held") return await platform.files.readBytes(path, step.before.bytes).catch(unlessMissing(undefined, GONE));
  if (step.before.kind !== "file") return undefined;
  const bytes = await platform.files.readBytes(path, step.before.bytes).catch(unlessMissing(undefined, GONE));
  return bytes !== undefined && (await hashBytes(bytes, platform)) === step.before.sha256 ? bytes : undefined;
}
