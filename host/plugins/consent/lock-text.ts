/** `bascule.lock` as text: parsed strictly, because it may come from anywhere, and written deterministically (SPEC H7). */

import {
  checkPluginName,
  checkToolName,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LIMIT_CEILINGS,
  LIMIT_NAMES,
  type LimitRequest,
  parseJsonSlices,
  parsePermissions,
  type Parsed,
  type Permissions,
  type Problem,
  SIDE_EFFECTS,
} from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import { type LockedServers, readServers, serversToJson } from "./lock-servers.ts";
import { type About, sorted, type Declared } from "./declared.ts";

/** Where a plugin came from. One installed from elsewhere is bound to its hash, including its grants (SPEC C3). */
export type PluginOrigin =
  | { readonly kind: "folder" }
  | { readonly kind: "archive"; readonly from: string }
  | { readonly kind: "git"; readonly from: string; readonly commit: string };

/** One plugin as it was accepted. */
export interface LockEntry {
  readonly name: string;
  readonly version: string;
  /** The plugin's folder, relative to the lock's if inside, else absolute; empty once the folder's plugin has another name. */
  readonly path: string;
  readonly digest: string;
  readonly origin: PluginOrigin;
  /** Public key of the signer, base64. */
  readonly signer?: string;
  /** Hash of the folder when the user rolled back to this version. */
  readonly rolledBackFrom?: string;
  /** Tools of the plugin whose bare names belong to others, sorted. */
  readonly yields?: readonly string[];
  /** Bare names of former tools, sorted: no other plugin gets their calls. */
  readonly keeps?: readonly string[];
  /** For information only: grants are in `.bascule/grants.json`. */
  readonly granted: Permissions;
  /** Limits above the defaults that the user accepted. */
  readonly acceptedLimits: LimitRequest;
  readonly declared: Declared;
  /** SHA-256 of each file, by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Entries by plugin name. */
export type LockEntries = ReadonlyMap<string, LockEntry>;

/** The content of a lock. */
export interface LockContents {
  readonly plugins: LockEntries;
  readonly servers: LockedServers;
}

export const EMPTY_LOCK: LockContents = Object.freeze({ plugins: new Map(), servers: new Map() });

const LOCK_VERSION = 1;
/** Maximum size of a lock's text. */
export const MAX_LOCK_BYTES: number = 32 * 1024 * 1024;
const MAX_DEPTH = 128;

/**
 * Formats a lock. Equal entries give equal text on every machine: names, files and keys sorted, one value per line. Yields after each
 * entry; an entry's text is cached, because a lock is rewritten whenever one plugin changes.
 */
export function* lockTextSlices({ plugins, servers }: LockContents): Generator<void, string> {
  const parts = [`{\n  "lockVersion": ${LOCK_VERSION},\n  "plugins": {`];
  for (const [name, entry] of [...plugins].toSorted(byName)) {
    parts.push(parts.length === 1 ? "\n    " : ",\n    ", JSON.stringify(name), ": ", entryText(entry));
    yield;
  }
  parts.push(parts.length === 1 ? "}" : "\n  }");
  if (servers.size > 0) parts.push(`,\n  "mcpServers": ${indented(serversToJson(servers), "  ")}`);
  parts.push("\n}\n");
  return parts.join("");
}

/** Returns true if both have the same text. Two states of one lock share most entry objects. */
export function isSameLock(one: LockContents, other: LockContents): boolean {
  if (one.plugins.size !== other.plugins.size) return false;
  for (const [name, entry] of one.plugins) {
    const now = other.plugins.get(name);
    if (now !== entry && (now === undefined || entryText(now) !== entryText(entry))) return false;
  }
  return one.servers === other.servers || JSON.stringify(serversToJson(one.servers)) === JSON.stringify(serversToJson(other.servers));
}

/** Compares by code unit, which is the same on every machine. */
function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function entryText(entry: LockEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = indented(entryJson(entry), "    ");
  texts.set(entry, text);
  return text;
}

/** By entry, which never changes. */
const texts = new WeakMap<LockEntry, string>();

/** Safe because JSON strings contain no line breaks. */
function indented(value: object, by: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${by}`);
}

function entryJson(entry: LockEntry): object {
  const {
    version,
    path,
    digest,
    origin,
    signer,
    rolledBackFrom,
    yields,
    keeps,
    granted,
    acceptedLimits,
    declared: declaration,
    files,
  } = entry;
  // Permissions as written are JSON; only their interfaces lack an index signature.
  const own = { granted: sorted(granted as unknown as JsonValue), permissions: declaration.permissions };
  const signed = defined({ signer, rolledBackFrom });
  const limits = { ...unlessEmpty("limits", declaration.limits), ...unlessEmpty("acceptedLimits", acceptedLimits) };
  return {
    version,
    path,
    digest,
    origin: sorted({ ...origin }),
    ...signed,
    ...own,
    ...limits,
    ...defined({ yields, keeps }),
    ...(declaration.about && { about: sorted({ ...declaration.about }) }),
    files: filesToText(files),
    tools: declaration.tools,
  };
}

function unlessEmpty(key: string, limits: LimitRequest): object {
  return Object.keys(limits).length === 0 ? {} : { [key]: sorted({ ...limits }) };
}

/** Same format as `sha256sum`: a file's name may be unsafe as a JSON key. */
function filesToText(files: LockEntry["files"]): readonly string[] {
  return [...files.keys()].toSorted().map((path) => `${files.get(path) ?? ""}  ${path}`);
}

/**
 * Parses a lock and reports every problem; a lock with a problem is refused as a whole. Yields after each entry, because a lock may hold
 * thousands of plugins.
 */
export function* parseLockSlices(text: string): Generator<void, Parsed<LockContents>> {
  // Checked first, because the parser would only report a syntax error. No flag m: it treats U+2028 as a line end, and such a name is not a
  // conflict.
  const conflict = /(?<=^|\n)(?:<{7}|={7}|>{7}|\|{7})(?= |\r|\n|$)/u.exec(text);
  if (conflict !== null) {
    const line = text.slice(0, conflict.index).split("\n").length;
    const fix = "keep one side, or delete the affected entries and accept those plugins again";
    return {
      ok: false,
      problems: [{ severity: "error", pointer: "", line, column: 1, message: "Contains merge conflict markers", fix }],
    };
  }
  const parsed = yield* parseJsonSlices(text, { maxBytes: MAX_LOCK_BYTES, maxDepth: MAX_DEPTH });
  if (!parsed.ok) return parsed;
  const { value, locate } = parsed.value;
  const problems: Problem[] = [];
  const contents = yield* readDocument(value, problems);
  if (problems.length === 0) return { ok: true, value: contents, warnings: [] };
  return { ok: false, problems: problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem, ...locate(problem.pointer) })) };
}

const MAX_PROBLEMS = 20;

function* readDocument(value: JsonValue, problems: Problem[]): Generator<void, LockContents> {
  const entries = new Map<string, LockEntry>();
  const { lockVersion, plugins, mcpServers } = isJsonObject(value) ? value : {};
  if (lockVersion !== LOCK_VERSION) {
    const fix = "use a bascule version that supports it, or delete the file and accept the plugins again";
    problems.push({ severity: "error", pointer: "", message: `Expected "lockVersion" to be ${LOCK_VERSION}`, fix });
    return EMPTY_LOCK;
  }
  if (!isJsonObject(plugins)) {
    problems.push(problem("", 'Expected "plugins" to be an object'));
    return EMPTY_LOCK;
  }
  checkKeys(value, ["lockVersion", "plugins", "mcpServers"], "", problems);
  for (const [name, entry] of Object.entries(plugins)) {
    yield;
    const pointer = `/plugins/${name}`;
    const wrong = checkPluginName(name);
    if (wrong !== undefined) problems.push(problem("/plugins", wrong));
    else if (!isJsonObject(entry)) problems.push(problem(pointer, "Expected an object"));
    else entries.set(name, readEntry(name, entry, pointer, problems));
  }
  return { plugins: entries, servers: readServers(mcpServers, "/mcpServers", (found) => problems.push(found)) };
}

const ENTRY_KEYS = [
  "version",
  "path",
  "digest",
  "origin",
  "signer",
  "rolledBackFrom",
  "granted",
  "permissions",
  "limits",
  "acceptedLimits",
  "yields",
  "keeps",
  "about",
  "files",
  "tools",
];

function readEntry(name: string, entry: JsonObject, pointer: string, problems: Problem[]): LockEntry {
  checkKeys(entry, ENTRY_KEYS, pointer, problems);
  const text = (key: string, pattern: RegExp, expected: string): string => {
    const value = entry[key];
    if (typeof value === "string" && pattern.test(value)) return value;
    problems.push(problem(`${pointer}/${key}`, `Expected ${expected}`));
    return "";
  };
  const permissions = (key: string): Permissions => {
    const read = parsePermissions(entry[key] ?? null, `${pointer}/${key}`);
    if (!read.ok) problems.push(...read.problems);
    return read.ok ? read.value : {};
  };
  return {
    name,
    version: text("version", LINE, "the plugin's version"),
    path: entry["path"] === "" ? "" : text("path", LINE, "the plugin's folder"),
    digest: text("digest", DIGEST, "a SHA-256 in hex"),
    origin: readOrigin(entry["origin"], `${pointer}/origin`, problems),
    ...(entry["signer"] !== undefined && { signer: text("signer", KEY, "an Ed25519 public key in base64") }),
    ...(entry["rolledBackFrom"] !== undefined && { rolledBackFrom: text("rolledBackFrom", DIGEST, "a SHA-256 in hex") }),
    ...(entry["yields"] !== undefined && { yields: readNames(entry["yields"], `${pointer}/yields`, problems) }),
    ...(entry["keeps"] !== undefined && { keeps: readNames(entry["keeps"], `${pointer}/keeps`, problems) }),
    granted: permissions("granted"),
    acceptedLimits: readLimits(entry["acceptedLimits"], `${pointer}/acceptedLimits`, problems),
    declared: {
      permissions: permissions("permissions"),
      limits: readLimits(entry["limits"], `${pointer}/limits`, problems),
      tools: readTools(entry["tools"], `${pointer}/tools`, problems),
      ...(entry["about"] !== undefined && { about: readAbout(entry["about"], `${pointer}/about`, problems) }),
    },
    files: readFiles(entry["files"], `${pointer}/files`, problems),
  };
}

/** Text without control characters. */
const LINE = /^[^\p{Cc}\p{Cs}]{1,8192}$/u;
const DIGEST = /^[0-9a-f]{64}$/;
const KEY = /^[A-Za-z0-9+/]{43}=$/;

function readOrigin(value: JsonValue | undefined, pointer: string, problems: Problem[]): PluginOrigin {
  const { kind, from, commit, ...rest } = isJsonObject(value) ? value : {};
  const isLine = typeof from === "string" && LINE.test(from);
  if (Object.keys(rest).length === 0) {
    if (kind === "folder" && from === undefined && commit === undefined) return { kind };
    if (kind === "archive" && isLine && commit === undefined) return { kind, from };
    if (kind === "git" && isLine && typeof commit === "string" && /^[0-9a-f]{40,64}$/.test(commit)) return { kind, from, commit };
  }
  problems.push(problem(pointer, 'Expected {"kind":"folder"}, {"kind":"archive","from"} or {"kind":"git","from","commit"}'));
  return { kind: "folder" };
}

function readLimits(value: JsonValue | undefined, pointer: string, problems: Problem[]): LimitRequest {
  if (value === undefined) return {};
  const limits = isJsonObject(value) ? Object.entries(value) : [["", undefined] as const];
  const isLimit = ([key, limit]: readonly [string, JsonValue | undefined]): boolean => {
    const name = LIMIT_NAMES.find((known) => known === key);
    return name !== undefined && Number.isInteger(limit) && Number(limit) > 0 && Number(limit) <= LIMIT_CEILINGS[name];
  };
  if (!limits.every(isLimit)) problems.push(problem(pointer, "Expected an object of limits within their ceilings"));
  return Object.freeze(Object.fromEntries(limits));
}

function readNames(value: JsonValue, pointer: string, problems: Problem[]): readonly string[] {
  const names = isJsonArray(value) ? value : [undefined];
  const read = names.filter((name) => typeof name === "string" && checkToolName(name) === undefined);
  if (read.length < names.length) problems.push(problem(pointer, "Expected a list of tool names"));
  // Every other element is a string.
  return read as readonly string[];
}

/** Compared and shown only; it decides nothing. */
function readAbout(value: JsonValue, pointer: string, problems: Problem[]): About {
  const { description, settings, ...rest } = isJsonObject(value) ? value : {};
  const isSettings = settings === undefined || (isJsonObject(settings) && !isJsonArray(settings));
  if (typeof description === "string" && isSettings && Object.keys(rest).length === 0)
    return { description, ...(settings !== undefined && { settings: sorted(settings) as JsonObject }) };
  problems.push(problem(pointer, 'Expected {"description","settings"} of the plugin'));
  return { description: "" };
}

function readFiles(value: JsonValue | undefined, pointer: string, problems: Problem[]): LockEntry["files"] {
  const files = new Map<string, string>();
  const lines = isJsonArray(value) ? value : [undefined];
  for (const line of lines) {
    const [, hash, path] = (typeof line === "string" && /^([0-9a-f]{64})  ([^\p{Cc}\p{Cs}]+)$/u.exec(line)) || [];
    if (hash !== undefined && path !== undefined) files.set(path, hash);
    else problems.push(problem(pointer, "Expected a list of lines with a SHA-256 in hex, two spaces and a file's path"));
  }
  return files;
}

/** Members are compared as JSON; those that affect decisions are validated. */
function readTools(value: JsonValue | undefined, pointer: string, problems: Problem[]): Declared["tools"] {
  const tools: [string, JsonObject][] = [];
  if (!isJsonObject(value)) problems.push(problem(pointer, "Expected an object of tools"));
  else {
    for (const [name, tool] of Object.entries(value)) {
      if (!isJsonObject(tool) || !LINE.test(name) || !hasEffects(tool))
        problems.push(problem(pointer, "Expected each tool as it was accepted"));
      else {
        const own = tool["permissions"] === undefined ? undefined : parsePermissions(tool["permissions"], pointer);
        if (own?.ok === false) problems.push(...own.problems);
        tools.push([name, sorted(tool) as JsonObject]);
      }
    }
  }
  return Object.fromEntries(tools);
}

function hasEffects({ sideEffects }: JsonObject): boolean {
  return (
    sideEffects === undefined || (isJsonArray(sideEffects) && sideEffects.every((effect) => SIDE_EFFECTS.some((known) => known === effect)))
  );
}

function checkKeys(value: JsonValue, known: readonly string[], pointer: string, problems: Problem[]): void {
  const unknown = isJsonObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : [];
  if (unknown.length > 0) problems.push(problem(pointer, `Unknown member ${JSON.stringify(unknown[0])}`));
}

function problem(pointer: string, message: string): Problem {
  return { severity: "error", pointer, message, fix: "take the file from version control, or delete it and accept the plugins again" };
}
