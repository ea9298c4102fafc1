/**
 * What a person's door (CLI, socket) can ask of a host, and what it answers: plain JSON both ways.
 *
 * `createOperations` answers them in this process, `connectToHost` in the process that serves the project. Commands
 * see this interface only, so that they do not care which of the two they talk to.
 */

import type { AccessState, JsonObject, JsonValue, PermissionKind, Permissions, Problem, Route, SideEffect } from "../../manifests/mod.ts";
import type { RawArguments } from "../call/arguments.ts";
import type { Because, Confinement, ConfirmationRequest, ToolResult } from "../call/call.ts";
import type { AnswerOutcome, ConfirmationAnswer, PendingConfirmation } from "../confirmations/pending.ts";
import type { AcceptOutcome, RemoveOutcome, RollbackOutcome } from "../plugins/consent/consent-acts.ts";
import type { StoredGrant } from "../project/grants/grants.ts";
import type { InstalledPlugin, PackagePreview } from "../plugins/installing/installer.ts";
import type { Committed } from "../effects/overlay/dry-runs.ts";
import type { KeptRange, KeptRangeWish } from "../dispatch/results/kept-results.ts";
import type { QuotaUse } from "../policy/quotas/quotas.ts";
import type { UndoCall, UndoResult, UndoWish } from "../effects/undo/undos.ts";
import type { TaskContext } from "../call/session.ts";
import type { HeldVersion } from "../plugins/folder/status.ts";
import type { PublishedWords } from "../tools/tool.ts";
import type { SettingChange, SettingsView } from "../plugins/settings/plugin-settings.ts";

/** Everything a door can ask. Failures reject with a `DoorError`; a failed call is a `ToolResult`, not a failure. */
export interface Operations {
  call(request: CallRequest, listener: CallListener): Promise<ToolResult>;
  /** A part of what was left out of one of this client's results. */
  readResult(handle: string, range?: KeptRangeWish): Promise<KeptRange>;
  status(): Promise<HostStatus>;
  list(): Promise<readonly PluginView[]>;
  info(name: string): Promise<Info>;
  grant(plugin: string, permissions: Permissions): Promise<StoredGrant>;
  /** @returns how many grants changed. */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
  grants(): Promise<GrantList>;
  /** What a plugin is set to, after the change if there is one. */
  settings(plugin: string, change?: SettingChange): Promise<SettingsView>;
  why(question: WhyQuestion): Promise<WhyAnswer>;
  /** Questions that wait for a person, of every client. */
  pending(): Promise<readonly PendingConfirmation[]>;
  resolve(requestId: string, answer: ConfirmationAnswer): Promise<AnswerOutcome>;
  /** Does what a dry run said (SPEC E8); with `hash`, only if it said what its report had this hash of. */
  commit(callId: string, hash?: string): Promise<Committed>;
  /** Puts back what a call changed; `dryRun` only says what would be. */
  undo(callId: string, wish?: UndoWish): Promise<UndoResult>;
  /** Calls that can be undone, the newest first. */
  undoable(): Promise<readonly UndoCall[]>;
  /** The version that was shown, and no other, may serve (SPEC H6). */
  accept(plugin: string, digest: string): Promise<AcceptOutcome>;
  /** Brings the version before the one that serves back (SPEC H10). */
  rollback(plugin: string): Promise<RollbackOutcome>;
  /** Looks at a plugin that could be added. @param source an absolute path, or a repository's URL. */
  inspect(source: string, signal: AbortSignal): Promise<PackagePreview>;
  /** Adds what was looked at: the version with this digest. */
  install(digest: string): Promise<InstalledPlugin>;
  /** Takes the plugin out of service and deletes its folder. */
  remove(plugin: string): Promise<RemoveOutcome>;
  /** Looks for changes now. @returns how many plugins were reloaded. */
  reload(): Promise<number>;
}

/** Those of one client. */
export interface ClientOperations extends Operations {
  /** The client is gone: its sessions are over, and what still runs in them is cancelled. */
  end(): Promise<void>;
}

/** One call. `args` is JSON, or a `JsonArgumentText` that the host parses. */
export interface CallRequest {
  readonly tool: string;
  readonly args: RawArguments;
  readonly timeoutMs?: number;
  /** Text that the guest's randomness is computed from. */
  readonly seed?: string;
  /** The guest's time when it begins, in milliseconds since the epoch. */
  readonly timeMs?: number;
  readonly record?: boolean;
  /** Change nothing; the result says what would have changed. */
  readonly dryRun?: boolean;
  /** Calls in a session of this role and task in place of the client's own. */
  readonly context?: RequestContext;
}

/** A role, and a task's context, for single requests of a person's client. */
export interface RequestContext extends TaskContext {
  readonly role?: string;
}

/** What the caller wants to hear and be asked while a call runs. */
export interface CallListener {
  readonly signal: AbortSignal;
  /** `json`: of a value above 64 KB its JSON in UTF-8, in one line. */
  readonly onProgress?: (progress: JsonValue, json?: Uint8Array) => void;
  /** Asks the caller's person; absent where there is none. `undefined` is no answer. */
  readonly confirm?: (request: ConfirmationRequest, signal: AbortSignal) => Promise<boolean | undefined>;
}

/** Which host answers, and for what. */
export interface HostStatus {
  readonly version: string;
  readonly pid: number;
  readonly root: string;
  readonly workspace: string;
  readonly pluginRoots: readonly string[];
  readonly plugins: number;
  readonly tools: number;
  /** What is wrong with `.bascule/grants.json`, if anything. */
  readonly grantProblems: readonly Problem[];
  /** What a person should know: roots that were created, watching that does not work. */
  readonly notices: readonly string[];
}

/** `loaded` can be called; `stale` serves its last good version because the newest one fails. */
export type PluginState = "loaded" | "stale" | "disabled" | "failed" | "quarantined" | "ignored";

/** One folder below a plugin root, or the built-in tools. */
export interface PluginView {
  readonly name: string;
  readonly state: PluginState;
  readonly directory?: string;
  readonly version?: string;
  readonly description?: string;
  readonly digest?: string;
  readonly tools: readonly ToolView[];
  /** Why it is not loaded, or what is wrong with the newest version; empty if all is well. */
  readonly problems: readonly PluginProblem[];
  readonly requested: Permissions;
  readonly granted: Permissions;
  /** What it asks for and has not been granted. */
  readonly missing: Permissions;
  /** Limits that it asks to be above the defaults, and what of them its calls have. */
  readonly limits: readonly LimitView[];
  /** A version that waits for a person to accept it. */
  readonly held?: HeldVersion;
}

/** One limit that a plugin asks to be higher. */
export interface LimitView {
  readonly limit: string;
  readonly asked: number;
  readonly allowed: number;
  /** Who can allow more; absent where it has what it asks for. `consent`: whoever accepts the plugin, `policy`: a rule sets it. */
  readonly by?: "consent" | "policy";
  /** For people: `memoryBytes 256 MiB, allowed 64 MiB`. */
  readonly text: string;
}

/** A problem with a place in one of the plugin's files, and the lines around it. */
export interface PluginProblem extends Problem {
  /** Relative to the plugin's folder. */
  readonly file?: string;
  /** Lines of the file around the place, as they are: guest text. */
  readonly frame?: CodeFrame;
}

/** Some lines of a file; `first` is the number of the first one. */
export interface CodeFrame {
  readonly first: number;
  readonly lines: readonly string[];
}

/** One tool, as much as a person wants to know to call it. */
export interface ToolView {
  readonly name: string;
  readonly qualifiedName: string;
  /** Whose the bare name is, if that is another's: the tool is called by its qualified name. */
  readonly yieldsTo?: string;
  readonly source: string;
  readonly title?: string;
  readonly description: string;
  readonly class: string;
  readonly sideEffects: readonly SideEffect[];
  /** Its manifest, in the older spelling, declares none: these are assumed (SPEC M9). */
  readonly assumed?: true;
  readonly destructive: boolean;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** The schemas that the host itself checks; set if those above are the source's own, in other words than tool schemas have. */
  readonly checks?: { readonly inputSchema: JsonObject; readonly outputSchema?: JsonObject };
  /** Members for clients in an MCP server's definition of the tool. */
  readonly mcp?: NonNullable<PublishedWords["mcp"]>;
  /** Where policy has it run. */
  readonly route: Route;
  /** What holds the process of a trusted plugin. */
  readonly confinement?: Confinement;
  /** Items that it may neither read nor write, since it needs no grant (`policy.protected`). */
  readonly protected?: readonly string[];
  /** Why it cannot be called now. */
  readonly unavailable?: string;
}

/** A plugin, or a tool with the plugin it belongs to. */
export type Info =
  | { readonly kind: "plugin"; readonly plugin: PluginView }
  | { readonly kind: "tool"; readonly tool: ToolView; readonly plugin: PluginView };

/** The grants, and whether each belongs to a plugin that is there. */
export interface GrantList {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly grants: readonly (StoredGrant & { readonly inUse: boolean })[];
}

/** May this plugin or tool do this? Without an act: may it be called, and with what grant. */
export interface WhyQuestion {
  readonly name: string;
  readonly act?: { readonly kind: PermissionKind; readonly value?: string };
  readonly context?: RequestContext;
}

/** An answer for the tool, or for each tool of the plugin. */
export interface WhyAnswer {
  readonly tools: readonly ToolExplanation[];
}

/** Every rule and layer that has a say in a tool's calls, and the one that decided (SPEC P6). */
export interface ToolExplanation {
  readonly tool: string;
  readonly verdict: "allowed" | "asks" | "denied" | "unavailable";
  readonly because: Because;
  readonly class: string;
  readonly route: Route;
  readonly confinement?: Confinement;
  /** Whether a person is asked before each call. */
  readonly confirm: string;
  readonly rules: readonly { readonly rule: string; readonly effect: JsonObject }[];
  /** Which tools the session may use at all: every layer of policy, in order. */
  readonly toolLayers: readonly { readonly layer: string; readonly level: string; readonly allowed: boolean; readonly rule: string }[];
  readonly layers: readonly { readonly layer: string; readonly permissions: Permissions }[];
  /** How much may be used in which time, and what is left of it for this host (SPEC D9). */
  readonly quotas: readonly QuotaUse[];
  readonly act?: ActExplanation;
}

/** What each layer says about one act. */
export interface ActExplanation {
  readonly kind: PermissionKind;
  /** What it is about; a path is absolute. Absent for the whole kind. */
  readonly value?: string;
  /** Where links in the path lead; then the rest is about that place, which a call has to be granted too. */
  readonly leadsTo?: string;
  readonly state: AccessState;
  /** For a request without a method that is not granted as a whole: the methods that are granted. */
  readonly methods?: readonly string[];
  readonly layers: readonly { readonly layer: string; readonly state: AccessState; readonly rule?: string; readonly decided: boolean }[];
  /** The smallest grant that would allow it, where a grant can. */
  readonly hint?: { readonly plugin: string; readonly permissions: Permissions };
}

/** Every code of a `DoorError`. */
export const DOOR_ERROR_CODES = ["not_found", "invalid_request", "too_large", "busy", "refused", "closed", "internal"] as const;
/** One of `DOOR_ERROR_CODES`. */
export type DoorErrorCode = (typeof DOOR_ERROR_CODES)[number];

/** A door could not do what it was asked. `suggestion` is the nearest name there is. */
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
