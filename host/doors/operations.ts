/**
 * Operations that a user's door (CLI, socket) can request from a host. Arguments and results are plain JSON.
 *
 * `createOperations` runs them in this process, `connectToHost` in the process that serves the project. Commands use
 * only this interface, so the same command works with both.
 */

import type { AccessState, JsonObject, JsonValue, PermissionKind, Permissions, Problem, Route, SideEffect } from "../../manifests/mod.ts";
import type { RawArguments } from "../call/argument-text.ts";
import type { Because, Confinement, ConfirmationRequest, ToolResult } from "../call/call.ts";
import type { CallGrant } from "../call/grant.ts";
import type { AnswerOutcome, ConfirmationAnswer, PendingConfirmation } from "../confirmations/pending.ts";
import type { AcceptOutcome, RemoveOptions, RemoveOutcome, RollbackOutcome } from "../plugins/consent/consent-acts.ts";
import type { StoredGrant } from "../project/grants/grants.ts";
import type { InstalledPlugin, PackagePreview } from "../plugins/installing/installer.ts";
import type { WaitingCall } from "../effects/frozen/frozen-calls.ts";
import type { Committed } from "../effects/overlay/dry-runs.ts";
import type { KeptRange, KeptRangeOptions } from "../dispatch/results/kept-results.ts";
import type { QuotaUse } from "../policy/quotas/quotas.ts";
import type { UndoCall, UndoResult, UndoRequest } from "../effects/undo/undos.ts";
import type { TaskContext } from "../call/session.ts";
import type { HeldVersion } from "../plugins/folder/status.ts";
import type { PublishedWords } from "../tools/tool.ts";
import type { SettingChange, SettingsView } from "../plugins/settings/plugin-settings.ts";

/** All operations of a door. They reject with a `DoorError`; a tool call that fails resolves with a `ToolResult`. */
export interface Operations {
  call(request: CallRequest, listener: CallListener): Promise<ToolResult>;
  /** Reads a range of a part that was cut from one of this client's results. */
  readResult(handle: string, range?: KeptRangeOptions): Promise<KeptRange>;
  status(): Promise<HostStatus>;
  list(): Promise<readonly PluginView[]>;
  info(name: string): Promise<Info>;
  grant(plugin: string, permissions: Permissions): Promise<StoredGrant>;
  /** @returns how many grants changed. */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
  grants(): Promise<GrantList>;
  /** Applies the change, if any, and returns the plugin's settings. */
  settings(plugin: string, change?: SettingChange): Promise<SettingsView>;
  why(question: WhyQuestion): Promise<WhyAnswer>;
  /** Lists the pending confirmations of all clients. */
  pending(): Promise<readonly PendingConfirmation[]>;
  resolve(requestId: string, answer: ConfirmationAnswer): Promise<AnswerOutcome>;
  /** Returns the result of an ended call of any client, while the host keeps it. */
  result(callId: string): Promise<ToolResult | undefined>;
  /** Lists the calls of all clients that wait and survive the process, the oldest first and at most 1,000. */
  waiting(): Promise<readonly WaitingCall[]>;
  /** Cancels such a call. @returns its result; undefined if it does not wait any more */
  cancelWaiting(callId: string): Promise<ToolResult | undefined>;
  /** Commits a dry run (SPEC E8). With `hash`: only if the dry run's report has this hash. */
  commit(callId: string, hash?: string): Promise<Committed>;
  /** Undoes the changes of a call. With `dryRun`: only reports what it would undo. */
  undo(callId: string, options?: UndoRequest): Promise<UndoResult>;
  /** Lists the calls that can be undone, newest first. */
  undoable(): Promise<readonly UndoCall[]>;
  /** Accepts the version with this hash and no other, so that the user accepts what was shown (SPEC H6). */
  accept(plugin: string, digest: string): Promise<AcceptOutcome>;
  /** Restores the version that served before the current one (SPEC H10). */
  rollback(plugin: string): Promise<RollbackOutcome>;
  /** Reads a plugin without installing it. @param source an absolute path, or a repository's URL. */
  inspect(source: string, signal: AbortSignal): Promise<PackagePreview>;
  /** Installs the inspected version that has this hash. */
  install(digest: string): Promise<InstalledPlugin>;
  /** Unloads the plugin and deletes its folder, and its data if the options say so. */
  remove(plugin: string, options?: RemoveOptions): Promise<RemoveOutcome>;
  /** Sends up to `recent` events of the journal, the oldest first, then each event as it happens. Resolves when the signal aborts. */
  watch(recent: number, listener: WatchListener): Promise<void>;
  /** Checks the plugin folders for changes now. @returns how many plugins were reloaded. */
  reload(): Promise<number>;
}

/** Operations of one client. */
export interface ClientOperations extends Operations {
  /** Ends the sessions of a client that has disconnected, and cancels their running calls. */
  end(): Promise<void>;
}

/** Request for a call. `args` is JSON, or a `JsonArgumentText` that the host parses. */
export interface CallRequest {
  readonly tool: string;
  readonly args: RawArguments;
  readonly timeoutMs?: number;
  /** Seed of the guest's random numbers. */
  readonly seed?: string;
  /** Initial time of the guest's clock, in milliseconds since the epoch. */
  readonly timeMs?: number;
  readonly record?: boolean;
  /** Changes nothing; the result lists what would have changed. */
  readonly dryRun?: boolean;
  /** Permissions that the user granted for this call only. Doors of agents do not offer it. */
  readonly callGrant?: CallGrant;
  /** Runs the call in a session with this role and task instead of the client's session. */
  readonly context?: RequestContext;
}

/** A name of a session. */
export const SESSION_NAME: RegExp = /^[A-Za-z0-9._-]{1,64}$/;

/** Role and task context of a single request. */
export interface RequestContext extends TaskContext {
  readonly role?: string;
  /** Name of a session that stays open between clients, until the host stops. */
  readonly session?: string;
}

/** Callbacks of the caller while a call runs. */
export interface CallListener {
  readonly signal: AbortSignal;
  /** `json`: the value as one line of JSON in UTF-8, if it is larger than 64 KB. */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /** Receives the values that the tool yields. */
  readonly onYield?: (value: JsonValue, json?: Uint8Array) => void | Promise<void>;
  /** Asks the caller's user for confirmation; absent if the caller has no user. `undefined` means no answer. */
  readonly confirm?: (request: ConfirmationRequest, signal: AbortSignal) => Promise<boolean | undefined>;
}

/** Receiver of a host's events. */
export interface WatchListener {
  readonly signal: AbortSignal;
  readonly onEvent: (watched: Watched) => void;
}

/** An event; a number of events that were not sent because the client was slow; or a part of the journal that cannot be read. */
export type Watched = { readonly event: JsonObject } | { readonly missed: number } | { readonly damage: string };

/** Identity of the host and the project it serves. */
export interface HostStatus {
  readonly version: string;
  readonly pid: number;
  readonly root: string;
  readonly workspace: string;
  /** Address of the console, if the host serves HTTP. */
  readonly url?: string;
  readonly pluginRoots: readonly string[];
  readonly plugins: number;
  readonly tools: number;
  /** Problems in `.bascule/grants.json`. */
  readonly grantProblems: readonly Problem[];
  /** Notices for the user, such as created plugin roots or file watching that failed. */
  readonly notices: readonly string[];
}

/** `loaded`: its tools can be called. `stale`: serves its last good version because the newest one fails to load. */
export type PluginState = "loaded" | "stale" | "disabled" | "failed" | "quarantined" | "ignored";

/** A folder in a plugin root, or the built-in tools. */
export interface PluginView {
  readonly name: string;
  readonly state: PluginState;
  readonly directory?: string;
  readonly version?: string;
  readonly description?: string;
  readonly digest?: string;
  readonly tools: readonly ToolView[];
  /** Reasons why the plugin, or its newest version, does not load; empty if it does. */
  readonly problems: readonly PluginProblem[];
  readonly requested: Permissions;
  readonly granted: Permissions;
  /** Requested permissions that the user has not granted. */
  readonly missing: Permissions;
  /** Limits that the plugin requests above the defaults, and the values its calls get. */
  readonly limits: readonly LimitView[];
  /** Version that waits until the user accepts it. */
  readonly held?: HeldVersion;
}

/** A limit that a plugin requests above the default. */
export interface LimitView {
  readonly limit: string;
  readonly asked: number;
  readonly allowed: number;
  /** How to raise the limit: `consent` by accepting the plugin, `policy` by a rule. Absent if the plugin has the requested value. */
  readonly by?: "consent" | "policy";
  /** Text for the user: `memoryBytes 256 MiB, allowed 64 MiB`. */
  readonly text: string;
}

/** A problem with its position in one of the plugin's files, and the lines around it. */
export interface PluginProblem extends Problem {
  /** Path relative to the plugin's folder. */
  readonly file?: string;
  /** Lines of the file around the position, unescaped: this is guest text. */
  readonly frame?: CodeFrame;
}

/** Consecutive lines of a file; `first` is the number of the first line, from 1. */
export interface CodeFrame {
  readonly first: number;
  readonly lines: readonly string[];
}

/** A tool with everything that a user needs to call it. */
export interface ToolView {
  readonly name: string;
  readonly qualifiedName: string;
  /** Owner of the bare name, if it is another plugin or source. This tool must then be called by its qualified name. */
  readonly yieldsTo?: string;
  readonly source: string;
  readonly title?: string;
  readonly description: string;
  readonly class: string;
  readonly sideEffects: readonly SideEffect[];
  /** True if the legacy manifest declares no side effects and `sideEffects` is assumed (SPEC M9). */
  readonly assumed?: true;
  readonly destructive: boolean;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Schemas that the host checks; set if the schemas above are the source's own and go beyond the subset for tool schemas. */
  readonly checks?: { readonly inputSchema: JsonObject; readonly outputSchema?: JsonObject };
  /** Members of an MCP server's tool definition that are meant for clients. */
  readonly mcp?: NonNullable<PublishedWords["mcp"]>;
  /** Route that policy chose. */
  readonly route: Route;
  /** Confinement of a trusted plugin's process. */
  readonly confinement?: Confinement;
  /** Paths that a tool without grants may neither read nor write (`policy.protected`). */
  readonly protected?: readonly string[];
  /** Reason why the tool cannot be called now. */
  readonly unavailable?: string;
}

/** A plugin, or a tool with its plugin. */
export type Info =
  | { readonly kind: "plugin"; readonly plugin: PluginView }
  | { readonly kind: "tool"; readonly tool: ToolView; readonly plugin: PluginView };

/** The stored grants; `inUse` is false if the plugin is not installed. */
export interface GrantList {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly grants: readonly (StoredGrant & { readonly inUse: boolean })[];
}

/** Query whether a plugin or tool may do something. Without `act`: whether it may be called, and with which grant. */
export interface WhyQuestion {
  readonly name: string;
  readonly act?: { readonly kind: PermissionKind; readonly value?: string };
  readonly context?: RequestContext;
}

/** Explanation for the tool, or for each tool of the plugin. */
export interface WhyAnswer {
  readonly tools: readonly ToolExplanation[];
}

/** All rules and layers that affect a tool's calls, and the one that decided (SPEC P6). */
export interface ToolExplanation {
  readonly tool: string;
  readonly verdict: "allowed" | "asks" | "denied" | "unavailable";
  readonly because: Because;
  readonly class: string;
  readonly route: Route;
  readonly confinement?: Confinement;
  /** Confirmation mode: when the user has to confirm a call. */
  readonly confirm: string;
  readonly rules: readonly { readonly rule: string; readonly effect: JsonObject }[];
  /** Policy layers, in order, that limit which tools the session may use. */
  readonly toolLayers: readonly { readonly layer: string; readonly level: string; readonly allowed: boolean; readonly rule: string }[];
  readonly layers: readonly { readonly layer: string; readonly permissions: Permissions }[];
  /** Quotas, and how much of each is left for this host (SPEC D9). */
  readonly quotas: readonly QuotaUse[];
  readonly act?: ActExplanation;
}

/** Verdict of each layer on one act. */
export interface ActExplanation {
  readonly kind: PermissionKind;
  /** Path (absolute), host or name. Absent if the query is about the whole kind. */
  readonly value?: string;
  /** Target of the links in the path. If set, the members below are about the target, because a call needs a grant for it too. */
  readonly leadsTo?: string;
  readonly state: AccessState;
  /** Granted HTTP methods, if the query names no method and not all methods are granted. */
  readonly methods?: readonly string[];
  readonly layers: readonly { readonly layer: string; readonly state: AccessState; readonly rule?: string; readonly decided: boolean }[];
  /** Smallest grant that allows the act, if a grant can. */
  readonly hint?: { readonly plugin: string; readonly permissions: Permissions };
}

/** All codes of a `DoorError`. `failed`: the host tried, and a file or a package did not allow it. */
const DOOR_ERROR_CODES = ["not_found", "invalid_request", "too_large", "busy", "refused", "failed", "closed", "internal"] as const;
/** One of `DOOR_ERROR_CODES`. */
export type DoorErrorCode = (typeof DOOR_ERROR_CODES)[number];

/** Thrown if a door cannot run an operation. `suggestion` is the closest existing name. */
export class DoorError extends Error {
  override readonly name = "DoorError";
  readonly code: DoorErrorCode;
  readonly suggestion: string | undefined;
  constructor(code: DoorErrorCode, message: string, suggestion?: string) {
    super(message);
    this.code = code;
    this.suggestion = suggestion;
  }
}
