/** The contract as data: types of plugins, tools, permission sets and project policies. No I/O. */

export { editDistance } from "./edit-distance.ts";
export type { HiddenText } from "./hidden-text.ts";
export { findHiddenText, hasLoneSurrogate, showHidden } from "./hidden-text.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export { isJsonArray, isJsonObject, pointerToken } from "./json.ts";
export type { JsonSchema, SchemaType } from "./json-schema.ts";
export type { LimitRequest, Limits } from "./limits.ts";
export { DEFAULT_LIMITS, GUEST_STACK_BYTES, LIMIT_CEILINGS, resolveLimits } from "./limits.ts";
export type { McpServerConfig } from "./mcp-server.ts";
export { checkServerName } from "./mcp-server.ts";
export type { BundleManifest, BundleOption, BundlePlatform, BundleType, BundleValue } from "./mcpb.ts";
export { isBundleManifest, parseBundle } from "./parse-mcpb.ts";
export { BUNDLE_FOLDERS, BUNDLE_SEPARATORS, BUNDLE_VARIABLE, checkBundleValue, USER_CONFIG } from "./mcpb.ts";
export type { Manifest, Skill } from "./manifest.ts";
export { checkPluginName, checkToolName, confusableKey, exportName, printable, qualifiedName } from "./names.ts";
export type { JsonBounds, LocatedJson, TextPosition } from "./parse-json.ts";
export { parseJson, parseJsonSlices } from "./parse-json.ts";
export type {
  AccessQuery,
  AccessState,
  AccessVerdict,
  CompiledItem,
  CompiledPermissions,
  LayerVerdict,
  NetItem,
  PathKind,
  PermissionBases,
  PermissionEntry,
  PermissionItem,
  PermissionKind,
  PermissionLayer,
  Permissions,
  PermissionValue,
  SecretBinding,
  SecretItem,
} from "./permissions.ts";
export { isPathKind, PERMISSION_KINDS } from "./permissions.ts";
export { callablesOf } from "./skill.ts";
export { sha256Hex } from "./sha256.ts";
export type { Parsed, Problem, Severity } from "./problem.ts";
export { problemToText } from "./problem.ts";
export type { Route } from "./route.ts";
export { ROUTES } from "./route.ts";
export type { SideEffect, SideEffectClass } from "./side-effect.ts";
export { OLDER_SIDE_EFFECTS, SIDE_EFFECT_CLASSES, SIDE_EFFECTS, sideEffectClass } from "./side-effect.ts";
export { CALLERS } from "./tool.ts";
export type { Caller, Requirement, ToolAnnotations, ToolDefinition, Visibility } from "./tool.ts";
export type { AddressRange } from "./address-range.ts";
export { addressRange, embeddedAddresses } from "./address-range.ts";
export { ipToText, parseIp } from "./ip-address.ts";
export type { AddressVerdict, NetQuery } from "./permission-address.ts";
export { evaluateAddress } from "./permission-address.ts";
export { bindSecret, compilePermissions, itemToText, toEntry } from "./permission-compile.ts";
export { coversPermissions, isWider, permissionsDiff } from "./permission-covers.ts";
export type { DenoExport, DenoPermission, DenoPermissions } from "./permission-deno.ts";
export { toDenoPermissions } from "./permission-deno.ts";
export { evaluateAccess, withoutRevoked } from "./permission-evaluate.ts";
export type { SmallestGrant } from "./permission-hint.ts";
export { smallestGrant, splitFlagItems } from "./permission-hint.ts";
export type { HostPattern, NetItemOutcome, NetPattern, NetTarget } from "./permission-net.ts";
export { canonicalHost, parseNetItem } from "./permission-net.ts";
export { checkItem, parsePermissions, SYS_KINDS } from "./permission-parse.ts";
export { DEFAULT_PROTECTED, protectNames } from "./protected-names.ts";
export { foldName, foldPath } from "./fold-name.ts";
export { expandHome, isAbsolutePath, normalizePath, pathSegments } from "./permission-path.ts";
export { namesPath } from "./permission-run.ts";
export type { AccessQueryOutcome, DenoKind } from "./permission-query.ts";
export { parseAccessQuery } from "./permission-query.ts";
export { permissionsForClass, permissionsForEffects, sideEffectClassOf } from "./side-effect-permissions.ts";
export type { FlatPermissions, LayerLevel, LayerRules, PermissionType, PermissionTypeRules, PolicyLayer } from "./policy-layer.ts";
export { LAYER_LEVELS, PERMISSION_TYPES } from "./policy-layer.ts";
export type {
  ConfirmationConfig,
  ConfirmMode,
  IsolationConfig,
  IsolationKind,
  PolicyConfig,
  PolicyRule,
  ProjectConfig,
  ProjectTool,
  QuotaConfig,
  QuotaResource,
  QuotaScope,
  RecordMode,
  RuleEffect,
  UndoConfig,
  SecretSource,
  TrustedName,
} from "./project.ts";
export { CONFIRM_MODES, ISOLATION_KINDS, QUOTA_RESOURCES, QUOTA_SCOPES, RECORD_MODES } from "./project.ts";
export { parseQuotas, QUOTA_BOUNDS } from "./parse-quota.ts";
export { checkSchema, REFUSED_KEYWORDS, SCHEMA_BOUNDS } from "./schema-check.ts";
export type { ValueError } from "./validator.ts";
export { applyDefaults, applyDefaultsSlices, checkDefault, checkSlices, checkValue } from "./validator.ts";
export { annotate } from "./annotations.ts";
export { CHECKED_FORMATS } from "./format.ts";
export { LIMIT_NAMES, limitText, raisedLimits } from "./limit-request.ts";
export { manifestToJson } from "./manifest-text.ts";
export { legacyModuleCandidates } from "./legacy-tool.ts";
export { checkModulePath, MODULE_EXTENSIONS } from "./module-path.ts";
export type { ManifestContext } from "./parse.ts";
export { MANIFEST_BOUNDS, parseManifest } from "./parse.ts";
export { parseToolDefinition } from "./parse-definition.ts";
export { DEFAULT_PROJECT, parseProject, PROJECT_BOUNDS } from "./parse-project.ts";
export { SERVER_CEILINGS } from "./parse-server.ts";
export { type RemoteConfig, type ServerConfig, type ServerLimits, TOKEN_SCOPES, type TokenConfig, type TokenScope } from "./server.ts";
export type { PluginSettings, ToolOverride } from "./parse-settings.ts";
export { parseSettings } from "./parse-settings.ts";
export { utf8Length } from "./utf8-length.ts";
