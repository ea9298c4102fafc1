/** `bascule.json`, a project's policy and settings, in canonical form (SPEC P1). The reader is `parseProject`. */

import type { JsonObject } from "./json.ts";
import type { LimitRequest } from "./limits.ts";
import type { Permissions } from "./permissions.ts";
import type { FlatPermissions, PermissionType, PermissionTypeRules, PolicyLayer } from "./policy-layer.ts";
import type { Route } from "./route.ts";
import type { SideEffectClass } from "./side-effect.ts";

export const CONFIRM_MODES = ["auto", "prompt", "prompt_once", "deny"] as const;
export type ConfirmMode = (typeof CONFIRM_MODES)[number];

/** What a rule may set; what it leaves out, a less specific rule or the default decides (SPEC P2). */
export interface RuleEffect {
  readonly allow?: boolean;
  readonly route?: Route;
  readonly limits?: LimitRequest;
  readonly confirm?: ConfirmMode;
  /** Counts as the user's grant for the tools the rule matches. */
  readonly grants?: Permissions;
  readonly quota?: JsonObject;
}

/** Which calls of plugins are recorded, so that they can be run again (SPEC B8). */
export const RECORD_MODES = ["none", "failures", "all"] as const;
export type RecordMode = (typeof RECORD_MODES)[number];

/** A rule with exactly one selector. `tool` is bare or qualified; `pattern` is a glob over qualified names. */
export interface PolicyRule extends RuleEffect {
  readonly tool?: string;
  readonly plugin?: string;
  readonly category?: string;
  readonly group?: string;
  readonly pattern?: string;
}

export interface PolicyConfig {
  readonly default: RuleEffect;
  readonly rules: readonly PolicyRule[];
  /** Global → Role → Task → Delegation (SPEC P3). */
  readonly layers: readonly PolicyLayer[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly permissionTypes: { readonly [K in PermissionType]?: PermissionTypeRules };
}

export interface ConfirmationConfig {
  /** Per class; what is absent has the built-in default (none, read auto; the rest prompt). */
  readonly default: { readonly [K in SideEffectClass]?: ConfirmMode };
  readonly perTool: Readonly<Record<string, ConfirmMode>>;
  readonly trustedWorkspaces: readonly string[];
  readonly trustedWorkspaceOverrides: Readonly<Record<string, ConfirmMode>>;
  /** Default 300,000. */
  readonly timeoutMs: number;
}

export interface ProjectConfig {
  /** Plugin roots, relative to the file's folder. Default `["plugins"]`. */
  readonly plugins: readonly string[];
  readonly workspace?: string;
  readonly policy: PolicyConfig;
  readonly confirmation: ConfirmationConfig;
  readonly trusted: readonly { readonly name: string; readonly unconfined: boolean }[];
  /** Plugins that never share a sandbox instance or a worker with another (SPEC B1). */
  readonly isolation: readonly string[];
  /** What each role may use (SPEC P5). */
  readonly roles: Readonly<Record<string, FlatPermissions>>;
  /** Sections that later doors and sources read; kept as they are. */
  readonly mcpServers: JsonObject;
  readonly remotes: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly secrets: JsonObject;
  readonly audit: JsonObject;
  /** `audit.record`. Default `none`: a journal holds what a tool read. */
  readonly record: RecordMode;
  readonly server: JsonObject;
}
