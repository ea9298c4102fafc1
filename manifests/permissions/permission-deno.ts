/**
 * Converts a permission set to Deno's: the input of `deno run -P` (SPEC PA1).
 *
 * The result never allows more than the original. An allowance that Deno cannot express is left out; a denial is widened to the
 * next one that Deno can express. In Deno some allowances override some denials: those allowances are left out too.
 */

import { ipToText } from "./ip-address.ts";
import { itemToText, toEntry } from "./permission-compile.ts";
import { coversPermissions } from "./permission-covers.ts";
import { netContains, type NetPattern, parseNetItem } from "./permission-net.ts";
import { isSecretItem } from "./permission-parse.ts";
import { toPathPattern } from "./permission-path.ts";
import type { DenoKind } from "./permission-query.ts";
import { namesPath } from "./permission-run.ts";
import { isPathKind, type PermissionBases, type PermissionItem, type PermissionKind, type Permissions } from "./permissions.ts";

/** One kind in the form of `deno.json`. */
export type DenoPermission =
  | boolean
  | readonly string[]
  | {
      readonly allow?: boolean | readonly string[];
      readonly deny?: boolean | readonly string[];
      readonly ignore?: boolean | readonly string[];
    };

/** A permission set of `deno.json`. */
export type DenoPermissions = { readonly [K in DenoKind]?: DenoPermission };

export interface DenoExport {
  readonly permissions: DenoPermissions;
  /** Parts that Deno cannot express, in whole sentences. */
  readonly notes: readonly string[];
}

const DENO_KINDS: readonly DenoKind[] = ["read", "write", "net", "env", "sys", "run", "ffi", "import"];

/**
 * Converts the set to Deno's form.
 *
 * @param bases folders that relative items and tokens stand for
 * @param writePath writes an absolute path, for example relative to the file that will contain the set
 */
export function toDenoPermissions(permissions: Permissions, bases: PermissionBases, writePath: (path: string) => string): DenoExport {
  const notes: string[] = [];
  const set: { [K in DenoKind]?: DenoPermission } = {};
  for (const kind of DENO_KINDS) {
    const value = permissions[kind];
    if (value === undefined) continue;
    set[kind] = toDenoPermission({ kind, bases, writePath, note: (text) => void notes.push(text) }, toEntry(value));
    if (toEntry(value).reason !== undefined) notes.push(`The reason for "${kind}" is left out: Deno has no field for it`);
  }
  for (const kind of ["tools", "mcp"] as const)
    if (permissions[kind] !== undefined) notes.push(`"${kind}" is left out: Deno has no such kind`);
  return { permissions: set, notes };
}

interface Writing {
  readonly kind: DenoKind;
  readonly bases: PermissionBases;
  readonly writePath: (path: string) => string;
  readonly note: (text: string) => void;
}

type Items = boolean | readonly PermissionItem[];

function toDenoPermission(writing: Writing, entry: ReturnType<typeof toEntry>): DenoPermission {
  const { allow = false, deny = false, ignore = false } = entry;
  const denied = denials(writing, deny);
  // In Deno an allowed item overrides a denial of everything.
  if (denied === true) return withoutDefaults(writing, { deny: true });
  const ignored = denials(writing, ignore);
  if (ignored === true) return { ignore: true };

  const ruled = [...itemsOf(deny), ...itemsOf(ignore)];
  const allowed = allow === true || allow === false ? allow : allowances(writing, allow, ruled);
  const allowsNothing = allowed === false || (typeof allowed === "object" && allowed.length === 0);
  if (denied.length === 0 && ignored.length === 0) return allowsNothing ? withoutDefaults(writing, false) : allowed;
  if (allowsNothing && writing.kind === "import") return withoutDefaults(writing, { deny: denied });
  const ports = typeof allowed === "object" && isNet(writing.kind) ? portsOf(allowed) : [];
  return {
    ...(allowed !== false && { allow: allowed }),
    ...(denied.length > 0 && { deny: [...denied, ...withPorts(denied, ports)] }),
    ...(ignored.length > 0 && { ignore: ignored }),
  };
}

/** Hosts that Deno allows by default for imports; allowed one by one, so that only denials of these hosts matter. */
const DEFAULT_HOSTS: readonly string[] = [
  "jsr.io:443",
  "deno.land:443",
  "esm.sh:443",
  "raw.esm.sh:443",
  "cdn.jsdelivr.net:443",
  "raw.githubusercontent.com:443",
  "gist.githubusercontent.com:443",
];

function withoutDefaults({ kind }: Writing, permission: false | { readonly deny: true | readonly string[] }): DenoPermission {
  if (kind !== "import") return permission;
  const denied = permission === false || permission.deny === true ? [] : permission.deny;
  return { deny: unique([...denied, ...DEFAULT_HOSTS]) };
}

function itemsOf(items: Items): readonly PermissionItem[] {
  return typeof items === "object" ? items : [];
}

function allowances(writing: Writing, items: readonly PermissionItem[], denied: readonly PermissionItem[]): readonly string[] {
  return unique(
    items.flatMap((item) => {
      const text = toDenoItem(writing, item, "allow");
      const name = `${writing.kind} "${itemToText(item)}"`;
      if (text === undefined) {
        writing.note(`${name} is left out: Deno cannot express it`);
        return [];
      }
      const rule = denied.find((other) => beatsInDeno(writing, item, other));
      if (rule === undefined) return [text];
      writing.note(`${name} is left out: "${itemToText(rule)}" denies it or a part of it, and Deno might ignore the denial`);
      return [];
    }),
  );
}

/** True stands for everything. */
function denials(writing: Writing, items: Items): true | readonly string[] {
  if (items === true) return true;
  const texts: string[] = [];
  for (const item of itemsOf(items)) {
    const text = toDenoItem(writing, item, "deny");
    const name = `${writing.kind} "${itemToText(item)}"`;
    if (text === undefined) {
      writing.note(`All of "${writing.kind}" is denied: Deno cannot deny only ${name}`);
      return true;
    }
    if (isNarrowed(writing, item)) writing.note(`All of "${text}" is denied: Deno cannot deny only ${name}`);
    texts.push(text);
  }
  return unique(texts);
}

/** Returns Deno's text of an item: for denials the next wider one, for allowances the exact one or undefined. */
function toDenoItem({ kind, bases, writePath }: Writing, item: PermissionItem, verb: "allow" | "deny"): string | undefined {
  if (isPathKind(kind) || (kind === "run" && typeof item === "string" && namesPath(item))) {
    const pattern = toPathPattern(itemToText(item), bases);
    if (pattern === undefined || (pattern.glob.length > 0 && verb === "allow")) return undefined;
    const isDrive = /^[A-Z]:$/.test(pattern.prefix[0] ?? "");
    return writePath(`${isDrive ? "" : "/"}${pattern.prefix.join("/")}`);
  }
  if (isNet(kind)) {
    const pattern = toNet(item);
    if (pattern === undefined) return undefined;
    const isLimited = pattern.methods !== undefined || pattern.paths !== undefined;
    return isLimited && verb === "allow" ? undefined : hostToText(pattern);
  }
  if (typeof item === "string") return item;
  // Deno would pass on the plain value of a secret.
  return verb === "deny" && isSecretItem(item) ? item.name : undefined;
}

function hostToText({ host, port }: NetPattern): string | undefined {
  const tail = port === undefined ? "" : `:${port}`;
  if (host.kind !== "block") return `${host.kind === "suffix" ? "*." : ""}${host.name}${tail}`;
  const { address, bits } = host.block;
  if (bits === address.length * 8) return `${address.length === 4 ? ipToText(address) : `[${ipToText(address)}]`}${tail}`;
  return address.length === 4 ? `${ipToText(address)}/${bits}${tail}` : undefined;
}

function isNarrowed({ kind, bases }: Writing, item: PermissionItem): boolean {
  if (isPathKind(kind)) return (toPathPattern(itemToText(item), bases)?.glob.length ?? 0) > 0;
  return typeof item !== "string" && !isSecretItem(item) && (item.methods !== undefined || item.paths !== undefined);
}

/** Returns true if Deno could grant with `allowed` an access that `denied` denies. */
function beatsInDeno({ kind, bases }: Writing, allowed: PermissionItem, denied: PermissionItem): boolean {
  if (coversPermissions({ [kind]: [denied] }, { [kind]: [allowed] }, bases).length === 0) return true;
  // Deno compares an allowed program before a denied name.
  if (kind === "run") return typeof denied === "string" && !namesPath(denied);
  if (!isNet(kind)) return false;
  const [wide, narrow] = [toNet(allowed), toNet(denied)];
  if (wide === undefined || narrow === undefined) return false;
  // Deno checks names before patterns and addresses before blocks; the order among patterns or blocks is not defined.
  const isSameSort = wide.host.kind === narrow.host.kind && (wide.host.kind === "suffix" || isBlock(narrow));
  const samePort = narrow.port === undefined || narrow.port === wide.port;
  const { port: _port, methods: _methods, paths: _paths, ...anyPort } = wide;
  const { port: _narrowPort, methods: _narrowMethods, paths: _narrowPaths, ...anyNarrow } = narrow;
  return samePort && ((isSameSort && netContains(anyPort, anyNarrow)) || netContains(anyNarrow, anyPort));
}

function isBlock({ host }: NetPattern): boolean {
  return host.kind === "block" && host.block.bits < host.block.address.length * 8;
}

function isNet(kind: PermissionKind): boolean {
  return kind === "net" || kind === "import";
}

function toNet(item: PermissionItem): NetPattern | undefined {
  if (typeof item !== "string" && isSecretItem(item)) return undefined;
  const outcome = parseNetItem(item);
  return outcome.ok ? outcome.value : undefined;
}

function portsOf(items: readonly string[]): readonly number[] {
  return items.flatMap((item) => toNet(item)?.port ?? []);
}

/** Deno compares items with a port first, so a denied host is also denied for each allowed port. */
function withPorts(denied: readonly string[], ports: readonly number[]): readonly string[] {
  return unique(denied.flatMap((item) => (isPortless(item) ? ports.map((port) => `${item}:${port}`) : []))).filter(
    (item) => !denied.includes(item),
  );
}

function isPortless(item: string): boolean {
  const pattern = toNet(item);
  return pattern !== undefined && pattern.port === undefined && pattern.host.kind !== "socket";
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
