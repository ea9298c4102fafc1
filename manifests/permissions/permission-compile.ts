/** Compiles a permission set into matchers, with tokens and relative paths resolved (SPEC PA2). */

import {
  canonicalHost,
  netCovers,
  netOverlaps,
  netTouches,
  parseNetItem,
  splitHostPort,
  type NetPattern,
  type NetTarget,
} from "./permission-net.ts";
import { isSecretItem } from "./permission-parse.ts";
import { foldPattern, pathSegments, patternCovers, patternReachesBelow, toPathPattern } from "./permission-path.ts";
import { namesPath, runAllows, runDenies } from "./permission-run.ts";
import { canonicalSocket } from "./permission-socket.ts";
import {
  isPathKind,
  PERMISSION_KINDS,
  type AccessQuery,
  type CompiledEntry,
  type CompiledItem,
  type CompiledPermissions,
  type PathKind,
  type PermissionBases,
  type PermissionEntry,
  type PermissionItem,
  type PermissionKind,
  type Permissions,
  type PermissionValue,
  type SecretBinding,
  type SecretItem,
} from "./permissions.ts";

/**
 * Prepares a permission set for `evaluateAccess`. The set must be one that `parsePermissions` accepted.
 *
 * An item that cannot be resolved (its token has no base) allows nothing, and denies everything of its kind.
 */
export function compilePermissions(permissions: Permissions, bases: PermissionBases): CompiledPermissions {
  const entries = new Map<PermissionKind, CompiledEntry>();
  for (const kind of PERMISSION_KINDS) {
    const value = Object.hasOwn(permissions, kind) ? permissions[kind] : undefined;
    if (value !== undefined) entries.set(kind, compileEntry(kind, toEntry(value), bases));
  }
  const programs = toEntry(permissions.run ?? false).allow;
  if (typeof programs === "object" && programs.length > 0) protectPrograms(programs.map(itemToText), entries, bases);
  return { source: permissions, bases, entries };
}

/** As in Deno, a runnable program cannot be written to; otherwise write access would allow running any program. */
function protectPrograms(programs: readonly string[], entries: Map<PermissionKind, CompiledEntry>, bases: PermissionBases): void {
  const written = entries.get("write") ?? { allow: [], deny: [], isDenyOnly: true as const };
  if (written.deny === true) return;
  entries.set("write", { ...written, deny: [...written.deny, ...programs.map((program) => compileProgram(program, bases))] });
}

/** A program written as a name may be any file with that name. */
function compileProgram(program: string, bases: PermissionBases): CompiledItem {
  if (namesPath(program)) return { ...compileDeny("write", program, bases), written: `run ${program}` };
  const denies = runDenies(program, bases);
  return { written: `run ${program}`, matches: (query) => onPath(query, (path) => denies(path.at(-1) ?? "")), within: asksAll };
}

/** Returns the long form of a permission value. */
export function toEntry(value: PermissionValue): PermissionEntry {
  return isEntry(value) ? value : { allow: value };
}

/** Formats an item for `why`, confirmations and flags. */
export function itemToText(item: PermissionItem): string {
  if (typeof item === "string") return item;
  if (isSecretItem(item)) return `${item.name} (secret for ${item.hosts.join(", ")})`;
  return [item.host, item.methods?.join("|"), item.paths?.join("|")].filter((part) => part !== undefined).join(" ");
}

function isEntry(value: PermissionValue): value is PermissionEntry {
  return typeof value === "object" && !Array.isArray(value);
}

function compileEntry(kind: PermissionKind, entry: PermissionEntry, bases: PermissionBases): CompiledEntry {
  const allow = compileItems(entry.allow, (item) => compileAllow(kind, item, bases));
  const deny = compileItems(entry.deny, (item) => compileDeny(kind, item, bases));
  const compiled = { allow, deny, ...(entry.allow === undefined && { isDenyOnly: true as const }) };
  return entry.ignore === undefined
    ? compiled
    : { ...compiled, ignore: compileItems(entry.ignore, (item) => compileDeny(kind, item, bases)) };
}

function compileItems(
  items: boolean | readonly PermissionItem[] | undefined,
  compile: (item: PermissionItem) => CompiledItem,
): true | readonly CompiledItem[] {
  if (items === true) return true;
  return items === undefined || items === false ? [] : items.map(compile);
}

function compileAllow(kind: PermissionKind, item: PermissionItem, bases: PermissionBases): CompiledItem {
  const written = itemToText(item);
  if (isPathKind(kind)) {
    const pattern = toPathPattern(written, bases);
    return { written, matches: (query) => pattern !== undefined && onPath(query, (path) => patternCovers(pattern, path, false)) };
  }
  if (kind === "net" || kind === "import") {
    const pattern = netPattern(item);
    return { written, matches: (query) => pattern !== undefined && onTarget(query, (target) => netCovers(pattern, target)) };
  }
  if (kind === "run") {
    const allows = runAllows(written, bases);
    return { written, matches: (query) => onName(query, allows) };
  }
  const secret = typeof item !== "string" && isSecretItem(item) ? bindSecret(item) : undefined;
  return { written, matches: nameMatcher(kind, item), ...(secret && { secret }) };
}

/** Prepares the hosts that a secret's value may be sent to. A host without a valid pattern receives nothing. */
export function bindSecret({ name, hosts }: Pick<SecretItem, "name" | "hosts">): SecretBinding {
  const patterns = hosts.flatMap((host) => netPattern(host) ?? []);
  return { name, hosts, permits: (target) => patterns.some((pattern) => netCovers(pattern, target)) };
}

function compileDeny(kind: PermissionKind, item: PermissionItem, bases: PermissionBases): CompiledItem {
  const written = itemToText(item);
  if (isPathKind(kind)) {
    const pattern = toPathPattern(written, bases);
    if (pattern === undefined) return denyAll(written);
    const folded = foldPattern(pattern);
    return {
      written,
      matches: (query) =>
        onPath(query, (path) => patternCovers(pattern, path, true)) || onFolded(query, (path) => patternCovers(folded, path, true)),
      within: (query) =>
        asksAll(query) ||
        onPath(query, (path) => patternReachesBelow(pattern, path)) ||
        onFolded(query, (path) => patternReachesBelow(folded, path)),
    };
  }
  if (kind === "net" || kind === "import") {
    const pattern = netPattern(item);
    if (pattern === undefined) return denyAll(written);
    return {
      written,
      matches: (query) => onTarget(query, (target) => netTouches(pattern, target)),
      within: (query) => onTarget(query, (target) => netOverlaps(pattern, target)),
    };
  }
  if (kind === "run") {
    const denies = runDenies(written, bases);
    return { written, matches: (query) => onName(query, denies), within: asksAll };
  }
  return { written, matches: nameMatcher(kind, item), within: asksAll };
}

/** Fails closed: an item without a usable form denies its whole kind. */
function denyAll(written: string): CompiledItem {
  return { written, matches: () => true };
}

function netPattern(item: PermissionItem): NetPattern | undefined {
  if (typeof item !== "string" && isSecretItem(item)) return undefined;
  const outcome = parseNetItem(item);
  return outcome.ok ? outcome.value : undefined;
}

function nameMatcher(kind: PermissionKind, item: PermissionItem): (query: AccessQuery) => boolean {
  const wanted = typeof item === "string" ? item : isSecretItem(item) ? item.name : "";
  // Deno's own alias.
  if (kind === "sys") return (query) => nameOf(query)?.replace(/^username$/, "userInfo") === wanted.replace(/^username$/, "userInfo");
  if (kind === "env" && typeof item === "string" && wanted.endsWith("*"))
    return (query) => nameOf(query)?.startsWith(wanted.slice(0, -1)) ?? false;
  if (kind === "tools" && wanted.endsWith(".*")) return (query) => nameOf(query)?.startsWith(wanted.slice(0, -1)) ?? false;
  // A bare tool name matches the tool of that name in every plugin.
  if (kind === "tools" && !wanted.includes(".")) return (query) => nameOf(query)?.split(".").at(-1) === wanted;
  return (query) => nameOf(query) === wanted;
}

function nameOf(query: AccessQuery): string | undefined {
  return isPathQuery(query) || query.kind === "net" ? undefined : query.name;
}

function onName(query: AccessQuery, test: (name: string) => boolean): boolean {
  const name = nameOf(query);
  return name !== undefined && test(name);
}

function onPath(query: AccessQuery, test: (path: readonly string[]) => boolean): boolean {
  return isPathQuery(query) && query.path !== undefined && test(pathSegments(query.path));
}

function onFolded(query: AccessQuery, test: (path: readonly string[]) => boolean): boolean {
  return isPathQuery(query) && query.folded !== undefined && test(query.folded);
}

function onTarget(query: AccessQuery, test: (target: NetTarget) => boolean): boolean {
  if (query.kind === "net") return test(query);
  return query.kind === "import" && test(query.name === undefined ? {} : importTarget(query.name));
}

function importTarget(name: string): NetTarget {
  const socket = canonicalSocket(name);
  if (socket !== undefined) return { host: socket };
  const { host, port } = splitHostPort(name);
  const canonical = canonicalHost(host);
  return { ...(canonical !== undefined && { host: canonical }), ...(port !== undefined && { port }) };
}

/** Returns true for a query without a name, which is for the whole kind. */
export function asksAll(query: AccessQuery): boolean {
  if (isPathQuery(query)) return query.path === undefined;
  return query.kind === "net" ? query.host === undefined : query.name === undefined;
}

/** Returns true for a query about a path. */
export function isPathQuery(query: AccessQuery): query is Extract<AccessQuery, { readonly kind: PathKind }> {
  return isPathKind(query.kind);
}
