/** The contract as data: types of plugins, tools, permission sets and project policies. No I/O. */

export { editDistance } from "./text/edit-distance.ts";
export type { HiddenText } from "./text/hidden-text.ts";
export { findHiddenText, hasLoneSurrogate, showHidden } from "./text/hidden-text.ts";
export type { JsonObject, JsonValue } from "./text/json.ts";
export { isJsonArray, isJsonObject, pointerToken } from "./text/json.ts";
export type { JsonSchema, SchemaType, SubSchema } from "./schema/json-schema.ts";
export { isDraft7, itemsOf, prefixItemsOf, SCHEMA_KEYWORDS, schemaObject } from "./schema/json-schema.ts";
export { indexOf as schemaIndexOf } from "./schema/schema-index.ts";
export type { LimitRequest, Limits } from "./plugin/limits.ts";
export { DEFAULT_LIMITS, GUEST_STACK_BYTES, LIMIT_CEILINGS, resolveLimits } from "./plugin/limits.ts";
export type { McpServerConfig } from "./mcp/mcp-server.ts";
export { checkServerName } from "./mcp/mcp-server.ts";
export type { BundleManifest, BundleOption, BundlePlatform, BundleType, BundleValue } from "./mcp/mcpb.ts";
export { isBundleManifest, parseBundle } from "./mcp/parse-mcpb.ts";
export { BUNDLE_FOLDERS, BUNDLE_SEPARATORS, BUNDLE_VARIABLE, checkBundleValue, USER_CONFIG } from "./mcp/mcpb.ts";
export type { Manifest, Skill } from "./plugin/manifest.ts";
export { checkPluginName, checkToolName, confusableKey, exportName, printable, qualifiedName } from "./text/names.ts";
export type { JsonBounds, LocatedJson, TextPosition } from "./text/parse-json.ts";
export { parseJson, parseJsonSlices, withoutComments } from "./text/parse-json.ts";
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
} from "./permissions/permissions.ts";
export { isPathKind, PERMISSION_KINDS } from "./permissions/permissions.ts";
export { isAtOrBelow, isBelow, movedPath, relativeBelow } from "./text/paths.ts";
export { callablesOf } from "./plugin/skill.ts";
export { sha256Hex } from "./text/sha256.ts";
export type { Parsed, Problem, Severity } from "./text/problem.ts";
export { problemToText } from "./text/problem.ts";
export type { Route } from "./project/route.ts";
export { ROUTES } from "./project/route.ts";
export type { SideEffect, SideEffectClass } from "./permissions/side-effect.ts";
export { OLDER_SIDE_EFFECTS, SIDE_EFFECT_CLASSES, SIDE_EFFECTS, sideEffectClass } from "./permissions/side-effect.ts";
export { CALLERS } from "./plugin/tool.ts";
export type { Caller, Requirement, ToolAnnotations, ToolDefinition, Visibility } from "./plugin/tool.ts";
export type { AddressRange } from "./permissions/address-range.ts";
export { addressRange, embeddedAddresses } from "./permissions/address-range.ts";
export { ipToText, parseIp } from "./permissions/ip-address.ts";
export type { AddressVerdict, NetQuery } from "./permissions/permission-address.ts";
export { evaluateAddress } from "./permissions/permission-address.ts";
export { bindSecret, compilePermissions, itemToText, toEntry } from "./permissions/permission-compile.ts";
export { coversPermissions, isWider, permissionsDiff } from "./permissions/permission-covers.ts";
export type { DenoExport, DenoPermission, DenoPermissions } from "./permissions/permission-deno.ts";
export { toDenoPermissions } from "./permissions/permission-deno.ts";
export { evaluateAccess, withoutRevoked } from "./permissions/permission-evaluate.ts";
export type { SmallestGrant } from "./permissions/permission-hint.ts";
export { requestsData, writesOnlyData } from "./permissions/requests-data.ts";
export { smallestGrant, splitFlagItems } from "./permissions/permission-hint.ts";
export type { HostPattern, NetItemOutcome, NetPattern, NetTarget } from "./permissions/permission-net.ts";
export { canonicalHost, parseNetItem } from "./permissions/permission-net.ts";
export { checkItem, parsePermissions, SYS_KINDS } from "./permissions/permission-parse.ts";
export { DEFAULT_PROTECTED, protectNames } from "./permissions/protected-names.ts";
export { foldName, foldPath } from "./text/fold-name.ts";
export { expandHome, isAbsolutePath, normalizePath, pathSegments } from "./permissions/permission-path.ts";
export { namesPath } from "./permissions/permission-run.ts";
export type { AccessQueryOutcome, DenoKind } from "./permissions/permission-query.ts";
export { parseAccessQuery } from "./permissions/permission-query.ts";
export { permissionsForClass, permissionsForEffects, sideEffectClassOf } from "./plugin/side-effect-permissions.ts";
export type { FlatPermissions, LayerLevel, LayerRules, PermissionType, PermissionTypeRules, PolicyLayer } from "./project/policy-layer.ts";
export { LAYER_LEVELS, PERMISSION_TYPES } from "./project/policy-layer.ts";
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
} from "./project/project.ts";
export { CONFIRM_MODES, ISOLATION_KINDS, QUOTA_RESOURCES, QUOTA_SCOPES, RECORD_MODES } from "./project/project.ts";
export { parseQuotas, QUOTA_BOUNDS } from "./project/parse-quota.ts";
export { checkDefaults } from "./schema/schema-defaults.ts";
export { checkSchema, REFUSED_KEYWORDS, SCHEMA_BOUNDS } from "./schema/schema-check.ts";
export type { ValueError } from "./schema/validator.ts";
export { applyDefaults, applyDefaultsSlices, checkDefault } from "./schema/schema-fill.ts";
export { checkSlices, checkValue } from "./schema/validator.ts";
export { annotate } from "./plugin/annotations.ts";
export { CHECKED_FORMATS } from "./schema/format.ts";
export { LIMIT_NAMES, limitText, raisedLimits } from "./plugin/limit-request.ts";
export { manifestToJson } from "./plugin/manifest-text.ts";
export { legacyModuleCandidates } from "./legacy/legacy-tool.ts";
export { checkModulePath, MODULE_EXTENSIONS } from "./text/module-path.ts";
export type { ManifestContext } from "./plugin/parse.ts";
export { MANIFEST_BOUNDS, parseManifest } from "./plugin/parse.ts";
export { parseToolDefinition } from "./plugin/parse-definition.ts";
export { TOOL_FIELDS } from "./plugin/parse-tool.ts";
export { DEFAULT_PROJECT, parseProject, PROJECT_BOUNDS } from "./project/parse-project.ts";
export { checkCluster, isClusterUrl, SERVER_CEILINGS } from "./project/parse-server.ts";
export {
  type ClusterConfig,
  type RemoteConfig,
  type ServerConfig,
  type ServerLimits,
  TOKEN_SCOPES,
  type TokenConfig,
  type TokenScope,
} from "./project/server.ts";
export type { PluginSettings, ToolOverride } from "./plugin/parse-settings.ts";
export { parseSettings } from "./plugin/parse-settings.ts";
export { utf8Length } from "./text/utf8-length.ts";
