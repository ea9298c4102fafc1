/** Flags such as `--allow-read=docs --deny-net`: their options, and the flags that stand for a permission set (SPEC PA2, C3). */

import { movedPath, type PermissionItem, type PermissionKind, type Permissions } from "../../../manifests/mod.ts";
import { isList } from "../../policy/merge-permissions.ts";
import type { OptionSpec } from "./arguments.ts";
import { pathFrom, shellWord } from "./paths.ts";

/** Kinds for sandboxed plugins first, then kinds that only trusted plugins use. */
export const FLAG_KINDS: readonly FlagKind[] = ["read", "write", "net", "env", "tools", "run", "sys", "ffi"];
/** Kinds of permission that have a flag. */
type FlagKind = Exclude<PermissionKind, "import" | "mcp">;

const WHAT: Readonly<Record<FlagKind, readonly [string, string]>> = {
  read: ["path,…", "reading these files and folders"],
  write: ["path,…", "writing these files and folders"],
  net: ["host,…", "connecting to these hosts (host or host:port)"],
  env: ["name,…", "reading these environment variables"],
  tools: ["name,…", "calling these tools"],
  run: ["program,…", "starting these programs (trusted plugins)"],
  sys: ["name,…", "reading this system information (trusted plugins)"],
  ffi: ["path,…", "loading these native libraries (trusted plugins)"],
};

/** Short options, as in Deno. */
const LETTERS: Readonly<Partial<Record<FlagKind, string>>> = { read: "R", write: "W", net: "N", env: "E", sys: "S" };

/** Kinds whose items can be hidden with `--ignore-*`, as in Deno. */
const IGNORABLE = ["read", "env"] as const;

/** The options `--allow-*`, `--deny-*` and `--ignore-*`. Without a value, each one covers its whole kind. */
export const PERMISSION_OPTIONS: readonly OptionSpec[] = [
  ...FLAG_KINDS.map((kind): OptionSpec => ({
    name: `allow-${kind}`,
    ...(LETTERS[kind] !== undefined && { short: LETTERS[kind] }),
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Allow ${WHAT[kind][1]}`,
  })),
  ...FLAG_KINDS.map((kind): OptionSpec => ({
    name: `deny-${kind}`,
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Deny ${WHAT[kind][1]}`,
  })),
  ...IGNORABLE.map((kind): OptionSpec => ({
    name: `ignore-${kind}`,
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Deny ${WHAT[kind][1]}, and pretend that they do not exist`,
  })),
];

/** Options that grant permissions for one run: Deno's flags and permission sets. */
export const RUN_OPTIONS: readonly OptionSpec[] = [
  ...PERMISSION_OPTIONS,
  {
    name: "permission-set",
    short: "P",
    value: "name",
    optionalValue: true,
    about: 'Grant a permission set of the nearest deno.json (default: "default"); permission flags override its parts',
  },
];

/** Returns the flags that grant `permissions`, quoted for a shell, with paths relative to `cwd`. */
export function flagsFromPermissions(permissions: Permissions, place: { readonly cwd: string; readonly workspace: string }): string {
  return flagsOf(permissions, place).map(shellWord).join(" ");
}

/** Returns the flags, not quoted. */
export function flagsOf(permissions: Permissions, place: { readonly cwd: string; readonly workspace: string }): readonly string[] {
  const flags: string[] = [];
  for (const kind of FLAG_KINDS) {
    const value = permissions[kind];
    if (value === undefined) continue;
    const { allow, deny } = typeof value === "boolean" || isList(value) ? { allow: value, deny: undefined } : value;
    for (const [verb, items] of [
      ["allow", allow],
      ["deny", deny],
    ] as const) {
      if (items === undefined || items === false || (typeof items === "object" && items.length === 0)) continue;
      flags.push(items === true ? `--${verb}-${kind}` : `--${verb}-${kind}=${items.map((item) => writeItem(item, kind, place)).join(",")}`);
    }
  }
  return flags;
}

function writeItem(item: PermissionItem, kind: PermissionKind, place: { readonly cwd: string; readonly workspace: string }): string {
  const text = typeof item === "string" ? item : "host" in item ? item.host : item.name;
  if (!isPath(text, kind)) return text;
  const path = movedPath(text, "$workspace", place.workspace) ?? text;
  return (path.startsWith("/") ? relativeItem(place.cwd, path) : path).replaceAll(",", ",,");
}

/** Returns true if the item is a path. A program without a slash is a name that is looked up in PATH. */
export function isPath(item: string, kind: PermissionKind): boolean {
  return kind === "run" ? item.includes("/") : kind === "read" || kind === "write" || kind === "ffi";
}

/** Returns a path relative to `cwd`, protected from the flag's syntax: a file can be named "~" or "$home". */
function relativeItem(cwd: string, path: string): string {
  const item = pathFrom(cwd, path);
  // Keep paths outside of cwd absolute: "../.." typed in another folder would grant much more.
  if (/^\.\.(?:\/|$)/u.test(item)) return path;
  return /^[~$]/u.test(item) ? `./${item}` : item;
}
