/** Converts flags such as `--allow-read=docs --deny-net` to a permission set, and back (SPEC PA2, C3). */

import { movedPath, type PermissionItem, type PermissionKind, type Permissions, type PermissionValue } from "../../../manifests/mod.ts";
import { parsePermissions, problemToText } from "../../../manifests/mod.ts";
import { isList } from "../../policy/merge-permissions.ts";
import { defined } from "../../primitives/defined.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import { absolutePath, pathFrom, shellWord } from "./paths.ts";

/** Kinds for sandboxed plugins first, then kinds that only trusted plugins use. */
const FLAG_KINDS: readonly FlagKind[] = ["read", "write", "net", "env", "tools", "run", "sys", "ffi"];
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

/** Folders that relative paths and `~` in flags refer to. */
interface FlagPlace {
  readonly cwd: string;
  readonly home: string;
}

/**
 * Returns the permission set of the flags; an empty object if there are none.
 *
 * Relative paths are resolved against the working directory. `$workspace` and the other tokens stay.
 *
 * @throws {CliError} with all problems if an item is invalid
 */
export function permissionsFromFlags(options: Options, place: FlagPlace): Permissions {
  const written: Record<string, PermissionValue> = {};
  for (const kind of FLAG_KINDS) {
    const allow = itemsFrom(options.all(`allow-${kind}`), kind, place);
    const deny = itemsFrom(options.all(`deny-${kind}`), kind, place);
    const ignore = itemsFrom(options.all(`ignore-${kind}`), kind, place);
    if (deny !== undefined || ignore !== undefined)
      written[kind] = {
        ...defined({ allow, deny, ignore }),
      };
    else if (allow !== undefined) written[kind] = allow;
  }
  const parsed = parsePermissions(written);
  if (!parsed.ok) throw usageError("Invalid permission flags", parsed.problems.map(problemToText));
  return parsed.value;
}

/** Returns the flags that grant `permissions`, quoted for a shell, with paths relative to `cwd`. */
export function flagsFromPermissions(permissions: Permissions, place: { readonly cwd: string; readonly workspace: string }): string {
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
      flags.push(
        items === true
          ? `--${verb}-${kind}`
          : shellWord(`--${verb}-${kind}=${items.map((item) => writeItem(item, kind, place)).join(",")}`),
      );
    }
  }
  return flags.join(" ");
}

function itemsFrom(values: readonly (string | true)[], kind: PermissionKind, place: FlagPlace): true | readonly string[] | undefined {
  if (values.length === 0) return undefined;
  if (values.includes(true)) return true;
  const items = values.flatMap((value) => (typeof value === "string" ? splitItems(value) : []));
  if (kind === "net") return items.flatMap(expandPort);
  return items.map((item) => (isPath(item, kind) ? resolveItem(item, place) : item));
}

/** Expands a port as Deno does: `:8080` is that port on this machine. */
function expandPort(item: string): readonly string[] {
  return /^:\d+$/u.test(item) ? ["0.0.0.0", "127.0.0.1", "localhost"].map((host) => host + item) : [item];
}

/** Splits items as Deno does: at commas; a doubled comma is a literal one. */
function splitItems(value: string): readonly string[] {
  return value
    .replaceAll(",,", "\0")
    .split(",")
    .map((item) => item.replaceAll("\0", ","))
    .filter((item) => item !== "");
}

function resolveItem(item: string, place: FlagPlace): string {
  if (item.startsWith("$")) return item;
  if (item === "~" || item.startsWith("~/")) return absolutePath(`.${item.slice(1)}`, place.home);
  return absolutePath(item, place.cwd);
}

function writeItem(item: PermissionItem, kind: PermissionKind, place: { readonly cwd: string; readonly workspace: string }): string {
  const text = typeof item === "string" ? item : "host" in item ? item.host : item.name;
  if (!isPath(text, kind)) return text;
  const path = movedPath(text, "$workspace", place.workspace) ?? text;
  return (path.startsWith("/") ? relativeItem(place.cwd, path) : path).replaceAll(",", ",,");
}

/** Returns true if the item is a path. A program without a slash is a name that is looked up in PATH. */
function isPath(item: string, kind: PermissionKind): boolean {
  return kind === "run" ? item.includes("/") : kind === "read" || kind === "write" || kind === "ffi";
}

/** Returns a path relative to `cwd`, protected from the flag's syntax: a file can be named "~" or "$home". */
function relativeItem(cwd: string, path: string): string {
  const item = pathFrom(cwd, path);
  // Keep paths outside of cwd absolute: "../.." typed in another folder would grant much more.
  if (/^\.\.(?:\/|$)/u.test(item)) return path;
  return /^[~$]/u.test(item) ? `./${item}` : item;
}
