/** The narrowest permissions that cover recorded acts, with the evidence for each line (SPEC P9). Pure. */

import {
  type AccessQuery,
  checkItem,
  foldName,
  isAtOrBelow,
  itemToText,
  type PermissionItem,
  type Permissions,
  type PermissionValue,
  smallestGrant,
} from "../../../manifests/mod.ts";
import { isInnerHost } from "../../capabilities/inner-host.ts";
import { type Act, LEARNED_KINDS, type LearnedKind } from "../../audit/acts.ts";
import { type Maximum, type OwnItem, queryOf } from "./maximum.ts";
import { coverPaths } from "./paths.ts";

/** One needed item, and why. */
export interface LearnedLine {
  readonly kind: LearnedKind;
  readonly item: PermissionItem;
  /** Number of acts that need it. */
  readonly acts: number;
  /** Number of refusals among them. */
  readonly refused: number;
  /** The first few distinct values; the plugin's own text. */
  readonly examples: readonly string[];
  readonly values: number;
  /** Ids of the first few calls. */
  readonly calls: readonly string[];
}

/** An act that was done or attempted and is not proposed. */
export interface LeftOut {
  readonly kind: LearnedKind;
  /** The plugin's own text. */
  readonly value: string;
  readonly method?: string;
  readonly acts: number;
  readonly reason: string;
}

/** The result of learning. */
export interface Learned {
  readonly permissions: Permissions;
  readonly lines: readonly LearnedLine[];
  /** The first few; `leftOutMore` counts the others. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutMore: number;
}

/** Options of learning. */
interface LearnOptions {
  readonly maximum: Maximum;
  /** Number of files directly in one folder from which on the folder is proposed. Default 4. */
  readonly folderFrom?: number;
}

const FOLDER_FROM = 4;
const MAX_ITEMS = 32;
const MAX_LEFT_OUT = 20;
const MAX_EXAMPLES = 3;
const MAX_CALLS = 5;

const BEYOND = "beyond the maximum";
const EVERYTHING = "would allow everything";
const HOSTS = "belongs to the host (tokens, grants, journal), which no plugin should access";
const INNER = "not in the public network, and a server may have led there (grant it yourself if the plugin needs it)";
const NAMELESS = "cannot be named alone, because its name reads as a pattern (grant its folder yourself)";
const TOO_MANY = "too many different ones to list (grant a folder or a pattern yourself)";

/** Proposes permissions within the maximum that cover every act except those in `leftOut`, and contain no item that no act needs. */
export function learn(acts: readonly Act[], options: LearnOptions): Learned {
  const work = learnSlices(acts, options);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same as `learn` in slices (SPEC LV2). */
export function* learnSlices(acts: readonly Act[], { maximum, folderFrom = FOLDER_FROM }: LearnOptions): Generator<void, Learned> {
  const lines: LearnedLine[] = [];
  const leftOut: LeftOut[] = [];
  const leave = ({ kind, value, method, count }: Act, reason: string): void =>
    void leftOut.push({ kind, value, ...(method !== undefined && { method }), acts: count, reason });

  for (const kind of LEARNED_KINDS) {
    const wanted: { readonly act: Act; readonly query: AccessQuery }[] = [];
    for (const act of acts) {
      if (act.kind !== kind) continue;
      yield;
      const query = queryOf(act);
      if (act.refusedBy !== undefined) leave(act, `refused by the ${act.refusedBy} layer, which no grant changes`);
      else if (query === undefined) leave(act, EVERYTHING);
      else if (isHosts(act, maximum.bases.data)) leave(act, HOSTS);
      else if (query.kind === "net" && isInnerHost(query.host ?? "") && act.refused === act.count) leave(act, INNER);
      else if (!maximum.allows(query) && !maximum.ownItems(kind).some((own) => own.allows(query))) leave(act, BEYOND);
      else wanted.push({ act, query });
    }
    const found = yield* kind === "read" || kind === "write"
      ? learnPaths(kind, wanted, maximum, folderFrom)
      : learnNames(kind, wanted, maximum);
    for (const { act, reason } of found.left) leave(act, reason);
    const kept = found.items.toSorted((a, b) => countOf(b.acts) - countOf(a.acts));
    for (const { item, acts: needing } of kept.slice(0, MAX_ITEMS)) lines.push(toLine(kind, item, needing));
    for (const act of kept.slice(MAX_ITEMS).flatMap((one) => one.acts)) leave(act, TOO_MANY);
  }
  return {
    permissions: permissionsOf(lines),
    lines,
    leftOut: leftOut.slice(0, MAX_LEFT_OUT),
    leftOutMore: Math.max(0, leftOut.length - MAX_LEFT_OUT),
  };
}

/** Builds a permission set from lines. */
export function permissionsOf(lines: readonly Pick<LearnedLine, "kind" | "item">[]): Permissions {
  const permissions: { [K in LearnedKind]?: PermissionValue } = {};
  for (const kind of LEARNED_KINDS) {
    const items = lines.filter((line) => line.kind === kind).map(({ item }) => item);
    if (items.length > 0) permissions[kind] = items;
  }
  return permissions;
}

/**
 * Returns true for files in a project's state, and for writing its configuration and lock, in any spelling; false for the plugin's data
 * folder.
 */
function isHosts({ kind, value }: Act, data: string | undefined): boolean {
  if ((kind !== "read" && kind !== "write") || (data !== undefined && isAtOrBelow(value, data))) return false;
  const names = value.split(/[\\/]/).map(foldName);
  return names.includes(".bascule") || (kind === "write" && /^bascule\.(?:json|lock)$/.test(names.at(-1) ?? ""));
}

interface Found {
  readonly items: readonly { readonly item: PermissionItem; readonly acts: readonly Act[] }[];
  readonly left: readonly { readonly act: Act; readonly reason: string }[];
}
type Wanted = readonly { readonly act: Act; readonly query: AccessQuery }[];

function* learnPaths(kind: "read" | "write", wanted: Wanted, maximum: Maximum, folderFrom: number): Generator<void, Found> {
  const byPath = groupBy(wanted, ({ act }) => act.value);
  const isWithin = (path: string): boolean => maximum.allows({ kind, path }) && maximum.covers(kind, path);
  const { bases } = maximum;
  const { items, tooWide, nameless } = yield* coverPaths([...byPath.keys()], { kind, bases, folderFrom, maxItems: MAX_ITEMS, isWithin });
  const actsAt = (path: string): readonly Act[] => (byPath.get(path) ?? []).map(({ act }) => act);
  return {
    items: [...items].map(([path, stoodFor]) => ({ item: written({ kind, path }, maximum), acts: stoodFor.flatMap(actsAt) })),
    left: [
      ...tooWide.flatMap(actsAt).map((act) => ({ act, reason: EVERYTHING })),
      ...nameless.flatMap(actsAt).map((act) => ({ act, reason: NAMELESS })),
    ],
  };
}

/** Writes paths relative to `$workspace` and the like if they lie there. */
function written(query: AccessQuery, { bases }: Maximum): PermissionItem {
  const value = smallestGrant(query, bases).permissions[query.kind];
  const [item] = Array.isArray(value) ? (value as readonly PermissionItem[]) : []; // `smallestGrant` writes a list.
  return item ?? "";
}

function* learnNames(kind: LearnedKind, wanted: Wanted, maximum: Maximum): Generator<void, Found> {
  const items = new Map<string, { readonly item: PermissionItem; readonly acts: Act[] }>();
  const left: { act: Act; reason: string }[] = [];
  const chosen: ({ readonly group: Wanted } & ReturnType<typeof narrowest>)[] = [];
  for (const group of groupBy(wanted, ({ act }) => act.value).values()) {
    chosen.push({ group, ...narrowest(kind, group, maximum) });
    yield;
  }
  const owns = [...new Set(chosen.flatMap(({ own }) => own ?? []))];
  for (const { group, item } of chosen) {
    yield;
    const acts = group.map(({ act }) => act);
    // If one of the maximum's own items is needed anyway, it replaces narrower ones that it covers.
    const covering = owns.find((own) => group.every(({ query }) => own.allows(query)))?.item ?? item;
    if (covering === undefined) {
      left.push(...acts.map((act) => ({ act, reason: BEYOND })));
      continue;
    }
    const key = itemToText(covering);
    const known = items.get(key);
    if (known === undefined) items.set(key, { item: covering, acts });
    else known.acts.push(...acts);
  }
  return { items: [...items.values()], left };
}

const ONLY_LOOKS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** Returns the first that the maximum covers: the host with its methods, the value as it is, or one of the maximum's own items. */
function narrowest(kind: LearnedKind, group: Wanted, maximum: Maximum): { readonly item?: PermissionItem; readonly own?: OwnItem } {
  const [first] = group;
  if (first === undefined) return {};
  const plain = kind === "net" ? written(withoutMethod(first.query), maximum) : first.act.value;
  const methods = [...new Set(group.map(({ act }) => act.method ?? ""))].toSorted();
  const looks: PermissionItem[] =
    typeof plain === "string" && kind === "net" && methods.every((method) => ONLY_LOOKS.has(method)) ? [{ host: plain, methods }] : [];
  const narrow = [...looks, plain].find((item) => isExact(kind, item) && maximum.covers(kind, item));
  if (narrow !== undefined) return { item: narrow };
  const own = maximum.ownItems(kind).find((one) => group.every(({ query }) => one.allows(query)));
  return own === undefined ? {} : { item: own.item, own };
}

/** Returns false for names with a star, which would match others too, and for names that no item can express. */
function isExact(kind: LearnedKind, item: PermissionItem): boolean {
  return checkItem(kind, item) === undefined && !itemToText(item).includes("*");
}

function withoutMethod(query: AccessQuery): AccessQuery {
  if (query.kind !== "net") return query;
  const { method: _method, ...rest } = query;
  return rest;
}

function toLine(kind: LearnedKind, item: PermissionItem, acts: readonly Act[]): LearnedLine {
  const values = [...new Set(acts.map(({ value }) => value))];
  return {
    kind,
    item,
    acts: countOf(acts),
    refused: acts.reduce((sum, { refused }) => sum + refused, 0),
    examples: values.slice(0, MAX_EXAMPLES),
    values: values.length,
    calls: [...new Set(acts.flatMap(({ calls }) => calls))].slice(0, MAX_CALLS),
  };
}

function countOf(acts: readonly Act[]): number {
  return acts.reduce((sum, { count }) => sum + count, 0);
}

function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
