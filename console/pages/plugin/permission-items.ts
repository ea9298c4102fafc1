/** A plugin's permissions as items, one a line: requested, granted and used. */

import type { Json, JsonObject, Plugin, Used } from "../../data/types.ts";

/** An item such as `read $workspace`. The texts are the plugin's. */
export interface PermissionLine {
  readonly kind: string;
  readonly text: string;
  /** As written, for a grant or a revocation. */
  readonly item: Json;
  readonly requested: boolean;
  readonly granted: boolean;
  /** Whether an act in the journal needed it; undefined while the journal is read. */
  readonly isUsed: boolean | undefined;
  /** A denial in the manifest or a grant. */
  readonly isDenial: boolean;
}

/** Merges requests and grants. Items that are written differently are separate lines. */
export function linesOf({ requested, granted }: Pick<Plugin, "requested" | "granted">, used: Used | undefined): readonly PermissionLine[] {
  const lines = new Map<string, PermissionLine>();
  const unused = new Set([...(used?.unused.manifest ?? []), ...(used?.unused.grants ?? [])].map(({ kind, item }) => keyOf(kind, item)));
  const add = (kind: string, item: Json, isDenial: boolean, side: "requested" | "granted"): void => {
    const isUsed = used === undefined ? undefined : !unused.has(keyOf(kind, item));
    const none = { kind, text: itemText(item), item, isDenial, requested: false, granted: false, isUsed };
    const key = `${keyOf(kind, item)} ${String(isDenial)}`;
    lines.set(key, { ...none, ...lines.get(key), [side]: true });
  };
  for (const [kind, item, isDenial] of itemsIn(requested)) add(kind, item, isDenial, "requested");
  for (const [kind, item, isDenial] of itemsIn(granted)) add(kind, item, isDenial, "granted");
  return [...lines.values()].toSorted((one, other) => one.kind.localeCompare(other.kind) || one.text.localeCompare(other.text));
}

function keyOf(kind: string, item: Json): string {
  return JSON.stringify([kind, item]);
}

/** Returns texts such as `read $workspace` and `net example.com`. */
export function permissionTexts(permissions: JsonObject): readonly string[] {
  return [...itemsIn(permissions)].map(([kind, item, isDenial]) => `${isDenial ? "not " : ""}${kind} ${itemText(item)}`);
}

function* itemsIn(permissions: JsonObject): Generator<readonly [kind: string, item: Json, isDenial: boolean]> {
  for (const [kind, value] of Object.entries(permissions)) {
    const { allow = value, deny = false } = isObject(value) ? value : { allow: value };
    for (const item of listOf(allow)) yield [kind, item, false];
    for (const item of listOf(deny)) yield [kind, item, true];
  }
}

/** The items of a value, which is a boolean or a list. */
function listOf(value: Json): readonly Json[] {
  if (value === true) return [true];
  // A JSON value that is a list.
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function itemText(item: Json): string {
  return item === true ? "everything" : typeof item === "string" ? item : JSON.stringify(item);
}
