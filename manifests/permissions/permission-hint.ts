/** Finds the smallest grant for an access, for hints in errors (SPEC X3). */

import { isPathQuery } from "./permission-compile.ts";
import { checkItem } from "./permission-parse.ts";
import { pathSegments, startsWith } from "./permission-path.ts";
import type { AccessQuery, PathKind, PermissionBases, Permissions } from "./permissions.ts";

/** The same grant as JSON and as a flag. */
export interface SmallestGrant {
  readonly permissions: Permissions;
  /** Ready to paste into a POSIX shell: `--allow-read='$workspace/a.txt'`. */
  readonly flag: string;
}

/**
 * Returns the narrowest permission set that covers `query`, in the shortest form: below `$workspace`, `$plugin`, `$data`, `$tmp`
 * or `$home` if the path lies there.
 *
 * For a path that no item can name (it contains `*`, `[` and the like) the nearest folder that one can name is returned.
 */
export function smallestGrant(query: AccessQuery, bases: PermissionBases): SmallestGrant {
  const item = itemFor(query, bases);
  if (item === undefined) return { permissions: { [query.kind]: true }, flag: `--allow-${query.kind}` };
  return { permissions: { [query.kind]: [item] }, flag: `--allow-${query.kind}=${quote(item.replaceAll(",", ",,"))}` };
}

/** Splits a flag's value into items: separated by commas, a literal comma doubled, as in Deno. */
export function splitFlagItems(value: string): readonly string[] {
  return value
    .replaceAll(",,", "\0")
    .split(",")
    .map((item) => item.replaceAll("\0", ","))
    .filter((item) => item !== "");
}

function itemFor(query: AccessQuery, bases: PermissionBases): string | undefined {
  if (isPathQuery(query)) return query.path === undefined ? undefined : pathItem(query.kind, query.path, bases);
  if (query.kind !== "net") return query.name;
  if (query.host === undefined) return undefined;
  const host = query.host.includes(":") && !query.host.startsWith("[") ? `[${query.host}]` : query.host;
  return query.port === undefined ? host : `${host}:${query.port}`;
}

function pathItem(kind: PathKind, path: string, bases: PermissionBases): string {
  const segments = [...pathSegments(path)];
  for (;;) {
    const item = shortest(segments, path, bases);
    if (segments.length === 0 || (checkItem(kind, item) === undefined && !/[*?]/.test(item))) return item;
    segments.pop();
  }
}

function shortest(segments: readonly string[], path: string, bases: PermissionBases): string {
  const absolute = `${path.startsWith("/") ? "/" : ""}${segments.join("/")}`;
  const forms = (["workspace", "plugin", "data", "tmp", "home"] as const).flatMap((token) => {
    const base = bases[token];
    const folder = base === undefined ? [] : pathSegments(base);
    // A token for the root folder would hide how much it grants.
    if (folder.length === 0 || !startsWith(segments, folder)) return [];
    return [{ depth: folder.length, text: [`$${token}`, ...segments.slice(folder.length)].join("/") }];
  });
  return forms.toSorted((a, b) => b.depth - a.depth)[0]?.text ?? absolute;
}

function quote(value: string): string {
  return /^[A-Za-z0-9_./:=,@+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
