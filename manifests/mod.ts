/** The contract as data: what a plugin, a tool, a permission set and a project's policy look like. No I/O. */

export type { JsonObject, JsonValue } from "./json.ts";
export type { JsonSchema, SchemaType } from "./json-schema.ts";
export type { LimitRequest, Limits } from "./limits.ts";
export { DEFAULT_LIMITS, GUEST_STACK_BYTES, LIMIT_CEILINGS, resolveLimits } from "./limits.ts";
export type { Manifest, Skill } from "./manifest.ts";
export type {
  AccessQuery, AccessState, AccessVerdict, CompiledPermissions, LayerVerdict, NetItem, PermissionBases, PermissionEntry, PermissionItem, PermissionKind,
  PermissionLayer, Permissions, PermissionValue, SecretItem,
} from "./permissions.ts";
export { PERMISSION_KINDS } from "./permissions.ts";
export type { Parsed, Problem, Severity } from "./problem.ts";
export { problemToText } from "./problem.ts";
export type { Route } from "./route.ts";
export { ROUTES } from "./route.ts";
export type { SideEffect, SideEffectClass } from "./side-effect.ts";
export { SIDE_EFFECT_CLASSES, SIDE_EFFECTS, sideEffectClass } from "./side-effect.ts";
export type { Caller, Requirement, ToolAnnotations, ToolDefinition, Visibility } from "./tool.ts";
