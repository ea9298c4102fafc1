/** `bascule.json`, a project's policy and settings, in canonical form (SPEC P1). The reader is `parseProject`. */

import type { LimitRequest } from "./limits.ts";
import type { McpServerConfig } from "./mcp-server.ts";
import type { Permissions } from "./permissions.ts";
import type { FlatPermissions, PermissionType, PermissionTypeRules, PolicyLayer, RequiredRecords } from "./policy-layer.ts";
import type { Route } from "./route.ts";
import type { RemoteConfig, ServerConfig } from "./server.ts";
import type { SideEffectClass } from "./side-effect.ts";
import type { ToolDefinition } from "./tool.ts";

export const CONFIRM_MODES = ["auto", "prompt", "prompt_once", "deny"] as const;
export type ConfirmMode = (typeof CONFIRM_MODES)[number];

/** What a quota counts: calls, their CPU time, bytes from and to files and network, requests, acts of a guest (SPEC D9). */
export const QUOTA_RESOURCES = ["calls", "cpuMs", "bytesRead", "bytesWritten", "requests", "hostCalls"] as const;
export type QuotaResource = (typeof QUOTA_RESOURCES)[number];

/** Whose use is counted together. */
export const QUOTA_SCOPES = ["tool", "plugin", "session"] as const;
export type QuotaScope = (typeof QUOTA_SCOPES)[number];

/** How much may be used in any `windowMs` milliseconds. At least one resource is limited. */
export interface QuotaConfig extends Readonly<Partial<Record<QuotaResource, number>>> {
  /** Default: what the rule selects, where that is a tool or a plugin; else `tool`. */
  readonly per: QuotaScope;
  /** Default 60,000. */
  readonly windowMs: number;
}

/** Where a secret's value comes from, one of `env` and `file`; the value itself is never written down (SPEC C7). */
export interface SecretSource {
  /** A variable of the host's environment. */
  readonly env?: string;
  /** Relative to the folder of `bascule.json`; a line end at the end of the file does not count. */
  readonly file?: string;
  /** Where the value may go at most, whatever a grant says. */
  readonly hosts?: readonly string[];
}

/** What a rule may set; what it leaves out, a less specific rule or the default decides (SPEC P2). */
export interface RuleEffect {
  readonly allow?: boolean;
  readonly route?: Route;
  readonly limits?: LimitRequest;
  readonly confirm?: ConfirmMode;
  /** Counts as the user's grant for the tools the rule matches. */
  readonly grants?: Permissions;
  readonly quota?: readonly QuotaConfig[];
  /** Calls run dry: they change nothing until somebody commits them (SPEC E8). */
  readonly dryRun?: boolean;
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
  /** Names, in every folder, that tools without a grant neither read nor write. Default `DEFAULT_PROTECTED`. */
  readonly protected: readonly string[];
}

export interface ConfirmationConfig {
  /** Per class; what is absent has the built-in default (none, read auto; the rest prompt). */
  readonly default: { readonly [K in SideEffectClass]?: ConfirmMode };
  readonly perTool: Readonly<Record<string, ConfirmMode>>;
  readonly trustedWorkspaces: readonly string[];
  readonly trustedWorkspaceOverrides: Readonly<Record<string, ConfirmMode>>;
  /** Default 300,000. */
  readonly timeoutMs: number;
  /** Whether a tool that writes runs dry before a person is asked, so that the question shows what will change. Default false. */
  readonly preview: boolean;
}

export const ISOLATION_KINDS = ["thread", "process"] as const;
export type IsolationKind = (typeof ISOLATION_KINDS)[number];

/** What keeps plugins apart from the host and from each other (SPEC B1). */
export interface IsolationConfig {
  /** Where the sandbox's workers run: threads of the host's process, or a process with nothing to steal. Default `thread`. */
  readonly by: IsolationKind;
  /** Plugins that never share a worker with another, nor a process where `by` says so. */
  readonly alone: readonly string[];
}

/** What is kept of events (SPEC AU3, AU4). */
export interface AuditConfig {
  /** In `.bascule/audit/`. Default true. */
  readonly store: boolean;
  /** Names of members whose values nobody is to see: not in events, nor in the arguments that results show. */
  readonly redact: readonly string[];
  /** Which calls are recorded. Default `none`: a recording holds what a tool read. */
  readonly record: RecordMode;
  /** Which calls are refused, not done, where the journal cannot be written. Default `effects`: those that change something. */
  readonly required: RequiredRecords;
}

/** What is kept of files that calls change, so that `bascule undo` can put them back (SPEC E8). */
export interface UndoConfig {
  /** Default: for calls through the command line and its hosts, and not for hosts of other programs. */
  readonly keep?: boolean;
  /** Of all calls together. Default 268,435,456. */
  readonly maxBytes: number;
  /** Default 7. */
  readonly maxDays: number;
}

/** A tool that the project declares: one of another host where `remote` is there, else an export of a module of the project. */
export interface ProjectTool {
  /** `module` is relative to the folder of `bascule.json`. */
  readonly definition: ToolDefinition;
  readonly remote?: RemoteConfig;
}

/** Something that a person trusts with native code. */
export interface TrustedName {
  /** A plugin's, or that of a tool of this file. */
  readonly name: string;
  /** Without Deno's permissions around it. */
  readonly unconfined: boolean;
  /** Only these very bytes: the digest that `bascule info` shows. */
  readonly digest?: string;
}

export interface ProjectConfig {
  /** Plugin roots, relative to the file's folder. Default `["plugins"]`. */
  readonly plugins: readonly string[];
  readonly workspace?: string;
  readonly policy: PolicyConfig;
  readonly confirmation: ConfirmationConfig;
  /** Plugins and tools that may run natively, where policy says route `host` (SPEC O1). */
  readonly trusted: readonly TrustedName[];
  readonly isolation: IsolationConfig;
  readonly audit: AuditConfig;
  readonly undo: UndoConfig;
  /** What each role may use (SPEC P5). */
  readonly roles: Readonly<Record<string, FlatPermissions>>;
  /** Servers whose tools are offered (SPEC K3). */
  readonly mcpServers: Readonly<Record<string, McpServerConfig>>;
  /** Sections that later doors and sources read; kept as they are. */
  readonly remotes: Readonly<Record<string, RemoteConfig>>;
  /** Tools of the project itself (SPEC R10). */
  readonly tools: readonly ProjectTool[];
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly server: ServerConfig;
}
