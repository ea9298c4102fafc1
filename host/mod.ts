/**
 * bascule as a library: a host for untrusted tools.
 *
 * @example
 * ```ts
 * import { createHost } from "bascule";
 * await using host = await createHost({ config: false });
 * const result = await host.call("Echo", { text: "hello" });
 * if (result.ok) console.log(result.output); else console.error(result.error.code, result.error.message);
 * ```
 */

/// <reference lib="esnext.disposable" preserve="true" />
// The lines that begin with `//` are the chapters of the reference that `npm run docs` builds.

// Hosts: Create a host, call its tools, and close it
export { createHost } from "./host/host.ts";
export type { Host, HostCallOptions } from "./host/host-interface.ts";
export type { EventOptions, HostOptions } from "./host/host-options.ts";
export { loadFromYaml } from "./project/load-from-yaml.ts";
export { ProjectConfigError } from "./project/project-file.ts";

// Calls and sessions: What a call takes, who makes it, and what may step in
export { JsonArgumentText, type RawArguments } from "./call/argument-text.ts";
export type { CallAllOptions, CallOptions, CallRequest } from "./dispatch/call-options.ts";
export type { ConfirmationRequest, ConfirmPrompt, ToolCall } from "./call/call.ts";
export type { HookAnswer, Hooks } from "./dispatch/hooks.ts";
export type { Session } from "./call/session.ts";
export type { WaitingCall } from "./effects/frozen/frozen-calls.ts";
export type { HostSessionOptions, SessionContext } from "./dispatch/sessions.ts";

// Results: What a call returns, and its forms for people, programs and models
export type { LimitsUsed, ToolFailure, ToolResult, ToolSuccess, TruncatedPart } from "./call/call.ts";
export {
  type MachineResult,
  type McpResult,
  type Message,
  type MessageCall,
  toHuman,
  toMachine,
  toMcp,
  toMessages,
} from "./call/result.ts";
export { type ContentBlock, type ToolOutput, toolOutput, type ToolOutputParts } from "./call/tool-output.ts";
export type { KeptRange, KeptRangeOptions } from "./dispatch/results/kept-results.ts";

// Errors: Codes, what they mean, and the errors that a tool may throw
export { ERROR_CODES, type ErrorCode, type GrantHint, readErrorCode, type ToolErrorData } from "./call/errors.ts";
export { ERROR_TABLE, errorDocs, type ErrorRow, type FaultOwner, isRetryable } from "./call/error-table.ts";
export {
  ApprovalRequired,
  ConfirmationTimeout,
  FsDenied,
  InternalError,
  LostError,
  InvalidArgs,
  InvalidOutput,
  NetDenied,
  Overloaded,
  PermissionDenied,
  ResourceExhausted,
  ToolCancelled,
  ToolError,
  type ToolErrorOptions,
  ToolFailed,
  ToolNotFound,
  ToolRegistrationError,
  ToolTimeout,
  ToolUnavailable,
  UserDenied,
} from "./tools/tool-error.ts";

// Tools of a program: Register functions, and tools of other frameworks
export { type FunctionToolOptions, functionTool, type ToolFunction } from "./sources/function.ts";
export type { ToolCaller, ToolContext, WorkspaceFiles } from "./call/context.ts";
export { aiSdkTools, type AiSdkShaped } from "./sources/adapters/ai-sdk.ts";
export { langChainTool, type LangChainShaped } from "./sources/adapters/langchain.ts";
export type { ForeignToolOptions } from "./sources/adapters/foreign-tool.ts";
export type { SchemaLike } from "./sources/adapters/schema-like.ts";
export type { Toolkit, ToolkitFunction, ToolkitMember, Toolkits, ToolkitSource, ToolkitStatus } from "./sources/toolkits.ts";
export { BUILTIN_ALIASES, registerBuiltins } from "./sources/builtin.ts";

// The registry: The tools that a host knows, and how they are found
export {
  type CapabilityQuery,
  createRegistry,
  type PluginVersion,
  type RegisteredTool,
  type RegisterOptions,
  type Registry,
  type RegistryOptions,
  type Tool,
  type ToolDeclaration,
  type ToolFactory,
  type ToolFilter,
  type ToolListing,
  type ToolSourceName,
} from "./tools/registry.ts";

// Tools for models: Definitions in the formats of model APIs and frameworks
export { EXPORT_FORMATS } from "./tools/exports/mod.ts";
export type {
  AiSdkTool,
  AnthropicTool,
  Exported,
  ExportFormat,
  ExportedTools,
  GeminiTool,
  LangChainTool,
  Lossy,
  McpTool,
  ObjectSchema,
  OpenAiResponsesTool,
  OpenAiTool,
  StandardSchema,
} from "./tools/exports/mod.ts";

// Chains and skills: Tools that call tools
export type { ChainMark, ChainStep } from "./call/chain.ts";
export type { ChainMode, ToolChain, TurnResponse } from "./dispatch/chains/turn.ts";
export { type SkillDeclaration, SkillNotFound, type Skills } from "./sources/skills.ts";

// Policy and grants: Who may call what, and why
export { createPolicy, type Policy, type PolicyOptions, type ProjectPolicy } from "./policy/policy.ts";
export type { AllowDecision, Because, Decision, DecisionSummary, DenyDecision } from "./call/call.ts";
export type { Explanation } from "./policy/explain.ts";
export type { Quota } from "./call/quota.ts";
export type { QuotaUse } from "./policy/quotas/quotas.ts";
export type { StoredGrant } from "./project/grants/grants.ts";

// Journal and telemetry: What happened, for people and for programs
export type { Audit } from "./audit/audit.ts";
export type { EventStore } from "./audit/journal.ts";
export type { EventFilter, KeptEvent } from "./audit/search.ts";
export type { CallState, SessionState } from "./audit/session-state.ts";
export type { JournalReport } from "./audit/verify.ts";
export { eventAliases } from "./audit/event-aliases.ts";
export { EVENT_TYPES, type EventPayloads, type EventType, type HostEvent, TERMINAL_EVENT_TYPES } from "./audit/events.ts";
export { PROMETHEUS_TYPE, type TelemetryOptions } from "./audit/telemetry/mod.ts";

// Plugins and servers: Plugins in folders, their settings, bundles and MCP servers
export type { PluginChange, PluginStatus } from "./plugins/folder/mod.ts";
export type { HostSettings } from "./plugins/settings/host-settings.ts";
export { type SettingChange, type SettingField, SettingsError, type SettingsView } from "./plugins/settings/plugin-settings.ts";
export type { BundleActs, BundlePreview, BundleInput, InstalledBundle } from "./plugins/bundles/bundles.ts";
export type { AddedMcpServer, McpActs, McpClient, McpServerStatus } from "./sources/mcp/mod.ts";

// Manifests: The contract of a plugin as data
export type {
  JsonObject,
  JsonSchema,
  JsonValue,
  Limits,
  Manifest,
  McpServerConfig,
  Permissions,
  Problem,
  Route,
  SideEffect,
  SideEffectClass,
  ToolDefinition,
} from "../manifests/mod.ts";

// Platform: The authority of a host, behind interfaces
export type { Log, LogLevel, Platform } from "./platform/platform.ts";
