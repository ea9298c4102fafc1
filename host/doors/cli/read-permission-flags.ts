/** Reads flags such as `--allow-read=docs --deny-net` as a permission set (SPEC PA2, C3). */

import { parsePermissions, type PermissionKind, type Permissions, type PermissionValue, problemToText } from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import { type Options, parseArguments } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import { absolutePath } from "./paths.ts";
import { FLAG_KINDS, flagsOf, isPath, PERMISSION_OPTIONS } from "./permission-flags.ts";

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

/** Returns what a grant with those flags gives: the same permissions without kinds that have no flag, and without reasons. */
export function grantedByFlags(permissions: Permissions, place: FlagPlace & { readonly workspace: string }): Permissions {
  const parsed = parseArguments(flagsOf(permissions, place), PERMISSION_OPTIONS);
  return parsed.ok ? permissionsFromFlags(parsed.options, place) : {};
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
