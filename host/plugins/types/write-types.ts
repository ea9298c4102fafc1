/** Keeps the generated files of a plugin folder up to date with its manifest. */

import { compilePermissions, type Manifest } from "../../../manifests/mod.ts";
import { checkPath } from "../../capabilities/checked.ts";
import type { RefusalContext } from "../../capabilities/refusal.ts";
import { toHex } from "../../platform/bytes.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import { GENERATED_BY, pluginTypes } from "./plugin-types.ts";
import { RUNTIME_FILE, RUNTIME_MARK, RUNTIME_TEXT } from "./tool-api.ts";

/**
 * State of a generated file: up to date, different, missing, or not generated (the author's own, a link, a folder); the last is left alone.
 */
type TypeFileState = "fresh" | "stale" | "missing" | "foreign";

/** One generated file. */
export interface TypeFile {
  readonly name: string;
  readonly text: string;
  readonly state: TypeFileState;
}

/** Parts of the platform that are needed. */
type TypesAccess = Pick<Platform, "files" | "guarded" | "random">;

/** Larger files are not generated ones. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Compares the generated files with those in the folder. @param directory real path of the folder. */
export async function compareTypes(access: TypesAccess, directory: string, manifest: Manifest): Promise<readonly TypeFile[]> {
  const compared: TypeFile[] = [];
  for (const [name, text] of pluginTypes(manifest)) {
    compared.push({ name, text, state: await stateOf(access, directory, name, { text, mark: GENERATED_BY }) });
  }
  return compared;
}

/** Compares the file that provides `defineTool` with its text. */
export async function runtimeState(access: TypesAccess, directory: string): Promise<TypeFileState> {
  return await stateOf(access, directory, RUNTIME_FILE, { text: RUNTIME_TEXT, mark: RUNTIME_MARK });
}

/**
 * Writes a file beside the final place and renames it, so that readers see a complete text. A link of that name is replaced, not followed,
 * and nothing outside of the folder is written, even if folders are moved meanwhile.
 *
 * @throws {FileError} if it cannot be written, for example in a read-only folder.
 */
export async function writeInFolder({ guarded, random }: TypesAccess, directory: string, name: string, text: string): Promise<void> {
  const suffix = toHex(random.bytes(6));
  // The extension is one that plugins cannot load and watchers ignore.
  const temporary = ownPath("write", directory, `.${name}.${suffix}.tmp`);
  try {
    await guarded.writeBytes(temporary, new TextEncoder().encode(text), { createNew: true });
    await guarded.rename(temporary, ownPath("write", directory, name));
  } catch (error) {
    await removeIfThere(guarded, temporary);
    throw error;
  }
}

async function stateOf(
  access: TypesAccess,
  directory: string,
  name: string,
  { text, mark }: { readonly text: string; readonly mark: string },
): Promise<TypeFileState> {
  const info = await access.files.lstat(`${directory}/${name}`);
  if (info === undefined) return "missing";
  if (info.kind !== "file" || info.size > MAX_BYTES) return "foreign";
  try {
    const bytes = await access.guarded.readBytes(ownPath("read", directory, name), { maxBytes: MAX_BYTES });
    const found = new TextDecoder().decode(bytes);
    if (found === text) return "fresh";
    // An empty file can be overwritten without loss.
    return found === "" || found.startsWith(mark) ? "stale" : "foreign";
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.code === "not_found" ? "missing" : "foreign";
  }
}

async function removeIfThere(guarded: Platform["guarded"], path: CheckedPath<"write">): Promise<void> {
  try {
    await guarded.remove(path, { recursive: false });
  } catch (error) {
    // The file was never created, or the folder is gone; only the first error counts.
    if (!(error instanceof FileError)) throw error;
  }
}

/** Grants the host access to this folder only, so that its own writes pass the same checks as a guest's. */
function ownPath<A extends "read" | "write">(access: A, directory: string, name: string): CheckedPath<A> {
  const permissions = compilePermissions({ read: ["$plugin"], write: ["$plugin"] }, { base: directory, plugin: directory });
  const context: RefusalContext = {
    grant: { layers: [{ name: "plugin folder", permissions, unnamed: "none", otherwise: "denied" }] },
    cwd: directory,
  };
  const checked = checkPath(access, `${directory}/${name}`, context);
  if (!checked.ok) throw new FileError("not_capable", "Leads out of the plugin's folder");
  return checked.path;
}
