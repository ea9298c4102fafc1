/**
 * Files that no grant opens: the host's own state and, for plugins, the plugins' sources.
 *
 * A tool that could write `.bascule/grants.json` could grant itself everything.
 */

import {
  type AccessQuery,
  type CompiledItem,
  type CompiledPermissions,
  foldPath,
  isAtOrBelow,
  type PermissionLayer,
  type Permissions,
} from "../../manifests/mod.ts";

/** Layer name of `policy.protected` in `why` and in refusals. */
export const PROTECTED_NAMES = "protected names";

/** A path that is denied with everything below it. Absolute, "/"-separated, normalised. */
interface ProtectedPath {
  readonly access: "read" | "write";
  readonly path: string;
  /** A folder below the path that is not denied. */
  readonly except?: string;
}

/** Paths denied for one reason. */
export interface Protection {
  /** The layer's name in `why` and in refusals. */
  readonly name: string;
  /** Built-in tools and those of the embedding program are exempt. */
  readonly pluginsOnly: boolean;
  readonly paths: readonly ProtectedPath[];
  /** Folders that change at run time, read at every act: nothing at or below them may be written. Absolute real paths. */
  readonly folders?: readonly (() => readonly string[])[];
}

/**
 * Builds the items directly instead of from patterns, because a folder's name may contain pattern characters. Every spelling is denied on
 * every file system: `BASCULE.JSON` may be the same file, even before a file exists whose real name could be read.
 */
export function toProtectionLayer({ name, paths, folders = [] }: Protection): PermissionLayer {
  const kinds = (["read", "write"] as const).filter(
    (access) => paths.some((path) => path.access === access) || (access === "write" && folders.length > 0),
  );
  const entries = new Map(
    kinds.map((access) => {
      const fixed = paths.filter((path) => path.access === access).map(toItem);
      const items = access === "write" ? [...fixed, ...folders.map((now) => toFoldersItem(name, now))] : fixed;
      return [access, { allow: [], deny: items, isDenyOnly: true }] as const;
    }),
  );
  const source: Permissions = Object.fromEntries(
    kinds.map((access) => [access, { deny: paths.filter((path) => path.access === access).map(({ path }) => path) }]),
  );
  const permissions: CompiledPermissions = { source, bases: { base: "/" }, entries };
  return { name, permissions, unnamed: "transparent", otherwise: "denied" };
}

function toItem({ path, except }: ProtectedPath): CompiledItem {
  const place = foldPath(path);
  return {
    written: path,
    matches: (query) =>
      onPath(query, (asked) => isAtOrBelow(foldPath(asked), place) && (except === undefined || !isAtOrBelow(asked, except))),
    within: (query) => onPath(query, (asked) => isAtOrBelow(place, foldPath(asked))),
  };
}

function toFoldersItem(written: string, folders: () => readonly string[]): CompiledItem {
  return {
    written,
    matches: (query) => onPath(query, (asked) => folders().some((folder) => isAtOrBelow(foldPath(asked), foldPath(folder)))),
    within: (query) => onPath(query, (asked) => folders().some((folder) => isAtOrBelow(foldPath(folder), foldPath(asked)))),
  };
}

/** A query without a path asks for the whole kind, which contains every path. */
function onPath(query: AccessQuery, test: (path: string) => boolean): boolean {
  return (query.kind === "read" || query.kind === "write") && test(query.path ?? "/");
}
