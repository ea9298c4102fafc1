/** The declaration that a user accepts when a plugin is loaded: all that others see of it, and all that it may request (SPEC H6). */

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

/** Plain JSON with sorted keys, so that equal declarations have equal text. */
export interface Declared {
  readonly permissions: Permissions;
  /** Limits requested above the defaults. */
  readonly limits: LimitRequest;
  /** By name; names of skills begin with `skill `. */
  readonly tools: Readonly<Record<string, JsonObject>>;
  /** Absent if unknown: for nothing, for MCP servers, and in a lock older than the field. */
  readonly about?: About;
}

/** The plugin's description of itself. */
export interface About {
  readonly description: string;
  /** Schema of the settings: its titles, descriptions and defaults are shown to the user who sets them. */
  readonly settings?: JsonObject;
}

/** The declaration of a plugin of which nothing has been accepted yet. */
export const NOTHING_YET: Declared = Object.freeze({ permissions: {}, limits: {}, tools: {} });

/** Returns the declaration of a manifest. Leaves out what concerns only the author: files, exports, lower limits, determinism, keywords. */
export function declaredBy(
  manifest: Pick<Manifest, "permissions" | "limits" | "tools" | "skills" | "description" | "settingsSchema">,
): Declared {
  const named = [
    ...manifest.tools.map((tool) => [tool.name, toolDeclaration(tool)] as const),
    ...manifest.skills.map((skill) => [`skill ${skill.name}`, skillDeclaration(skill)] as const),
  ];
  return {
    // Permissions as written are JSON; only their interfaces lack an index signature.
    permissions: sorted(manifest.permissions as unknown as JsonValue) as Permissions,
    limits: raisedLimits(manifest),
    tools: Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    about: {
      description: manifest.description,
      ...(manifest.settingsSchema && { settings: toJson(manifest.settingsSchema) }),
    },
  };
}

/** Returns a copy with the keys of every object sorted. Readers of manifests and locks bound the depth. */
export function sorted(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}

function toolDeclaration(tool: ToolDefinition): JsonObject {
  const { title, description, category, tags, inputSchema, outputSchema, sideEffects, destructive } = tool;
  const { permissions, requires, callers, visibility } = tool;
  const derived = new Map<string, JsonValue>(Object.entries(annotate(tool)));
  // Leaves out annotations that follow from other fields.
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

function skillDeclaration({ description, tools, inputSchema, outputSchema, tags }: Skill): JsonObject {
  return toJson({ description, tools, inputSchema, outputSchema, tags: unlessEmpty(tags) });
}

/** Parts of a manifest came from JSON; the round trip drops undefined members. */
function toJson(parts: object): JsonObject {
  return sorted(JSON.parse(JSON.stringify(parts)) as JsonObject) as JsonObject;
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
