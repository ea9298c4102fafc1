/** Parses a permission set and refuses items that cannot be enforced (SPEC PA1, PA2). */

import { splitAdvice } from "../text/document.ts";
import { findHiddenText } from "../text/hidden-text.ts";
import { isJsonObject, pointerToken } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { parseNetItem } from "./permission-net.ts";
import { checkPathItem, isGlobSegment } from "./permission-path.ts";
import { namesPath } from "./permission-run.ts";
import {
  isPathKind,
  PERMISSION_KINDS,
  type NetItem,
  type PermissionEntry,
  type PermissionItem,
  type PermissionKind,
  type Permissions,
  type PermissionValue,
  type SecretItem,
} from "./permissions.ts";
import type { Parsed, Problem } from "../text/problem.ts";
import { nearest } from "../text/suggest.ts";

/** Names that `Deno.permissions` accepts for `sys` (Deno 2.9). */
export const SYS_KINDS: readonly string[] = [
  "hostname",
  "osRelease",
  "osUptime",
  "loadavg",
  "networkInterfaces",
  "systemMemoryInfo",
  "uid",
  "gid",
  "setuid",
  "setgid",
  "seteuid",
  "setegid",
  "cpus",
  "homedir",
  "getegid",
  "username",
  "userInfo",
  "statfs",
  "getPriority",
  "setPriority",
  "inspector",
  "umask",
  "ca",
];

const MAX_ITEMS = 256;
const MAX_GLOB_ITEMS = 64;
const MAX_REASON_LENGTH = 500;

/** Kinds that Deno has, and that its `"all"` stands for. */
const DENO_KINDS: readonly PermissionKind[] = PERMISSION_KINDS.filter((kind) => kind !== "tools" && kind !== "mcp");

const ENTRY_FIELDS = ["allow", "deny", "ignore", "reason"];

/**
 * Returns a permission set, or every problem in it; pointers begin with `pointer`.
 *
 * Deno's `"all": true` is read as `true` for each of Deno's kinds without an allow list.
 *
 * @example
 * ```ts
 * parsePermissions({ read: ["$workspace"], net: { allow: ["example.com"], deny: ["example.com:22"] } }); // ok: true
 * parsePermissions({ reed: true }); // ok: false, "reed" is not a kind of permission (did you mean "read"?)
 * ```
 */
export function parsePermissions(value: unknown, pointer: string = ""): Parsed<Permissions> {
  const problems: Problem[] = [];
  const permissions: { [K in PermissionKind]?: PermissionValue } = {};
  if (!isJsonObject(value)) {
    return {
      ok: false,
      problems: [problem(pointer, "Permissions are not an object", 'write an object such as { "read": ["$workspace"] }')],
    };
  }
  for (const [key, entry] of Object.entries(value)) {
    const kind = PERMISSION_KINDS.find((known) => known === key);
    const place = `${pointer}/${pointerToken(key)}`;
    if (key === "all") {
      if (typeof entry !== "boolean") problems.push(problem(place, '"all" must be true or false', "write true or false"));
    } else if (kind === undefined)
      problems.push(problem(place, `"${printable(key)}" is not a kind of permission`, nearest(key, PERMISSION_KINDS)));
    else permissions[kind] = readValue(kind, entry, place, problems);
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: value["all"] === true ? withEverything(permissions) : permissions, warnings: [] };
}

/** Returns why `item` is not a valid item of `kind`, or undefined if it is. */
export function checkItem(kind: PermissionKind, item: PermissionItem): string | undefined {
  if (typeof item !== "string") return isSecretItem(item) ? checkSecret(kind, item) : checkNetItem(kind, item);
  const hidden = findHiddenText(item);
  if (hidden !== undefined) return `Item "${printable(item)}" contains ${hidden.description}`;
  switch (kind) {
    case "read":
    case "write":
    case "ffi":
      return checkPathItem(item);
    case "net":
    case "import":
      return reasonOf(parseNetItem(item));
    case "env":
      return checkEnvItem(item);
    case "sys":
      return SYS_KINDS.includes(item)
        ? undefined
        : `"${printable(item)}" is not a kind of system information; write one of ${SYS_KINDS.join(" ")}`;
    case "run":
      return checkRunItem(item);
    case "tools":
      return checkToolItem(item);
    case "mcp":
      return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(item) ? undefined : `"${printable(item)}" is not the name of an MCP server`;
  }
}

function withEverything(permissions: Permissions): Permissions {
  const all: { [K in PermissionKind]?: PermissionValue } = { ...permissions };
  for (const kind of DENO_KINDS) {
    const value = permissions[kind];
    if (value === undefined) all[kind] = true;
    else if (isJsonObject(value) && value["allow"] === undefined) all[kind] = { allow: true, ...value };
  }
  return all;
}

/** Returns true for `{ name, secret: true, hosts }`. */
export function isSecretItem(item: PermissionItem): item is SecretItem {
  return typeof item === "object" && "secret" in item;
}

function readValue(kind: PermissionKind, value: unknown, pointer: string, problems: Problem[]): PermissionValue {
  if (typeof value === "boolean" || Array.isArray(value)) return readItems(kind, value, pointer, problems);
  if (!isJsonObject(value)) {
    problems.push(
      problem(
        pointer,
        `Permission "${kind}" is neither true, false, a list nor an object`,
        'write true, false, a list of items, or { "allow": …, "deny": … }',
      ),
    );
    return false;
  }
  const entry: { -readonly [K in keyof PermissionEntry]: PermissionEntry[K] } = {};
  for (const [key, part] of Object.entries(value)) {
    const place = `${pointer}/${pointerToken(key)}`;
    if (key === "reason") entry.reason = readReason(part, place, problems);
    else if (key === "ignore" && kind !== "read" && kind !== "env")
      problems.push(problem(place, `"ignore" exists for read and env only`, 'write "deny"'));
    else if (key === "allow" || key === "deny" || key === "ignore") entry[key] = readItems(kind, part, place, problems);
    else problems.push(problem(place, `"${printable(key)}" is not a field of a permission`, nearest(key, ENTRY_FIELDS)));
  }
  return entry;
}

function readItems(kind: PermissionKind, value: unknown, pointer: string, problems: Problem[]): boolean | readonly PermissionItem[] {
  if (typeof value === "boolean") return value;
  if (!Array.isArray(value)) {
    problems.push(problem(pointer, "Items are neither true, false nor a list", 'write a list such as ["a", "b"]'));
    return false;
  }
  if (value.length > MAX_ITEMS) {
    problems.push(
      problem(pointer, `A list has at most ${MAX_ITEMS} items, this one has ${value.length}`, "name their folder, or fewer items"),
    );
    return false;
  }
  const globs = value.filter((item) => isPathKind(kind) && typeof item === "string" && isGlobSegment(item));
  if (globs.length > MAX_GLOB_ITEMS)
    problems.push(
      problem(
        pointer,
        `A list has at most ${MAX_GLOB_ITEMS} patterns, this one has ${globs.length}`,
        "name their folder, or fewer patterns",
      ),
    );
  return value.flatMap((item: unknown, index) => {
    const read = readItem(item);
    const reason = read === undefined ? `An item of "${kind}" has the wrong form` : checkItem(kind, read);
    if (reason !== undefined) problems.push(problem(`${pointer}/${index}`, ...splitAdvice(reason)));
    return read === undefined ? [] : [read];
  });
}

/** Returns the item if its fields have the right types; `checkItem` checks their contents. */
function readItem(item: unknown): PermissionItem | undefined {
  if (typeof item === "string") return item;
  if (!isJsonObject(item)) return undefined;
  const keys = Object.keys(item);
  const { name, secret, hosts, host, methods, paths } = item;
  if (secret === true && typeof name === "string" && isStrings(hosts) && keys.length === 3) return { name, secret, hosts };
  if (typeof host !== "string" || !keys.every((key) => key === "host" || key === "methods" || key === "paths")) return undefined;
  if ((methods !== undefined && !isStrings(methods)) || (paths !== undefined && !isStrings(paths))) return undefined;
  return { host, ...(methods && { methods }), ...(paths && { paths }) };
}

function readReason(value: unknown, pointer: string, problems: Problem[]): string {
  if (typeof value !== "string" || value.length > MAX_REASON_LENGTH) {
    problems.push(
      problem(
        pointer,
        `"reason" is not a string of at most ${MAX_REASON_LENGTH} characters`,
        "explain in one sentence why the permission is needed",
      ),
    );
    return "";
  }
  const hidden = findHiddenText(value);
  if (hidden !== undefined) problems.push(problem(pointer, `"reason" contains ${hidden.description}`, "remove it"));
  return value;
}

function checkSecret(kind: PermissionKind, item: SecretItem): string | undefined {
  if (kind !== "env") return 'Only "env" has items with "secret"';
  if (item.hosts.length === 0) return `Secret "${printable(item.name)}" has no hosts; list the hosts that may receive it in "hosts"`;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(item.name)) return `"${printable(item.name)}" is not the name of one environment variable`;
  return item.hosts.map((host) => reasonOf(parseNetItem(host))).find((reason) => reason !== undefined);
}

function checkNetItem(kind: PermissionKind, item: NetItem): string | undefined {
  if (kind !== "net") return `Only "net" has items with "host"; write a string`;
  const text = [item.host, ...(item.methods ?? []), ...(item.paths ?? [])].join(" ");
  const hidden = findHiddenText(text);
  return hidden === undefined ? reasonOf(parseNetItem(item)) : `Item "${printable(item.host)}" contains ${hidden.description}`;
}

function checkEnvItem(item: string): string | undefined {
  if (item === "" || item.length > 128) return "The name of an environment variable has 1 to 128 characters";
  if (item.includes("=")) return `"${printable(item)}" contains "="; write only the variable's name`;
  const star = item.indexOf("*");
  return star === -1 || star === item.length - 1
    ? undefined
    : `"${printable(item)}" has "*" in a place other than the end; write "PREFIX*"`;
}

function checkRunItem(item: string): string | undefined {
  if (item === "" || item.length > 1_024) return 'An item of "run" has 1 to 1024 characters';
  // "run" has no patterns; a pattern read as a name would deny nothing.
  if (isGlobSegment(item)) return `"${printable(item)}" is a pattern; name the programs one by one`;
  return namesPath(item) ? checkPathItem(item) : undefined;
}

function checkToolItem(item: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}(?:\.(?:[A-Za-z][A-Za-z0-9_-]{0,63}|\*))?$/.test(item)
    ? undefined
    : `"${printable(item)}" is not a tool; write "tool", "plugin.tool" or "plugin.*"`;
}

function reasonOf(outcome: ReturnType<typeof parseNetItem>): string | undefined {
  return outcome.ok ? undefined : outcome.reason;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function problem(pointer: string, message: string, fix?: string): Problem {
  return { severity: "error", pointer, message, ...(fix !== undefined && { fix }) };
}
