/** Unions and intersections of compiled permission sets whose items may be relative to different folders. */

import {
  type CompiledPermissions,
  type PermissionBases,
  type PermissionKind,
  PERMISSION_KINDS,
  type Permissions,
  type PermissionValue,
  type SecretBinding,
} from "../../manifests/mod.ts";

type Entry = CompiledPermissions["entries"] extends ReadonlyMap<PermissionKind, infer E> ? E : never;
type Items = Entry["allow"];

/** Allows what any of the sets allows; denies what any of them denies. */
export function uniteCompiled(sets: readonly CompiledPermissions[], bases: PermissionBases): CompiledPermissions {
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  return combine(sets, bases, uniteItems);
}

/** Allows what both sets allow; denies what either denies. */
export function intersectCompiled(left: CompiledPermissions, right: CompiledPermissions): CompiledPermissions {
  return combine([withEveryKind(left), withEveryKind(right)], left.bases, intersectItems);
}

/** In an intersection, a kind that a set does not name allows nothing. */
function withEveryKind(set: CompiledPermissions): CompiledPermissions {
  return { ...set, entries: new Map(PERMISSION_KINDS.map((kind) => [kind, set.entries.get(kind) ?? { allow: [], deny: [] }])) };
}

function combine(
  sets: readonly CompiledPermissions[],
  bases: PermissionBases,
  combineAllowed: (left: Items, right: Items) => Items,
): CompiledPermissions {
  const entries = new Map<PermissionKind, Entry>();
  const source: { -readonly [K in PermissionKind]?: PermissionValue } = {};
  for (const kind of PERMISSION_KINDS) {
    const [first, ...rest] = sets.flatMap(({ entries: own }) => own.get(kind) ?? []);
    if (first === undefined) continue;
    const entry = rest.reduce((left, right) => combineEntries(left, right, combineAllowed), first);
    entries.set(kind, entry);
    source[kind] = toWritten(entry);
  }
  const written: Permissions = source;
  return { source: written, bases, entries };
}

function combineEntries(left: Entry, right: Entry, combineAllowed: (left: Items, right: Items) => Items): Entry {
  const ignore = uniteItems(left.ignore ?? [], right.ignore ?? []);
  const denyOnly = left.isDenyOnly === true && right.isDenyOnly === true;
  const allow = combineAllowed(left.allow, right.allow);
  const listed = allow === true ? combineAllowed(listedIn(left), listedIn(right)) : [];
  // An item that either set marks as a secret stays a secret, even if the kind allows everything.
  const secrets = allow === true ? [left, right].flatMap((entry) => listedIn(entry).filter(({ secret }) => secret !== undefined)) : [];
  return {
    allow,
    ...(listed !== true && listed.length + secrets.length > 0 && { listed: [...new Set([...listed, ...secrets])] }),
    deny: uniteItems(left.deny, right.deny),
    ...((ignore === true || ignore.length > 0) && { ignore }),
    ...(denyOnly && { isDenyOnly: true as const }),
  };
}

/** "Everything" does not include non-public addresses (SPEC PA4), so the listed items are kept beside it. */
function listedIn({ allow, listed = [] }: Entry): NonNullable<Entry["listed"]> {
  return allow === true ? listed : allow;
}

function uniteItems(left: Items, right: Items): Items {
  return left === true || right === true ? true : [...left, ...right];
}

/** Makes one item per pair, which matches what both match. */
function intersectItems(left: Items, right: Items): Items {
  if (left === true) return right;
  if (right === true) return left;
  return left.flatMap((one) =>
    right.map((other) => ({
      written: `${one.written} and ${other.written}`,
      matches: (query) => one.matches(query) && other.matches(query),
      ...bothSecrets(one.secret, other.secret),
    })),
  );
}

/** The result is a secret if either item is one; it may be sent only to targets that both permit. */
function bothSecrets(one: SecretBinding | undefined, other: SecretBinding | undefined): { readonly secret?: SecretBinding } {
  const secret = one ?? other;
  if (one === undefined || other === undefined) return secret === undefined ? {} : { secret };
  const hosts = [...new Set([...one.hosts, ...other.hosts])];
  return { secret: { name: one.name, hosts, permits: (target) => one.permits(target) && other.permits(target) } };
}

/** Lists the items as written, for display. */
function toWritten(entry: Entry): PermissionValue {
  const names = (items: Items): true | readonly string[] => (items === true ? true : items.map(({ written }) => written));
  const hasDenials = entry.deny === true || entry.deny.length > 0;
  return hasDenials ? { allow: names(entry.allow), deny: names(entry.deny) } : names(entry.allow);
}
