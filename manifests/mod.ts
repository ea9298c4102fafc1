/** The contract as data: what a plugin, a tool, a permission set and a project's policy look like. No I/O. */

export type { HiddenText } from "./hidden-text.ts";
export { findHiddenText } from "./hidden-text.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { isJsonObject, pointerToken } from "./json.ts";
export type { JsonSchema, SchemaType } from "./json-schema.ts";
export type { LimitRequest, Limits } from "./limits.ts";
export { DEFAULT_LIMITS, GUEST_STACK_BYTES, LIMIT_CEILINGS, resolveLimits } from "./limits.ts";
export type { Manifest, Skill } from "./manifest.ts";
export { checkPluginName, checkToolName, confusableKey, exportName, printable, qualifiedName } from "./names.ts";
export type { JsonBounds, LocatedJson, TextPosition } from "./parse-json.ts";
export { parseJson } from "./parse-json.ts";
export type {
  AccessQuery,
  AccessState,
  AccessVerdict,
  CompiledPermissions,
  LayerVerdict,
  NetItem,
  PermissionBases,
  PermissionEntry,
  PermissionItem,
  PermissionKind,
  PermissionLayer,
  Permissions,
  PermissionValue,
  SecretItem,
} from "./permissions.ts";
export { PERMISSION_KINDS } from "./permissions.ts";
export type { Parsed, Problem, Severity } from "./problem.ts";
export { problemToText } from "./problem.ts";
export type { Route } from "./route.ts";
export { ROUTES } from "./route.ts";
export type { SideEffect, SideEffectClass } from "./side-effect.ts";
export { SIDE_EFFECT_CLASSES, SIDE_EFFECTS, sideEffectClass } from "./side-effect.ts";
export type { Caller, Requirement, ToolAnnotations, ToolDefinition, Visibility } from "./tool.ts";
export type { PluginSettings, SmallestGrant, ValueError } from "./pending.ts";
export {
  applyDefaults, checkSchema, checkValue, compilePermissions, coversPermissions, evaluateAccess, isWider, legacyModuleCandidates,
  manifestJsonSchema, manifestToJson, normalizePath, parseManifest, parsePermissions, parseProject, parseSettings, permissionsDiff,
  permissionsForClass, permissionsForEffects, sideEffectClassOf, smallestGrant,
} from "./pending.ts";
export type { ConfirmationConfig, ConfirmMode, PolicyConfig, PolicyRule, ProjectConfig, RuleEffect } from "./project.ts";
export { CONFIRM_MODES } from "./project.ts";
