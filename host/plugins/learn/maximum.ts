/** The upper bound of what learning may propose: a set from the user, or the manifest's requests (SPEC P9). */

import {
  type AccessQuery,
  canonicalHost,
  compilePermissions,
  coversPermissions,
  evaluateAccess,
  evaluateAddress,
  ipToText,
  parseIp,
  type PermissionBases,
  type PermissionItem,
  type PermissionLayer,
  type Permissions,
  toEntry,
} from "../../../manifests/mod.ts";
import type { Act, LearnedKind } from "../../audit/acts.ts";

/** Queried before anything is proposed. */
export interface Maximum {
  readonly permissions: Permissions;
  readonly bases: PermissionBases;
  /** Returns true if it allows the act itself. */
  allows(query: AccessQuery): boolean;
  /** Returns true if it allows everything that the item matches. */
  covers(kind: LearnedKind, item: PermissionItem): boolean;
  /** Returns its own items of a kind, which are used if no narrower item can be written. */
  ownItems(kind: LearnedKind): readonly OwnItem[];
}

/** One item of the maximum. */
export interface OwnItem {
  readonly item: PermissionItem;
  allows(query: AccessQuery): boolean;
}

export function createMaximum(permissions: Permissions, bases: PermissionBases): Maximum {
  const layer = toLayer(permissions, bases);
  const known = new Map<LearnedKind, readonly OwnItem[]>();

  function allows(query: AccessQuery): boolean {
    const { state, partial } = evaluateAccess([layer], query);
    // Refuses folders with a denial inside: proposed sets have no denials, so it would be lost.
    return state === "granted" && partial !== true && allowsAddress(query);
  }

  /** A name and its address are checked separately: "everything" does not include private addresses (SPEC PA4). */
  function allowsAddress(query: AccessQuery): boolean {
    if (query.kind !== "net" || query.host === undefined) return true;
    const host = canonicalHost(query.host);
    const parsed = host === undefined ? undefined : parseIp(host);
    const address = parsed !== undefined ? ipToText(parsed) : host === "localhost" ? "127.0.0.1" : undefined;
    return address === undefined || evaluateAddress([layer], query, address).state === "granted";
  }

  /** Compiled once, because a journal may hold thousands of acts. Empty if the kind has denials, which would be lost. */
  function readOwn(kind: LearnedKind): readonly OwnItem[] {
    const { allow = false, deny = [] } = toEntry(permissions[kind] ?? false);
    if (typeof allow === "boolean" || typeof deny === "boolean" || deny.length > 0) return [];
    return allow.map((item) => {
      const own = toLayer({ [kind]: [withoutPaths(item)] }, bases);
      return { item, allows: (query) => evaluateAccess([own], query).state === "granted" && allowsAddress(query) };
    });
  }

  return {
    permissions,
    bases,
    allows,
    covers: (kind, item) => coversPermissions(permissions, { [kind]: [item] }, bases).length === 0,
    ownItems(kind) {
      const items = known.get(kind) ?? readOwn(kind);
      known.set(kind, items);
      return items;
    },
  };
}

/** Converts the act to a query; undefined if its value is not valid. */
export function queryOf({ kind, value, method }: Pick<Act, "kind" | "value" | "method">): AccessQuery | undefined {
  if (value === "") return undefined;
  if (kind === "read" || kind === "write") return value.startsWith("/") ? { kind, path: value } : undefined;
  if (kind !== "net") return { kind, name: value };
  const [, host, port] = /^(.*):([0-9]+)$/s.exec(value) ?? [];
  return { kind, host: host ?? value, ...(port !== undefined && { port: Number(port) }), ...(method !== undefined && { method }) };
}

/** Compiles an item once to test many acts. Ignores a request's path, which is not recorded. */
export function allowing(kind: LearnedKind, item: PermissionItem, bases: PermissionBases): (query: AccessQuery) => boolean {
  const layer = toLayer({ [kind]: [withoutPaths(item)] }, bases);
  return (query) => evaluateAccess([layer], query).state === "granted";
}

/** Creates a layer like a user grant: items are granted, all else could be. */
export function toLayer(permissions: Permissions, bases: PermissionBases): PermissionLayer {
  return { name: "learn maximum", permissions: compilePermissions(permissions, bases), unnamed: "none", otherwise: "prompt" };
}

function withoutPaths(item: PermissionItem): PermissionItem {
  if (typeof item === "string" || !("host" in item)) return item;
  const { paths: _paths, ...rest } = item;
  return rest;
}
