/** A tool as lists show it: data only, ready for JSON (SPEC R3). */

import {
  type JsonSchema,
  type LimitRequest,
  type Permissions,
  type Route,
  type SideEffect,
  sideEffectClassOf,
  type SideEffectClass,
  type ToolAnnotations,
  type Visibility,
} from "../../manifests/mod.ts";
import type { Confinement } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { LackingLimit } from "../call/limit-hint.ts";
import type { PublishedWords, RegisteredTool, ToolSourceName } from "./tool.ts";

/** What to list; every part that is given must match. */
export interface ToolFilter {
  /** Bare or qualified. */
  readonly name?: string;
  readonly plugin?: string;
  /** `user` is an alias of `function`. */
  readonly source?: ToolSourceName | "user";
  readonly category?: string;
  /** All of them must match. */
  readonly tags?: readonly string[];
  /** Only what this role may see. */
  readonly role?: string;
  /** Leaves out what cannot be called now. */
  readonly enabledOnly?: boolean;
}

/** A registered tool without its code. */
export interface ToolListing {
  readonly id: string;
  readonly name: string;
  readonly qualifiedName: string;
  /** Whose the bare name is, if that is another's. */
  readonly yieldsTo?: string;
  readonly title?: string;
  readonly description: string;
  readonly plugin?: string;
  readonly version?: string;
  readonly digest?: string;
  readonly source: ToolSourceName;
  readonly toolkit?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** As its source wrote it; where `checks` is there, it may be any JSON Schema. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** The schemas that the host itself checks, in the words of tool schemas; set if those above are in others: the source checks the rest. */
  readonly checks?: { readonly inputSchema: JsonSchema; readonly outputSchema?: JsonSchema };
  /** Members for clients in an MCP server's definition of the tool, in its own words. */
  readonly mcp?: NonNullable<PublishedWords["mcp"]>;
  /** Absent when there are none. */
  readonly sideEffects?: readonly SideEffect[];
  /** Its manifest, in the older spelling, declares none: these are assumed (SPEC M9). */
  readonly assumed?: true;
  readonly class: SideEffectClass;
  readonly destructive: boolean;
  readonly annotations: ToolAnnotations;
  /** What the tool asks for (its own permissions, else its plugin's). */
  readonly permissions?: Permissions;
  /** Where it runs unless policy says otherwise. */
  readonly route: Route;
  /** What holds the process of a trusted plugin, where policy says route "host". */
  readonly confinement?: Confinement;
  /** What the tool asks for, in place of the defaults; where policy has decided, what is in force. */
  readonly limits: LimitRequest;
  /** What it asks for above those that are in force. */
  readonly lacking?: readonly LackingLimit[];
  /** Items that it may neither read nor write, since it needs no grant (`policy.protected`). */
  readonly protected?: readonly string[];
  readonly enabled: boolean;
  /** Why it cannot be called. */
  readonly reason?: string;
}

/** Policy's decision about a tool, as far as lists show it. */
export type DecidedListing = Pick<ToolListing, "route" | "limits" | "confinement" | "lacking" | "protected"> & {
  readonly unavailable?: string;
};

/** Lists one tool; without a decision, as it is before policy had a say. */
export function listTool(tool: RegisteredTool, decided: DecidedListing = undecided(tool)): ToolListing {
  const { definition, binding, published } = tool;
  const { inputSchema, outputSchema } = definition;
  const { route, limits, confinement, lacking, protected: names } = decided;
  const reason = binding.kind === "unavailable" ? binding.reason : decided.unavailable;
  const version = binding.kind === "plugin" ? binding.version : undefined;
  const permissions = definition.permissions ?? version?.manifest.permissions;
  return Object.freeze({
    id: tool.id,
    name: tool.name,
    qualifiedName: tool.qualifiedName,
    ...(tool.yieldsTo !== undefined && { yieldsTo: tool.yieldsTo }),
    ...(definition.title !== undefined && { title: definition.title }),
    description: definition.description,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
    ...(version && { version: version.manifest.version, digest: version.digest }),
    source: tool.source,
    ...(tool.toolkit !== undefined && { toolkit: tool.toolkit }),
    ...(definition.category !== undefined && { category: definition.category }),
    tags: definition.tags,
    inputSchema: published?.inputSchema ?? inputSchema,
    ...(outputSchema && { outputSchema: published?.outputSchema ?? outputSchema }),
    ...((published?.inputSchema ?? published?.outputSchema) && { checks: { inputSchema, ...(outputSchema && { outputSchema }) } }),
    ...(published?.mcp && { mcp: published.mcp }),
    ...(definition.sideEffects.length > 0 && { sideEffects: definition.sideEffects }),
    ...(definition.assumed === true && { assumed: true as const }),
    class: sideEffectClassOf(definition, permissions),
    destructive: definition.destructive,
    annotations: definition.annotations,
    ...(permissions && { permissions }),
    route,
    limits,
    ...(confinement && { confinement }),
    ...(lacking && { lacking }),
    ...(names && { protected: names }),
    enabled: reason === undefined,
    ...(reason !== undefined && { reason }),
  });
}

function undecided({ definition, binding, plugin }: RegisteredTool): DecidedListing {
  const { timeoutMs: wallMs } = definition;
  const own = binding.kind === "plugin" ? binding.version.manifest.limits : {};
  return {
    route: plugin !== undefined ? "wasm" : binding.kind === "remote" ? "remote" : "host",
    limits: { ...own, ...(wallMs !== undefined && { wallMs }) },
  };
}

/** Whether every part of the filter matches. */
export function matchesFilter(tool: RegisteredTool, filter: ToolFilter): boolean {
  const { name, plugin, source, category, tags = [], role, enabledOnly = false } = filter;
  if (name !== undefined && tool.name !== name && tool.qualifiedName !== name) return false;
  if (plugin !== undefined && tool.plugin !== plugin) return false;
  if (source !== undefined && tool.source !== (source === "user" ? "function" : source)) return false;
  if (category !== undefined && tool.definition.category !== category) return false;
  if (!tags.every((tag) => tool.definition.tags.includes(tag))) return false;
  if (role !== undefined && !isVisible(tool.definition.visibility, role)) return false;
  return !enabledOnly || tool.binding.kind !== "unavailable";
}

/** Whether a session, and every session that delegated to it, may see the tool (SPEC R4, P3). */
export function isVisibleTo({ role, parent }: Session, tool: RegisteredTool): boolean {
  return isVisible(tool.definition.visibility, role) && (parent === undefined || isVisibleTo(parent, tool));
}

function isVisible(visibility: Visibility, role: string | undefined): boolean {
  if (visibility.roles !== undefined && (role === undefined || !visibility.roles.includes(role))) return false;
  return role === undefined || visibility.notRoles?.includes(role) !== true;
}
