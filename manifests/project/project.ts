/** `bascule.json`, a project's policy and settings, in canonical form (SPEC P1). The reader is `parseProject`. */

import type { LimitRequest } from "../plugin/limits.ts";
import type { McpServerConfig } from "../mcp/mcp-server.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { FlatPermissions, PermissionType, PermissionTypeRules, PolicyLayer, RequiredRecords } from "./policy-layer.ts";
import type { Route } from "./route.ts";
import type { ClusterConfig, RemoteConfig, ServerConfig } from "./server.ts";
import type { SideEffectClass } from "../permissions/side-effect.ts";
import type { ToolDefinition } from "../plugin/tool.ts";

export const CONFIRM_MODES = ["auto", "prompt", "prompt_once", "deny"] as const;
export type ConfirmMode = (typeof CONFIRM_MODES)[number];

/** Resources that a quota limits: calls, their CPU time, bytes from and to files and network, requests, host operations (SPEC D9). */
export const QUOTA_RESOURCES = ["calls", "cpuMs", "bytesRead", "bytesWritten", "requests", "hostCalls"] as const;
export type QuotaResource = (typeof QUOTA_RESOURCES)[number];

/** Scopes of a quota: whose usage is added up. */
export const QUOTA_SCOPES = ["tool", "plugin", "session"] as const;
export type QuotaScope = (typeof QUOTA_SCOPES)[number];

/** Maximum usage in any `windowMs` milliseconds. At least one resource is limited. */
export interface QuotaConfig extends Readonly<Partial<Record<QuotaResource, number>>> {
  /** Default: the scope of the rule's selector if that is a tool or a plugin, else `tool`. */
  readonly per: QuotaScope;
  /** Length of the window. Default 60,000. */
  readonly windowMs: number;
}

/** Source of a secret, one of `env` and `file`; the value itself is never stored (SPEC C7). */
export interface SecretSource {
  /** Variable of the host's environment. */
  readonly env?: string;
  /** Path relative to the folder of `bascule.json`; a line ending at the end of the file is ignored. */
  readonly file?: string;
  /** Hosts that may receive the value, whatever a grant allows. */
  readonly hosts?: readonly string[];
}

/** Effects of a rule; for absent members a less specific rule or the default decides (SPEC P2). */
export interface RuleEffect {
  readonly allow?: boolean;
  readonly route?: Route;
  readonly limits?: LimitRequest;
  readonly confirm?: ConfirmMode;
  /** Counts as the user's grant for the tools that the rule matches. */
  readonly grants?: Permissions;
  readonly quota?: readonly QuotaConfig[];
  /** Whether calls run as dry runs: they change nothing until they are committed (SPEC E8). */
  readonly dryRun?: boolean;
}

/** Which calls of plugins are recorded for replay (SPEC B8). */
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
  /** Evaluated in the order Global → Role → Task → Delegation (SPEC P3). */
  readonly layers: readonly PolicyLayer[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly permissionTypes: { readonly [K in PermissionType]?: PermissionTypeRules };
  /** Names, in every folder, that tools may not read or write without a grant. Default `DEFAULT_PROTECTED`. */
  readonly protected: readonly string[];
}

export interface ConfirmationConfig {
  /** Per class; an absent class has the built-in default (none, read auto; the rest prompt). */
  readonly default: { readonly [K in SideEffectClass]?: ConfirmMode };
  readonly perTool: Readonly<Record<string, ConfirmMode>>;
  readonly trustedWorkspaces: readonly string[];
  readonly trustedWorkspaceOverrides: Readonly<Record<string, ConfirmMode>>;
  /** Time to wait for an answer. Default 300,000. */
  readonly timeoutMs: number;
  /** Whether a writing tool runs dry before the confirmation, which then shows its changes. Default true. */
  readonly preview: boolean;
}

export const ISOLATION_KINDS = ["thread", "process"] as const;
export type IsolationKind = (typeof ISOLATION_KINDS)[number];

/** Isolation of plugins from the host and from each other (SPEC B1). */
export interface IsolationConfig {
  /** Where the sandbox's workers run: threads of the host's process, or a separate process without secrets. Default `thread`. */
  readonly by: IsolationKind;
  /** Plugins that share neither a worker nor, with `by: "process"`, a process with others. */
  readonly alone: readonly string[];
}

/** Storage of events (SPEC AU3, AU4). */
export interface AuditConfig {
  /** Whether events are stored in `.bascule/audit/`. Default true. */
  readonly store: boolean;
  /** Names of members whose values are hidden in events and in the arguments that results show. */
  readonly redact: readonly string[];
  /** Which calls are recorded. Default `none`, because a recording contains the data that a tool read. */
  readonly record: RecordMode;
  /** Which calls are refused if the journal cannot be written. Default `effects`: those with effects. */
  readonly required: RequiredRecords;
}

/** Copies of files that calls change, for `bascule undo` (SPEC E8). */
export interface UndoConfig {
  /** Default: true for calls from the command line and its hosts, false for hosts of other programs. */
  readonly keep?: boolean;
  /** Maximum size of all copies together. Default 268,435,456. */
  readonly maxBytes: number;
  /** Maximum age of a copy. Default 7. */
  readonly maxDays: number;
}

/** A tool of the project: one of another host if `remote` is present, else an export of a module of the project. */
export interface ProjectTool {
  /** `module` is relative to the folder of `bascule.json`. */
  readonly definition: ToolDefinition;
  readonly remote?: RemoteConfig;
}

/** A plugin or tool that the user trusts with native code. */
export interface TrustedName {
  /** Name of a plugin, or of a tool of this file. */
  readonly name: string;
  /** Whether it runs without Deno's permissions. */
  readonly unconfined: boolean;
  /** Hash of the only trusted content, as shown by `bascule info`. */
  readonly digest?: string;
}

export interface ProjectConfig {
  /** Folders with plugins, relative to the file's folder. Default `["plugins"]`. */
  readonly plugins: readonly string[];
  readonly workspace?: string;
  readonly policy: PolicyConfig;
  readonly confirmation: ConfirmationConfig;
  /** Plugins and tools that may run natively if policy routes them to `host` (SPEC O1). */
  readonly trusted: readonly TrustedName[];
  readonly isolation: IsolationConfig;
  readonly audit: AuditConfig;
  readonly undo: UndoConfig;
  /** Permissions of each role (SPEC P5). */
  readonly roles: Readonly<Record<string, FlatPermissions>>;
  /** Servers whose tools are offered (SPEC K3). */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Other bascule hosts, by name (SPEC O3). */
  readonly remotes: Readonly<Record<string, RemoteConfig>>;
  /** Tools of the project itself (SPEC R10). */
  readonly tools: readonly ProjectTool[];
  /** Hosts that are accepted in clusters (SPEC CL6). */
  readonly cluster: ClusterConfig;
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly server: ServerConfig;
}
