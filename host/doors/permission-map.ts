/**
 * The map of access (SPEC I5, P6): for each resource that a manifest or a grant names, every plugin's effective decision.
 * A decision is that of `why`: manifest, grant and policy together.
 */

import {
  type AccessQuery,
  type AccessState,
  isAtOrBelow,
  isPathKind,
  itemToText,
  normalizePath,
  PERMISSION_KINDS,
  type PermissionItem,
  type Permissions,
  toEntry,
} from "../../manifests/mod.ts";
import type { RecordedUse } from "../audit/usage.ts";
import type { Host } from "../host/host-interface.ts";
import type { Explanation } from "../policy/explain.ts";
import { realDirectoryOf } from "../plugins/folder/mod.ts";
import { toQuery } from "./access-query.ts";
import type { MapCell, MapResource, PermissionMap } from "./views.ts";

interface MappedPlugin {
  readonly name: string;
  readonly tools: readonly string[];
  readonly directory: string;
  readonly requested: Permissions;
  readonly granted: Permissions;
}

type MapHost = Pick<Host, "plugins" | "listEach" | "grants" | "places" | "policy">;

const MAX_RESOURCES = 200;
const STATES: readonly AccessState[] = ["denied", "prompt", "granted"];
/** Tokens of a plugin's own folders. Without a token, a path is relative to the plugin's folder. */
const SHARED_PATH = /^(?:\/|\$(?:workspace|home|tmp)(?:\/|$))/u;

/** One decision a slice. */
export function* permissionMap(host: MapHost, use: Pick<RecordedUse, "acts">): Generator<void, PermissionMap> {
  const plugins = pluginsOf(host);
  const found = new Map<string, MapResource>();
  for (const plugin of plugins) {
    for (const resource of [...resourcesIn(plugin.requested, plugin), ...resourcesIn(plugin.granted, plugin)])
      found.set(keyOf(resource), resource);
    yield;
  }
  const all = [...found.values()].toSorted(inOrder);
  const resources = all.slice(0, MAX_RESOURCES);
  const cells: MapCell[] = [];
  for (const plugin of plugins) {
    const [requested, granted] = [plugin.requested, plugin.granted].map((own) => new Set(resourcesIn(own, plugin).map(keyOf)));
    const tools = new Set(plugin.tools);
    const acts = use.acts.filter(({ tool }) => tools.has(tool));
    for (const [index, resource] of resources.entries()) {
      if (resource.own !== undefined && resource.own !== plugin.name) continue;
      // The manifest denies every kind that it does not request.
      if (plugin.requested[resource.kind] === undefined && plugin.granted[resource.kind] === undefined) continue;
      const query = queryOf(resource, plugin, host);
      const cell = {
        ...{ plugin: plugin.name, resource: index },
        ...(yield* effective(plugin, query, host)),
        requested: requested?.has(keyOf(resource)) ?? false,
        granted: granted?.has(keyOf(resource)) ?? false,
        used: usesOf(query, acts),
      };
      if (cell.requested || cell.granted || cell.state === "granted") cells.push(cell);
      yield;
    }
  }
  return { plugins: plugins.map(({ name }) => name), resources, cells, left: all.length - resources.length };
}

function pluginsOf(host: MapHost): readonly MappedPlugin[] {
  const tools = Map.groupBy(host.listEach(), ({ plugin }) => plugin);
  return host.plugins().flatMap((status): readonly MappedPlugin[] => {
    const { name, requested = {}, digest = "" } = status;
    const own = tools.get(name);
    if (name === undefined || own === undefined) return [];
    const directory = realDirectoryOf(status);
    const granted = host.grants.find(name, directory, digest) ?? {};
    return [{ name, tools: own.map(({ qualifiedName }) => qualifiedName), directory, requested, granted }];
  });
}

function resourcesIn(permissions: Permissions, { name }: Pick<MappedPlugin, "name">): readonly MapResource[] {
  return PERMISSION_KINDS.flatMap((kind) => {
    const { allow = false } = toEntry(permissions[kind] ?? false);
    const items: readonly (PermissionItem | true)[] = allow === true ? [true] : allow === false ? [] : allow;
    return items.map((item): MapResource => {
      const text = item === true ? "" : nameOf(item);
      return { kind, text, ...(isPathKind(kind) && text !== "" && !SHARED_PATH.test(text) && { own: name }) };
    });
  });
}

/** Methods and paths of a host are left out: a cell shows the host. */
function nameOf(item: PermissionItem): string {
  return typeof item === "object" && "host" in item ? item.host : itemToText(item);
}

function keyOf({ kind, text, own }: MapResource): string {
  return JSON.stringify([kind, text, own ?? null]);
}

function inOrder(one: MapResource, other: MapResource): number {
  return PERMISSION_KINDS.indexOf(one.kind) - PERMISSION_KINDS.indexOf(other.kind) || (keyOf(one) < keyOf(other) ? -1 : 1);
}

/** A pattern is asked about by the part before its first star, a host pattern by a name that it matches. */
function queryOf({ kind, text }: MapResource, { name, directory }: MappedPlugin, { places }: MapHost): AccessQuery {
  if (text === "") return { kind };
  if (!isPathKind(kind)) return toQuery(kind, kind === "net" ? text.replace(/^\*+\./u, "any.") : text);
  const [token = "", ...rest] = text.split("/");
  const bases: Readonly<Record<string, string>> = {
    $workspace: places.workspace,
    $home: places.folders.home,
    $tmp: places.folders.tmp,
    $data: `${places.folders.data}/${name}`,
    $plugin: directory,
  };
  const base = Object.hasOwn(bases, token) ? bases[token] : undefined;
  const parts = base === undefined ? text.split("/") : rest;
  const firstGlob = parts.findIndex((part) => part.includes("*") || part.includes("?"));
  const literal = (firstGlob === -1 ? parts : parts.slice(0, firstGlob)).join("/");
  const path = normalizePath(literal === "" ? (base === undefined && text.startsWith("/") ? "/" : ".") : literal, base ?? directory);
  return { kind, path: path ?? directory };
}

type CellDecision = Pick<MapCell, "state" | "asks" | "layer" | "rule">;

/** Returns the decision of the tool that gets most. The first that is granted without a confirmation ends the search. */
function* effective({ tools }: MappedPlugin, query: AccessQuery, { policy }: MapHost): Generator<void, CellDecision> {
  let best: CellDecision | undefined;
  for (const tool of tools) {
    const explanation = policy.now(tool, undefined, {}, query);
    const decision = explanation && decisionIn(explanation);
    if (decision !== undefined && (best === undefined || isMore(decision, best))) best = decision;
    if (best?.state === "granted" && !best.asks) break;
    yield;
  }
  return best ?? { state: "denied", asks: false, layer: "no tool" };
}

function isMore(one: CellDecision, other: CellDecision): boolean {
  const more = STATES.indexOf(one.state) - STATES.indexOf(other.state);
  return more > 0 || (more === 0 && !one.asks && other.asks);
}

function decisionIn({ verdict, because, act }: Explanation): CellDecision {
  const asks = verdict === "asks";
  if (verdict === "denied" || verdict === "unavailable" || act === undefined) return { state: "denied", asks, ...because };
  const { state, decidedBy } = act.verdict;
  return { state, asks, layer: decidedBy.layer, ...(decidedBy.rule !== undefined && { rule: decidedBy.rule }) };
}

/** @param acts those of the plugin */
function usesOf(query: AccessQuery, acts: RecordedUse["acts"]): number {
  const matching = acts.filter(({ kind, value }) => {
    if (kind !== query.kind) return false;
    if ("path" in query && query.path !== undefined) return value.startsWith("/") && isAtOrBelow(value, query.path);
    if ("host" in query && query.host !== undefined) return value.replace(/:\d+$/u, "") === query.host;
    return !("name" in query) || query.name === undefined || value === query.name;
  });
  return matching.reduce((sum, { count }) => sum + count, 0);
}
