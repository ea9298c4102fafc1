/** `-P=name`: applies a permission set of the nearest `deno.json`, as `deno run -P` does (SPEC PA1, C3). */

import {
  isJsonObject,
  isPathKind,
  type JsonObject,
  parseJson,
  parsePermissions,
  type PermissionEntry,
  type PermissionItem,
  type PermissionKind,
  PERMISSION_KINDS,
  type Permissions,
  type PermissionValue,
  problemToText,
  toEntry,
  withoutComments,
} from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Options } from "./arguments.ts";
import { notFoundError, usageError } from "./cli-error.ts";
import { absolutePath, parentOf } from "./paths.ts";
import { permissionsFromFlags } from "./read-permission-flags.ts";

const CONFIG_NAMES = ["deno.json", "deno.jsonc"] as const;
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the permissions of a run: the flags together with the set that `-P` names.
 *
 * @throws {CliError} if a flag is invalid, or the set is missing or invalid
 */
export async function permissionsOfRun(options: Options, platform: Pick<Platform, "files" | "environment">): Promise<Permissions> {
  const flags = permissionsFromFlags(options, platform.environment);
  if (!options.has("permission-set")) return flags;
  const set = await readSet(options.value("permission-set") ?? "default", platform);
  return overlay(set, flags);
}

/** Merges flags into a set. As in Deno, a flag replaces the set's value for the same verb. */
function overlay(set: Permissions, flags: Permissions): Permissions {
  const merged: { [K in PermissionKind]?: PermissionValue } = { ...set };
  for (const kind of PERMISSION_KINDS) {
    const flag = flags[kind];
    if (flag !== undefined) merged[kind] = { ...toEntry(set[kind] ?? {}), ...toEntry(flag) };
  }
  return merged;
}

async function readSet(name: string, { files, environment }: Pick<Platform, "files" | "environment">): Promise<Permissions> {
  const file = await nearestConfig(files, environment.cwd);
  if (file === undefined) throw notFoundError(`Permission set "${name}" not found: no deno.json here or in a parent folder`);
  const text = withoutComments(new TextDecoder().decode(await files.readBytes(file, MAX_BYTES)));
  const parsed = parseJson(text, { maxBytes: MAX_BYTES, maxDepth: 64 });
  if (!parsed.ok) throw usageError(`Cannot read "${file}"`, parsed.problems.map(problemToText));
  const sets = setsOf(parsed.value.value);
  if (sets === undefined || !Object.hasOwn(sets, name)) {
    const there = sets === undefined ? [] : Object.keys(sets);
    throw notFoundError(`Unknown permission set "${name}" in "${file}"`, there.length === 0 ? [] : [`Choose from ${there.join(", ")}`]);
  }
  const checked = parsePermissions(sets[name], `/permissions/${name}`);
  if (!checked.ok) throw usageError(`Invalid permission set "${name}" in "${file}"`, checked.problems.map(problemToText));
  return absoluteFrom(checked.value, parentOf(file));
}

function setsOf(config: unknown): JsonObject | undefined {
  if (!isJsonObject(config)) return undefined;
  const sets = config["permissions"];
  return isJsonObject(sets) ? sets : undefined;
}

async function nearestConfig(files: Platform["files"], from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = parentOf(folder)) {
    for (const name of CONFIG_NAMES) {
      const file = folder === "/" ? `/${name}` : `${folder}/${name}`;
      if ((await files.stat(file))?.kind === "file") return file;
    }
    if (parentOf(folder) === folder) return undefined;
  }
}

/** Resolves the relative paths of a set against a folder. */
export function absoluteFrom(permissions: Permissions, folder: string): Permissions {
  const absolute: { [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const value = permissions[kind];
    if (value === undefined) continue;
    const { allow, deny, ignore, ...rest } = toEntry(value);
    const entry: PermissionEntry = {
      ...rest,
      ...(allow !== undefined && { allow: absoluteItems(kind, allow, folder) }),
      ...(deny !== undefined && { deny: absoluteItems(kind, deny, folder) }),
      ...(ignore !== undefined && { ignore: absoluteItems(kind, ignore, folder) }),
    };
    absolute[kind] = entry;
  }
  return absolute;
}

function absoluteItems(
  kind: PermissionKind,
  items: boolean | readonly PermissionItem[],
  folder: string,
): boolean | readonly PermissionItem[] {
  if (typeof items === "boolean") return items;
  return items.map((item) => {
    const isPath = typeof item === "string" && !item.startsWith("$") && (isPathKind(kind) || (kind === "run" && item.includes("/")));
    return isPath ? absolutePath(item, folder) : item;
  });
}
