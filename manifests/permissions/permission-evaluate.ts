/** Decides an access by layers: a denial is absolute, all layers must allow, the minimum counts (SPEC PA3, PA5). */

import { asksAll, isPathQuery } from "./permission-compile.ts";
import { canonicalTarget } from "./permission-net.ts";
import { foldName } from "../text/fold-name.ts";
import { isAbsolutePath, normalizePath, pathSegments } from "./permission-path.ts";
import { namesPath } from "./permission-run.ts";
import type { AccessQuery, AccessState, AccessVerdict, CompiledEntry, CompiledItem, LayerVerdict, PermissionLayer } from "./permissions.ts";

/**
 * Combines the verdicts of all layers for one access.
 *
 * A query whose path is not absolute, or whose path or host is malformed, is denied, and so is any query without layers.
 * `decidedBy` is the first layer with the lowest state.
 *
 * @example
 * ```ts
 * const permissions = compilePermissions({ read: { allow: ["$workspace"], deny: ["$workspace/.env"] } }, { base: "/p",
 * workspace: "/w" });
 * const layer = { name: "grant", permissions, unnamed: "none", otherwise: "prompt" } as const;
 * evaluateAccess([layer], { kind: "read", path: "/w/.env" }).state; // "denied"
 * ```
 */
export function evaluateAccess(layers: readonly PermissionLayer[], query: AccessQuery): AccessVerdict {
  const asked = canonicalQuery(query);
  if (asked === undefined) return deniedWithout("malformed query");
  const verdicts = layers.map((layer) => judge(layer, asked));
  const [first, ...rest] = verdicts;
  if (first === undefined) return deniedWithout("no layer");

  const decidedBy = rest.reduce((lowest, verdict) => (RANK[verdict.state] < RANK[lowest.state] ? verdict : lowest), first);
  const isPartial = decidedBy.state === "granted" && verdicts.some((verdict) => verdict.partial === true);
  return { state: decidedBy.state, ...(isPartial && { partial: true as const }), decidedBy, layers: verdicts };
}

/**
 * Removes each allowed item that covers one of the revoked queries; a query for the whole kind removes all items.
 *
 * As in Deno, an item is removed as a whole, and `true` can only be revoked as a whole.
 */
export function withoutRevoked(layers: readonly PermissionLayer[], revoked: readonly AccessQuery[]): readonly PermissionLayer[] {
  const queries = revoked.flatMap((query) => canonicalQuery(query) ?? []);
  return layers.map((layer) => {
    const entries = new Map(layer.permissions.entries);
    for (const query of queries) {
      const entry = entries.get(query.kind);
      if (entry !== undefined) entries.set(query.kind, { ...entry, allow: withoutItems(entry.allow, query) });
    }
    return { ...layer, permissions: { ...layer.permissions, entries } };
  });
}

function withoutItems(items: true | readonly CompiledItem[], query: AccessQuery): true | readonly CompiledItem[] {
  if (asksAll(query)) return [];
  return items === true ? true : items.filter((item) => !item.matches(query));
}

const RANK: Readonly<Record<AccessState, number>> = { denied: 0, prompt: 1, granted: 2 };

function deniedWithout(layer: string): AccessVerdict {
  const verdict: LayerVerdict = { layer, state: "denied" };
  return { state: "denied", decidedBy: verdict, layers: [verdict] };
}

function judge(layer: PermissionLayer, query: AccessQuery): LayerVerdict {
  const entry = layer.permissions.entries.get(query.kind);
  const state = layer.unnamed === "transparent" ? "granted" : layer.otherwise;
  if (entry === undefined) return { layer: layer.name, state };

  const denial = findRule(entry.deny, query);
  if (denial !== undefined) return { layer: layer.name, state: "denied", rule: denial };
  const ignored = findRule(entry.ignore ?? [], query);
  if (ignored !== undefined) return { layer: layer.name, state: "denied", rule: ignored, ignored: true };

  const rule = findRule(entry.allow, query);
  if (rule !== undefined) return { layer: layer.name, state: "granted", rule, ...partOf(entry, query) };
  // A policy layer that only denies has no effect on other accesses.
  if (entry.isDenyOnly === true && layer.unnamed === "transparent") return { layer: layer.name, state, ...partOf(entry, query) };
  return { layer: layer.name, state: layer.otherwise };
}

function findRule(items: true | readonly CompiledItem[], query: AccessQuery): string | undefined {
  if (items === true) return "true";
  // A list of items never covers the whole kind.
  return asksAll(query) ? undefined : items.find((item) => item.matches(query))?.written;
}

function partOf(entry: CompiledEntry, query: AccessQuery): { readonly partial?: true } {
  const items = [entry.deny, entry.ignore ?? []].filter((list) => list !== true).flat();
  return items.some((item) => item.within?.(query) ?? true) ? { partial: true } : {};
}

/** Returns the query with its path or host in the canonical form of items; undefined if it has none. */
function canonicalQuery(query: AccessQuery): AccessQuery | undefined {
  if (isPathQuery(query)) {
    if (query.path === undefined) return query;
    const path = isAbsolutePath(query.path) ? normalizePath(query.path, query.path) : undefined;
    if (path === undefined) return undefined;
    return { kind: query.kind, path, ...(query.anySpelling === true && { folded: pathSegments(path).map(foldName) }) };
  }
  if (query.kind === "run" && query.name !== undefined && namesPath(query.name)) {
    const name = isAbsolutePath(query.name) ? normalizePath(query.name, query.name) : undefined;
    return name === undefined ? undefined : { kind: query.kind, name };
  }
  if (query.kind !== "net" || query.host === undefined) return query;
  const host = canonicalTarget(query.host);
  if (host === undefined) return undefined;
  return { ...query, host, ...(query.method !== undefined && { method: query.method.toUpperCase() }) };
}
