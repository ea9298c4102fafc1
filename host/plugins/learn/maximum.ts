/** What learning may propose at most: a permission set as a person gave it, or as the manifest asks (SPEC P9). */

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

/** Asked before anything is proposed. */
export interface Maximum {
  readonly permissions: Permissions;
  readonly bases: PermissionBases;
  /** Whether the act itself is allowed by it. */
  allows(query: AccessQuery): boolean;
  /** Whether everything that the item stands for is. */
  covers(kind: LearnedKind, item: PermissionItem): boolean;
  /** Its own items of a kind: what to fall back to where nothing narrower can be written. */
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
    // A denial below what is used would be lost: sets are proposed without denials.
    return state === "granted" && partial !== true && allowsAddress(query);
  }

  /** A name in an item is one thing, the machine itself another: "everything" covers no private address (SPEC PA4). */
  function allowsAddress(query: AccessQuery): boolean {
    if (query.kind !== "net" || query.host === undefined) return true;
    const host = canonicalHost(query.host);
    const parsed = host === undefined ? undefined : parseIp(host);
    const address = parsed !== undefined ? ipToText(parsed) : host === "localhost" ? "127.0.0.1" : undefined;
    return address === undefined || evaluateAddress([layer], query, address).state === "granted";
  }

  /** Compiled once: a record may hold thousands of acts. Not where something is denied, since that would be lost. */
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

/** The act as a question to permissions; undefined where its value makes none. */
export function queryOf({ kind, value, method }: Pick<Act, "kind" | "value" | "method">): AccessQuery | undefined {
  if (value === "") return undefined;
  if (kind === "read" || kind === "write") return value.startsWith("/") ? { kind, path: value } : undefined;
  if (kind !== "net") return { kind, name: value };
  const [, host, port] = /^(.*):([0-9]+)$/s.exec(value) ?? [];
  return { kind, host: host ?? value, ...(port !== undefined && { port: Number(port) }), ...(method !== undefined && { method }) };
}

/** Whether an item, compiled once, allows acts. What is not recorded of a request, its path, is not asked about. */
export function allowing(kind: LearnedKind, item: PermissionItem, bases: PermissionBases): (query: AccessQuery) => boolean {
  const layer = toLayer({ [kind]: [withoutPaths(item)] }, bases);
  return (query) => evaluateAccess([layer], query).state === "granted";
}

/** As a person's own grant: what is in it is granted, what is not could be. */
export function toLayer(permissions: Permissions, bases: PermissionBases): PermissionLayer {
  return { name: "learn maximum", permissions: compilePermissions(permissions, bases), unnamed: "none", otherwise: "prompt" };
}

function withoutPaths(item: PermissionItem): PermissionItem {
  if (typeof item === "string" || !("host" in item)) return item;
  const { paths: _paths, ...rest } = item;
  return rest;
}
