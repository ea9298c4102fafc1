/**
 * Bascule's documents as files, where members with defaults are optional. The canonical forms are `Manifest`, `ProjectConfig` and
 * `PluginSettings`.
 */

import type { JsonSchema } from "../schema/json-schema.ts";
import type { JsonObject } from "../text/json.ts";
import type { LimitRequest } from "../plugin/limits.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { FlatPermissions, PolicyLayer } from "./policy-layer.ts";
import type {
  ConfirmMode,
  IsolationConfig,
  IsolationKind,
  PolicyConfig,
  PolicyRule,
  QuotaConfig,
  RecordMode,
  RuleEffect,
  SecretSource,
} from "./project.ts";
import type { ClusterConfig, RemoteConfig, ServerConfig, TokenConfig } from "./server.ts";
import type { SideEffect, SideEffectClass } from "../permissions/side-effect.ts";
import type { Caller, Requirement, ToolAnnotations, Visibility } from "../plugin/tool.ts";

/** `manifest.json` (SPEC M2). */
export interface ManifestFile {
  readonly $schema?: string;
  readonly schemaVersion: "1.0";
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly enabled?: boolean;
  readonly main?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly settingsSchema?: JsonSchema;
  readonly permissions?: Permissions;
  readonly tools?: readonly ToolFile[];
  readonly skills?: readonly SkillFile[];
  readonly toolsFrom?: "code";
  readonly state?: "call" | "session";
  readonly limits?: LimitRequest;
  readonly imports?: Readonly<Record<string, string>>;
  readonly author?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly keywords?: readonly string[];
  readonly notes?: readonly string[];
}

/** One tool of a manifest (SPEC M3). */
export interface ToolFile {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly module?: string;
  readonly export?: string;
  readonly category?: string;
  readonly tags?: readonly string[];
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly sideEffects: readonly SideEffect[];
  readonly destructive?: boolean;
  readonly determinism?: "deterministic" | "nondeterministic";
  readonly idempotent?: boolean;
  readonly permissions?: Permissions;
  readonly native?: boolean;
  readonly requires?: readonly Requirement[];
  readonly timeoutMs?: number;
  readonly callers?: readonly Caller[];
  readonly visibility?: Visibility;
  readonly annotations?: ToolAnnotations;
}

/** One skill of a manifest (SPEC K5). */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly module?: string;
  readonly export?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly tags?: readonly string[];
}

/** One quota of a rule (SPEC D9). */
export interface QuotaFile extends Partial<QuotaConfig> {}

/** Effects that a rule may set. */
export interface EffectFile extends Omit<RuleEffect, "quota"> {
  readonly quota?: QuotaFile | readonly QuotaFile[];
}

/** `bascule.json` (SPEC P1). */
export interface ProjectFile {
  readonly $schema?: string;
  readonly plugins?: readonly string[];
  readonly workspace?: string;
  readonly policy?: {
    readonly default?: EffectFile;
    readonly rules?: readonly (Omit<PolicyRule, "quota"> & EffectFile)[];
    readonly layers?: readonly PolicyLayer[];
    readonly groups?: Readonly<Record<string, readonly string[]>>;
    readonly permissionTypes?: PolicyConfig["permissionTypes"];
  };
  readonly confirmation?: {
    readonly default?: { readonly [K in SideEffectClass]?: ConfirmMode };
    readonly perTool?: Readonly<Record<string, ConfirmMode>>;
    readonly trustedWorkspaces?: readonly string[];
    readonly trustedWorkspaceOverrides?: Readonly<Record<string, ConfirmMode>>;
    readonly timeoutMs?: number;
  };
  readonly isolation?: IsolationKind | readonly string[] | Partial<IsolationConfig>;
  readonly trusted?: readonly (string | { readonly name: string; readonly unconfined?: boolean })[];
  readonly mcpServers?: JsonObject;
  readonly remotes?: Readonly<Record<string, RemoteConfig>>;
  readonly cluster?: Partial<ClusterConfig>;
  readonly tools?: readonly JsonObject[];
  readonly roles?: Readonly<Record<string, FlatPermissions>>;
  readonly secrets?: Readonly<Record<string, SecretSource>>;
  readonly audit?: { readonly store?: boolean; readonly redact?: readonly string[]; readonly record?: RecordMode };
  readonly server?: ServerFile;
}

/** The `server` section of `bascule.json`. */
export interface ServerFile extends Partial<Omit<ServerConfig, "tokens">> {
  readonly tokens?: readonly (Omit<TokenConfig, "scopes"> & Partial<Pick<TokenConfig, "scopes">>)[];
}
