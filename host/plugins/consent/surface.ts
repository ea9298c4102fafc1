/** What a person consents to when a plugin is taken into service: all that others see of it, and all that it may ask for (SPEC H6). */

import {
  annotate,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type LimitRequest,
  type Manifest,
  type Permissions,
  raisedLimits,
  type Skill,
  type ToolDefinition,
} from "../../../manifests/mod.ts";

/** Plain JSON, every object's keys sorted: equal surfaces have equal text. */
export interface Surface {
  readonly permissions: Permissions;
  /** Asked for above the defaults. */
  readonly limits: LimitRequest;
  /** By name; those of skills begin with `skill `. */
  readonly tools: Readonly<Record<string, JsonObject>>;
  /** Absent where it is not known: of nothing, of MCP servers, and in a lock that was written before consent compared it. */
  readonly about?: About;
}

/** What a plugin says of itself. */
export interface About {
  readonly description: string;
  /** The schema of its settings: titles, descriptions and defaults are shown to the person who sets them. */
  readonly settings?: JsonObject;
}

/** Of a plugin that no person has accepted yet. */
export const NOTHING_YET: Surface = Object.freeze({ permissions: {}, limits: {}, tools: {} });

/** Of a manifest. What only its author cares for (files, exports, lower limits, determinism, keywords) is not part of it. */
export function surfaceOf(
  manifest: Pick<Manifest, "permissions" | "limits" | "tools" | "skills" | "description" | "settingsSchema">,
): Surface {
  const named = [
    ...manifest.tools.map((tool) => [tool.name, toolSurface(tool)] as const),
    ...manifest.skills.map((skill) => [`skill ${skill.name}`, skillSurface(skill)] as const),
  ];
  return {
    // Permissions as written are JSON; their interfaces just have no index signature.
    permissions: sorted(manifest.permissions as unknown as JsonValue) as Permissions,
    limits: raisedLimits(manifest),
    tools: Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    about: {
      description: manifest.description,
      ...(manifest.settingsSchema && { settings: toJson(manifest.settingsSchema) }),
    },
  };
}

/** A copy with the keys of every object in order. The depth is bounded where manifests and locks are read. */
export function sorted(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}

function toolSurface(tool: ToolDefinition): JsonObject {
  const { title, description, category, tags, inputSchema, outputSchema, sideEffects, destructive } = tool;
  const { permissions, requires, callers, visibility } = tool;
  const derived = new Map<string, JsonValue>(Object.entries(annotate(tool)));
  // What follows from the rest is no news of its own.
  const annotations = Object.fromEntries(Object.entries(tool.annotations).filter(([key, value]) => value !== derived.get(key)));
  return toJson({
    ...{ title, description, category, inputSchema, outputSchema, sideEffects, permissions },
    tags: unlessEmpty(tags),
    ...(destructive && { destructive }),
    requires: unlessEmpty(requires),
    ...(callers.join() !== "direct" && { callers }),
    visibility: unlessEmpty(visibility),
    annotations: unlessEmpty(annotations),
  });
}

function skillSurface({ description, tools, inputSchema, outputSchema, tags }: Skill): JsonObject {
  return toJson({ description, tools, inputSchema, outputSchema, tags: unlessEmpty(tags) });
}

/** Parts of a manifest came from JSON, so they have a JSON form; what is undefined has none. */
function toJson(parts: object): JsonObject {
  return sorted(JSON.parse(JSON.stringify(parts)) as JsonObject) as JsonObject;
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
