/** Compares a new version with the accepted one (SPEC H6). Pure. */

import {
  coversPermissions,
  DEFAULT_LIMITS,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  LIMIT_NAMES,
  type LimitRequest,
  PERMISSION_KINDS,
  permissionsDiff,
  permissionsForEffects,
  type Permissions,
  pointerToken,
  SIDE_EFFECT_CLASSES,
  SIDE_EFFECTS,
  type SideEffect,
  sideEffectClassOf,
  type SideEffectClass,
  toEntry,
} from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import { asks, type ConsentChange } from "./change.ts";
import type { About, Declared } from "./declared.ts";

/** A version, as input of the comparison. */
export interface Compared {
  readonly name: string;
  readonly declared: Declared;
  /** Limits that the user accepted. */
  readonly acceptedLimits?: LimitRequest;
  /** Public key of the signer. */
  readonly signer?: string | undefined;
}

/** Maximum number of changes shown of one version. A version with more cannot be accepted: see `areAllShown`. */
export const MAX_CHANGES = 1_000;
/** Files above this number are only counted: their text is not shown anyway, and the hash covers all of them. */
const MAX_FILES = 200;

/** Most important kinds first, so that a flood of descriptions cannot push a permission out of sight. */
const ORDER: readonly ConsentChange["kind"][] = [
  "clash",
  "name",
  "signer",
  "permission",
  "limit",
  "class",
  "file",
  "tool",
  "field",
  "more",
];

/** Returns every difference, most important first. */
export function compareVersions(before: Compared, after: Compared): readonly ConsentChange[] {
  return inOrder([
    ...changedText("name", before.name, after.name),
    ...changedText("signer", before.signer, after.signer),
    ...permissionChanges(before.declared.permissions, after.declared.permissions),
    ...limitChanges(before, after.declared.limits),
    ...aboutChanges(before.declared.about, after.declared.about),
    ...reasonChanges(before.declared.permissions, after.declared.permissions),
    ...toolChanges(before.declared, after.declared),
  ]);
}

/** Sorts changes by importance and bounds their number. */
export function inOrder(changes: readonly ConsentChange[]): readonly ConsentChange[] {
  const known = changes.filter(({ kind }) => kind === "more");
  const files = changes.filter(({ kind }) => kind === "file");
  const others = changes
    .filter(({ kind }) => kind !== "file" && kind !== "more")
    .toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const listed = [...others.slice(0, MAX_CHANGES), ...files.slice(0, MAX_FILES)];
  return [
    ...listed.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)),
    ...known,
    ...counted(files.slice(MAX_FILES), { of: "file" }),
    ...counted(others.slice(MAX_CHANGES), {}),
  ];
}

/** Returns false if visible changes are not all listed: the user would accept what was never shown. */
export function areAllShown(changes: readonly ConsentChange[]): boolean {
  return changes.every((change) => change.kind !== "more" || change.of === "file");
}

/** Changes that are not listed may be the important ones, so `widens` covers them. */
function counted(rest: readonly ConsentChange[], of: { readonly of?: "file" }): readonly ConsentChange[] {
  return rest.length === 0 ? [] : [{ kind: "more", ...of, count: rest.length, widens: rest.some((change) => asks(change, "fluent")) }];
}

function changedText(kind: "name" | "signer", from: string | undefined, to: string | undefined): readonly ConsentChange[] {
  return from === to ? [] : [{ kind, ...defined({ from, to }) }];
}

function permissionChanges(before: Permissions, after: Permissions, tool?: string): readonly ConsentChange[] {
  const of = tool === undefined ? {} : { tool };
  const wider = permissionsDiff(before, after).map((line): ConsentChange => {
    const sign = line.startsWith("+") ? "+" : "-";
    return { kind: "permission", ...of, sign, what: line.slice(2), widens: true };
  });
  const narrower = coversPermissions(after, before).map((what): ConsentChange => ({
    kind: "permission",
    ...of,
    sign: "-",
    what,
    widens: false,
  }));
  return [...wider, ...narrower];
}

/** Lists every limit that is not accepted yet, new or not, because accepting covers all of them. */
function limitChanges({ declared: { limits: before }, acceptedLimits = {} }: Compared, after: LimitRequest): readonly ConsentChange[] {
  return LIMIT_NAMES.flatMap((limit): readonly ConsentChange[] => {
    const [was, now] = [before, after].map((limits) => limits[limit] ?? DEFAULT_LIMITS[limit]) as [number, number]; // Maps an array of two.
    const accepted = Math.max(acceptedLimits[limit] ?? 0, DEFAULT_LIMITS[limit]);
    if (now > accepted) return [{ kind: "limit", limit, from: accepted, to: now, widens: now > was }];
    return now === was ? [] : [{ kind: "limit", limit, from: was, to: now, widens: now > was }];
  });
}

/** Removed texts are not shown. */
function aboutChanges(before: Partial<About> = {}, after: Partial<About> = {}): readonly ConsentChange[] {
  const [was, now] = [before.settings, after.settings];
  const settings = now === undefined ? [] : was === undefined ? [fromTo(was, now)] : schemaChanges(was, now);
  return [
    ...(after.description === undefined || after.description === before.description
      ? []
      : [{ kind: "field", field: "description", ...fromTo(before.description, after.description) } as const]),
    ...settings.map((change) => ({ kind: "field", field: "settings", ...change }) as const),
  ];
}

/** The reason of a request is shown to the user who grants it. */
function reasonChanges(before: Permissions, after: Permissions, tool?: string): readonly ConsentChange[] {
  return PERMISSION_KINDS.flatMap((kind): readonly ConsentChange[] => {
    const [was, now] = [before, after].map((permissions) => toEntry(permissions[kind] ?? {}).reason);
    if (now === undefined || now === was) return [];
    return [{ kind: "field", ...(tool !== undefined && { tool }), field: "permissions", pointer: `/${kind}/reason`, ...fromTo(was, now) }];
  });
}

function toolChanges(before: Declared, after: Declared): readonly ConsentChange[] {
  const all = unite(Object.values(before.tools).map((tool) => reachOf(tool, before.permissions)));
  const added = Object.entries(after.tools).flatMap(([tool, now]): readonly ConsentChange[] => {
    const was = Object.hasOwn(before.tools, tool) ? before.tools[tool] : undefined;
    if (was !== undefined) return changesOfTool(tool, [was, before], [now, after]);
    const reach = reachOf(now, after.permissions);
    const { description: text } = now;
    const description = typeof text === "string" ? text : "";
    return [
      { kind: "tool", tool, change: "added", class: reach.class, description, ...saysOf(now) },
      ...rise(tool, all, reach),
      ...reasonChanges({}, permissionsOf(now) ?? {}, tool),
    ];
  });
  const gone = Object.keys(before.tools).filter((tool) => !Object.hasOwn(after.tools, tool));
  return [...added, ...gone.map((tool): ConsentChange => ({ kind: "tool", tool, change: "removed" }))];
}

type OfDeclared = readonly [tool: JsonObject, declaration: Declared];

function changesOfTool(tool: string, [was, before]: OfDeclared, [now, after]: OfDeclared): readonly ConsentChange[] {
  const fields = [...new Set([...Object.keys(was), ...Object.keys(now)])].toSorted();
  return [
    ...rise(tool, reachOf(was, before.permissions), reachOf(now, after.permissions)),
    ...ownPermissions(tool, [was, before], [now, after]),
    ...fields.flatMap((field) => changesOfField(tool, field, was, now)),
  ];
}

/** The effect of side effects on a tool's access: its class, and the kinds of access that they open (SPEC P8). */
interface Reach {
  readonly class: SideEffectClass;
  readonly effects: readonly SideEffect[];
}

function rise(tool: string, before: Reach, after: Reach): readonly ConsentChange[] {
  if (rankOf(after.class) > rankOf(before.class)) return [{ kind: "class", tool, from: before.class, to: after.class }];
  // The same class may still open other kinds of access: `execute` alone writes no file.
  const opens = Object.keys(permissionsForEffects(after.effects));
  const opened = permissionsForEffects(before.effects);
  if (opens.every((kind) => Object.hasOwn(opened, kind))) return [];
  return [{ kind: "class", tool, from: before.effects.join(", "), to: after.effects.join(", ") }];
}

function unite(reaches: readonly Reach[]): Reach {
  const effects = SIDE_EFFECTS.filter((effect) => reaches.some((reach) => reach.effects.includes(effect)));
  const highest = Math.max(0, ...reaches.map((reach) => rankOf(reach.class)));
  return { effects, class: SIDE_EFFECT_CLASSES[highest] ?? "none" };
}

/** A tool's own permissions narrow the plugin's; a tool without any has the plugin's. */
function ownPermissions(tool: string, [was, before]: OfDeclared, [now, after]: OfDeclared): readonly ConsentChange[] {
  if (was["permissions"] === undefined && now["permissions"] === undefined) return [];
  const [from, to] = [permissionsOf(was), permissionsOf(now)];
  return [
    ...permissionChanges(from ?? before.permissions, to ?? after.permissions, tool),
    ...reasonChanges(from ?? before.permissions, to ?? {}, tool),
  ];
}

function changesOfField(tool: string, field: string, was: JsonObject, now: JsonObject): readonly ConsentChange[] {
  const [from, to] = [was[field], now[field]];
  if (field === "permissions" || JSON.stringify(from) === JSON.stringify(to)) return [];
  if (field.endsWith("Schema") && from !== undefined && to !== undefined) {
    return schemaChanges(from, to).map((change) => ({ kind: "field", tool, field, ...change }));
  }
  return [{ kind: "field", tool, field, ...fromTo(from, to) }];
}

interface SchemaChange {
  readonly pointer: string;
  readonly from?: string;
  readonly to?: string;
}

/** Returns the members that differ, recursively while both sides are objects. The manifest bounds the depth. */
function schemaChanges(from: JsonValue, to: JsonValue, pointer = ""): readonly SchemaChange[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ pointer, ...fromTo(from, to) }];
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted();
  return keys.flatMap((key) => {
    const [was, now] = [from[key], to[key]];
    const at = `${pointer}/${pointerToken(key)}`;
    return was === undefined || now === undefined ? [{ pointer: at, ...fromTo(was, now) }] : schemaChanges(was, now, at);
  });
}

function isObject(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && !isJsonArray(value);
}

interface Telling {
  readonly title?: unknown;
  readonly tags?: unknown;
  readonly tools?: unknown;
  readonly annotations?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly icons?: unknown;
  readonly _meta?: unknown;
}

/** Returns what a tool tells a model besides its description, because a schema may contain instructions as well. */
export function saysOf({ title, tags, tools, annotations, inputSchema, outputSchema, icons, _meta }: Telling): { readonly says?: string } {
  const named = Array.isArray(tags) && tags.length > 0 ? { tags } : {};
  // Other annotations are fixed values and contain no prose.
  const shown = isTitled(annotations) ? { annotations } : {};
  const rest = JSON.stringify({ title, ...named, tools, ...shown, inputSchema, outputSchema, icons, _meta });
  return WORDS.test(rest) ? { says: rest } : {};
}

function isTitled(annotations: unknown): boolean {
  return typeof annotations === "object" && annotations !== null && "title" in annotations;
}

/** Keys that hold prose for a model, and names or texts that contain spaces or are longer than names. Linear time per text. */
const WORDS = /"(?:title|description|enum|const|default|examples|tags|tools)":|"[^"\s]*\s[^"]*":|"[^"]{41,}"/;

/** Formats the values as JSON text. The new value is complete; of a long old value the common prefix is omitted. */
function fromTo(from: JsonValue | undefined, to: JsonValue | undefined): { readonly from?: string; readonly to?: string } {
  const [was, now] = [from, to].map((value) => (value === undefined ? undefined : JSON.stringify(value)));
  if (was === undefined || now === undefined) return defined({ from: was, to: now });
  const cut = was.length <= LONG ? 0 : Math.max(0, sharedStart(was, now) - LEAD);
  return { from: cut === 0 ? was : `…${was.slice(cut)}`, to: now };
}

const LONG = 600;
/** Characters shown before the place where two long texts differ. */
const LEAD = 60;

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

function permissionsOf(tool: JsonObject): Permissions | undefined {
  // Checked by `declaredBy` and by the lock's reader.
  return tool["permissions"] as Permissions | undefined;
}

function reachOf(tool: JsonObject, permissions: Permissions): Reach {
  const named = tool["sideEffects"];
  const effects = isJsonArray(named) ? SIDE_EFFECTS.filter((effect) => named.includes(effect)) : [];
  const own = permissionsOf(tool);
  return { effects, class: sideEffectClassOf({ sideEffects: effects, ...(own !== undefined && { permissions: own }) }, permissions) };
}

function rankOf(name: SideEffectClass): number {
  return SIDE_EFFECT_CLASSES.indexOf(name);
}
