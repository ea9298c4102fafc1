/** Signatures only, for the first minutes; replaced file by file. Do not import this file: import mod.ts. */
import type { JsonSchema } from "./json-schema.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Manifest } from "./manifest.ts";
import type { AccessQuery, AccessVerdict, CompiledPermissions, PermissionBases, PermissionLayer, Permissions } from "./permissions.ts";
import type { Parsed, Problem } from "./problem.ts";
import type { ProjectConfig } from "./project.ts";
import type { SideEffect, SideEffectClass } from "./side-effect.ts";
import type { ToolDefinition } from "./tool.ts";

function pending(): never {
  throw new Error("Not written yet");
}
export interface ValueError {
  readonly pointer: string;
  readonly message: string;
  readonly keyword: string;
}
export interface PluginSettings {
  readonly enabled?: boolean;
  readonly toolOverrides: ReadonlyMap<string, { readonly enabled: boolean }>;
  /** Merged over the schema's defaults and checked. */
  readonly config: JsonObject;
}
export interface SmallestGrant {
  readonly permissions: Permissions;
  /** Such as `--allow-read=$workspace/a.txt`. */
  readonly flag: string;
}
export function parseManifest(_text: string, _options?: { readonly files?: ReadonlySet<string> }): Parsed<Manifest> { return pending(); }
export function manifestToJson(_manifest: Manifest): string { return pending(); }
export function legacyModuleCandidates(_dotted: string): readonly string[] { return pending(); }
export function manifestJsonSchema(): JsonObject { return pending(); }
export function checkSchema(_schema: unknown, _pointer?: string): readonly Problem[] { return pending(); }
export function checkValue(_schema: JsonSchema, _value: JsonValue): readonly ValueError[] { return pending(); }
export function applyDefaults(_schema: JsonSchema, _value: JsonValue): JsonValue { return pending(); }
export function parsePermissions(_value: unknown, _pointer?: string): Parsed<Permissions> { return pending(); }
export function compilePermissions(_permissions: Permissions, _bases: PermissionBases): CompiledPermissions { return pending(); }
export function evaluateAccess(_layers: readonly PermissionLayer[], _query: AccessQuery): AccessVerdict { return pending(); }
/** Items of `inner`, as written and with their kind (`read: ../x`), that `outer` does not cover; empty is covered. */
export function coversPermissions(_outer: Permissions, _inner: Permissions, _bases?: PermissionBases): readonly string[] { return pending(); }
/** One line per widening of `after` over `before`. */
export function permissionsDiff(_before: Permissions, _after: Permissions, _bases?: PermissionBases): readonly string[] { return pending(); }
export function isWider(_before: Permissions, _after: Permissions, _bases?: PermissionBases): boolean { return pending(); }
/** Absolute, `/`-separated, without `.` and `..`; undefined if it has a NUL, a lone surrogate, or no absolute base. */
export function normalizePath(_path: string, _base: string): string | undefined { return pending(); }
export function smallestGrant(_query: AccessQuery, _bases: PermissionBases): SmallestGrant { return pending(); }
export function parseProject(_text: string): Parsed<ProjectConfig> { return pending(); }
export function parseSettings(_text: string, _schema: JsonSchema | undefined): Parsed<PluginSettings> { return pending(); }
export function sideEffectClassOf(_tool: Pick<ToolDefinition, "sideEffects">, _permissions?: Permissions): SideEffectClass { return pending(); }
/** The kinds that a tool with these side effects may hold, as a permission set (layer `unnamed: "none"`). */
export function permissionsForEffects(_effects: readonly SideEffect[]): Permissions { return pending(); }
export function permissionsForClass(_class: SideEffectClass): Permissions { return pending(); }
