/** Formats permission sets. */

import type { PermissionItem, PermissionKind, Permissions, PermissionValue } from "../../../manifests/mod.ts";
import { PERMISSION_KINDS } from "../../../manifests/mod.ts";
import { isList } from "../../policy/merge-permissions.ts";
import { pathFrom } from "./paths.ts";
import { printable } from "../../primitives/text.ts";

const EVERYTHING: Readonly<Record<PermissionKind, string>> = {
  read: "any file",
  write: "any file",
  net: "any host",
  env: "any variable",
  sys: "all system information",
  run: "any program",
  ffi: "any library",
  import: "any host",
  tools: "any tool",
  mcp: "any server",
};

const ACTS: Readonly<Record<PermissionKind, string>> = {
  read: "read files",
  write: "write files",
  net: "use the network",
  env: "read variables",
  sys: "read system information",
  run: "start programs",
  ffi: "load native libraries",
  import: "import from the web",
  tools: "call other tools",
  mcp: "use MCP servers",
};

/** Verb phrase before the items of a kind: `connect to api.example.org`. */
const VERBS: Readonly<Record<PermissionKind, string>> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "read variable",
  sys: "read system",
  run: "start",
  ffi: "load",
  import: "import from",
  tools: "call",
  mcp: "use server",
};
/** Verb phrase for a kind without items: `connect to any host`. */
const ANY: Readonly<Record<PermissionKind, string>> = {
  ...VERBS,
  env: "read",
  sys: "read",
  mcp: "use",
};

/** Returns, for example, `read docs, write notes (never notes/private)`, with paths relative to `cwd`; `nothing` for an empty set. */
export function permissionText(permissions: Permissions, cwd: string): string {
  const parts = PERMISSION_KINDS.flatMap((kind) => kindText(kind, permissions[kind], cwd));
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** Describes the kinds in a set: `read files and start programs`. */
export function kindsText(permissions: Permissions): string {
  const kinds = kindsIn(permissions).map((kind) => ACTS[kind]);
  return kinds.length <= 1 ? (kinds[0] ?? "nothing") : `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1) ?? ""}`;
}

/** Names the kinds in a set in short: `read/write, net`. */
export function kindNames(permissions: Permissions): string {
  return kindsIn(permissions).join(", ").replace("read, write", "read/write");
}

function kindsIn(permissions: Permissions): readonly PermissionKind[] {
  return PERMISSION_KINDS.filter((kind) => permissions[kind] !== undefined && permissions[kind] !== false);
}

/** Returns the manifest's reasons for its permissions, by kind. */
export function reasonsOf(permissions: Permissions): readonly (readonly [PermissionKind, string])[] {
  return PERMISSION_KINDS.flatMap((kind) => {
    const value = permissions[kind];
    if (typeof value !== "object" || isList(value) || value.reason === undefined) return [];
    return [[kind, printable(value.reason)] as const];
  });
}

function kindText(kind: PermissionKind, value: PermissionValue | undefined, cwd: string): readonly string[] {
  if (value === undefined || value === false) return [];
  const { allow, deny } = typeof value === "boolean" || isList(value) ? { allow: value, deny: undefined } : value;
  const allowed = itemsText(kind, allow, cwd);
  const denied = itemsText(kind, deny, cwd);
  if (allowed === undefined) return denied === undefined ? [] : [`never ${verbOf(kind, deny)} ${denied}`];
  return [`${verbOf(kind, allow)} ${allowed}${denied === undefined ? "" : ` (never ${denied})`}`];
}

function verbOf(kind: PermissionKind, items: boolean | readonly PermissionItem[] | undefined): string {
  return (items === true ? ANY : VERBS)[kind];
}

function itemsText(kind: PermissionKind, items: boolean | readonly PermissionItem[] | undefined, cwd: string): string | undefined {
  if (items === undefined || items === false) return undefined;
  if (items === true) return EVERYTHING[kind];
  const texts = items.map((item) => itemText(item, cwd));
  return texts.length <= 1 ? texts[0] : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1) ?? ""}`;
}

function itemText(item: PermissionItem, cwd: string): string {
  if (item === "$data") return "$data (its own data)";
  if (typeof item === "string") return printable(item.startsWith("/") ? pathFrom(cwd, item) : item);
  if ("host" in item) return printable([...(item.methods ?? []), item.host, ...(item.paths ?? [])].join(" "));
  return printable(`${item.name} (secret, for ${item.hosts.join(" ")})`);
}
