/** `--allow-read=docs --deny-net` as a permission set, and back (SPEC PA2, C3). */

import type { PermissionItem, PermissionKind, Permissions, PermissionValue } from "../../../manifests/mod.ts";
import { parsePermissions, problemToText } from "../../../manifests/mod.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import { absolutePath, pathFrom, shellWord } from "./paths.ts";

/** What a sandboxed plugin can hold, then what only trusted ones use. */
const FLAG_KINDS: readonly FlagKind[] = ["read", "write", "net", "env", "tools", "run", "sys", "ffi"];
/** Kinds of access that have a flag. */
export type FlagKind = Exclude<PermissionKind, "import" | "mcp">;

const WHAT: Readonly<Record<FlagKind, readonly [string, string]>> = {
  read: ["path,…", "read these files and folders"],
  write: ["path,…", "write these files and folders"],
  net: ["host,…", "connect to these hosts (host or host:port)"],
  env: ["name,…", "read these environment variables"],
  tools: ["name,…", "call these tools"],
  run: ["program,…", "start these programs (trusted plugins)"],
  sys: ["name,…", "ask about the system (trusted plugins)"],
  ffi: ["path,…", "load these native libraries (trusted plugins)"],
};

/** Deno's letters. */
const LETTERS: Readonly<Partial<Record<FlagKind, string>>> = { read: "R", write: "W", net: "N", env: "E", sys: "S" };

/** Kinds whose items can be there for nobody to see, as in Deno. */
const IGNORABLE = ["read", "env"] as const;

/** `--allow-*`, `--deny-*` and `--ignore-*`, for commands that take permissions. Without a value each means everything of its kind. */
export const PERMISSION_OPTIONS: readonly OptionSpec[] = [
  ...FLAG_KINDS.map((kind): OptionSpec => ({
    name: `allow-${kind}`,
    ...(LETTERS[kind] !== undefined && { short: LETTERS[kind] }),
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Allow to ${WHAT[kind][1]}`,
  })),
  ...FLAG_KINDS.map((kind): OptionSpec => ({
    name: `deny-${kind}`,
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Never ${WHAT[kind][1]}`,
  })),
  ...IGNORABLE.map((kind): OptionSpec => ({
    name: `ignore-${kind}`,
    value: WHAT[kind][0],
    optionalValue: true,
    about: `Never ${WHAT[kind][1]}, and say that they do not exist`,
  })),
];

/** Where the flags were typed. */
export interface FlagPlace {
  readonly cwd: string;
  readonly home: string;
}

/**
 * The permission set that the flags describe; an empty object if there are none.
 *
 * Relative paths are taken from the working directory and made absolute; `$workspace` and the other tokens stay.
 *
 * @throws {CliError} if an item is wrong, with every problem.
 */
export function permissionsFromFlags(options: Options, place: FlagPlace): Permissions {
  const written: Record<string, PermissionValue> = {};
  for (const kind of FLAG_KINDS) {
    const allow = itemsFrom(options.all(`allow-${kind}`), kind, place);
    const deny = itemsFrom(options.all(`deny-${kind}`), kind, place);
    const ignore = itemsFrom(options.all(`ignore-${kind}`), kind, place);
    if (deny !== undefined || ignore !== undefined)
      written[kind] = {
        ...(allow !== undefined && { allow }),
        ...(deny !== undefined && { deny }),
        ...(ignore !== undefined && { ignore }),
      };
    else if (allow !== undefined) written[kind] = allow;
  }
  const parsed = parsePermissions(written);
  if (!parsed.ok) throw usageError("The permission flags are wrong", parsed.problems.map(problemToText));
  return parsed.value;
}

/** The flags that would grant `permissions`, as a shell takes them; for someone in `cwd`. */
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

/** As in Deno: `:8080` is that port of this machine. */
function expandPort(item: string): readonly string[] {
  return /^:\d+$/u.test(item) ? ["0.0.0.0", "127.0.0.1", "localhost"].map((host) => host + item) : [item];
}

/** As in Deno: items are separated by a comma, a doubled comma is one. */
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
  const path = text === "$workspace" || text.startsWith("$workspace/") ? `${place.workspace}${text.slice("$workspace".length)}` : text;
  return (path.startsWith("/") ? relativeItem(place.cwd, path) : path).replaceAll(",", ",,");
}

/** A program without a slash is a name, wherever it lies. */
function isPath(item: string, kind: PermissionKind): boolean {
  return kind === "run" ? item.includes("/") : kind === "read" || kind === "write" || kind === "ffi";
}

/** A file may be called "~" or "$home", which the flag would read as something else. */
function relativeItem(cwd: string, path: string): string {
  const item = pathFrom(cwd, path);
  // Typed in another folder, or read in a hurry, "../.." is much more than was meant.
  if (/^\.\.(?:\/|$)/u.test(item)) return path;
  return /^[~$]/u.test(item) ? `./${item}` : item;
}

function isList(value: PermissionValue): value is readonly PermissionItem[] {
  return Array.isArray(value);
}
