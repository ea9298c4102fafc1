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
import { defined } from "../primitives/defined.ts";
import type { PublishedWords, RegisteredTool, ToolSourceName } from "./tool.ts";

/** Selects tools: all parts that are given must match. */
export interface ToolFilter {
  /** Bare or qualified. */
  readonly name?: string;
  readonly plugin?: string;
  /** `user` is an alias of `function`. */
  readonly source?: ToolSourceName | "user";
  readonly category?: string;
  /** All of them must match. */
  readonly tags?: readonly string[];
  /** Only tools that this role may see. */
  readonly role?: string;
  /** Omits tools that cannot be called now. */
  readonly enabledOnly?: boolean;
}

/** A registered tool without its code. */
export interface ToolListing {
  /** Unique in the registry, for as long as it exists. */
  readonly id: string;
  /** Bare name, such as `peek`. */
  readonly name: string;
  /** Name with its owner, such as `demo.peek`. */
  readonly qualifiedName: string;
  /** Owner of the bare name, if another owner has it. */
  readonly yieldsTo?: string;
  readonly title?: string;
  readonly description: string;
  readonly plugin?: string;
  readonly version?: string;
  /** SHA-256 in hexadecimal of the plugin's files. */
  readonly digest?: string;
  readonly source: ToolSourceName;
  readonly toolkit?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  /** As written by its source; may be any JSON Schema if `checks` is set. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /**
   * The schemas that the host validates, in the dialect of tool schemas; set if those above use another dialect, whose rest the source
   * validates.
   */
  readonly checks?: { readonly inputSchema: JsonSchema; readonly outputSchema?: JsonSchema };
  /** Members of an MCP server's definition of the tool, for clients. */
  readonly mcp?: NonNullable<PublishedWords["mcp"]>;
  /** Absent when there are none. */
  readonly sideEffects?: readonly SideEffect[];
  /** Whether the side effects are assumed, because a manifest in the older spelling declares none (SPEC M9). */
  readonly assumed?: true;
  readonly class: SideEffectClass;
  readonly destructive: boolean;
  /** Whether a second run with the same `context.idempotencyKey` has no further effect. */
  readonly idempotent?: true;
  readonly annotations: ToolAnnotations;
  /** Requested permissions (the tool's own, else its plugin's). */
  readonly permissions?: Permissions;
  /** Default route; policy may choose another. */
  readonly route: Route;
  /** Confinement of a trusted plugin's process, if policy selects route "host". */
  readonly confinement?: Confinement;
  /** Requested limits in place of the defaults; after a policy decision, the limits in force. */
  readonly limits: LimitRequest;
  /** Requested limits above those in force. */
  readonly lacking?: readonly LackingLimit[];
  /** Items that a tool without a grant may neither read nor write (`policy.protected`). */
  readonly protected?: readonly string[];
  readonly enabled: boolean;
  /** Reason if the tool cannot be called. */
  readonly reason?: string;
}

/** The fields of a listing that depend on policy's decision. */
type DecidedListing = Pick<ToolListing, "route" | "limits" | "confinement" | "lacking" | "protected"> & {
  readonly unavailable?: string;
};

/** Returns the listing of a tool; without a decision, the state before policy. */
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
    ...defined({ yieldsTo: tool.yieldsTo, title: definition.title }),
    description: definition.description,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
    ...(version && { version: version.manifest.version, digest: version.digest }),
    source: tool.source,
    ...defined({ toolkit: tool.toolkit, category: definition.category }),
    tags: definition.tags,
    inputSchema: published?.inputSchema ?? inputSchema,
    ...(outputSchema && { outputSchema: published?.outputSchema ?? outputSchema }),
    ...((published?.inputSchema ?? published?.outputSchema) && { checks: { inputSchema, ...(outputSchema && { outputSchema }) } }),
    ...(published?.mcp && { mcp: published.mcp }),
    ...(definition.sideEffects.length > 0 && { sideEffects: definition.sideEffects }),
    ...(definition.assumed === true && { assumed: true as const }),
    class: sideEffectClassOf(definition, permissions),
    destructive: definition.destructive,
    ...(definition.idempotent === true && { idempotent: true as const }),
    annotations: definition.annotations,
    ...(permissions && { permissions }),
    route,
    limits,
    ...defined({ confinement, lacking, protected: names }),
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

/** Returns whether the tool matches every part of the filter. */
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

/** Returns whether a session, and every session above it, may see the tool (SPEC R4, P3). */
export function isVisibleTo({ role, parent }: Session, tool: RegisteredTool): boolean {
  return isVisible(tool.definition.visibility, role) && (parent === undefined || isVisibleTo(parent, tool));
}

function isVisible(visibility: Visibility, role: string | undefined): boolean {
  if (visibility.roles !== undefined && (role === undefined || !visibility.roles.includes(role))) return false;
  return role === undefined || visibility.notRoles?.includes(role) !== true;
}
