/** Interface of a running host, for embedding programs and doors (SPEC I1). */

import type { BundleActs } from "../plugins/bundles/bundles.ts";
import type { HostEffects } from "./host-effects.ts";
import type { TurnResponse } from "../dispatch/chains/turn.ts";
import type { WaitingCall } from "../effects/frozen/frozen-calls.ts";
import type { Skills } from "../sources/skills.ts";
import type { Toolkits } from "../sources/toolkits.ts";
import type { Audit } from "../audit/audit.ts";
import type { HostEvent } from "../audit/events.ts";
import type { RawArguments } from "../call/argument-text.ts";
import type { ToolResult } from "../call/call.ts";
import type { CallAllOptions, CallOptions, CallRequest } from "../dispatch/call-options.ts";
import type { PendingConfirmations } from "../confirmations/pending.ts";
import type { ConsentActs } from "../plugins/consent/consent-acts.ts";
import type { PluginSources } from "../plugins/consent/plugin-sources.ts";
import type { LogLine } from "../audit/log-tail.ts";
import type { SandboxUse } from "../../sandbox/mod.ts";
import type { Exported, ExportFormat } from "../tools/exports/mod.ts";
import type { GrantStore, StoredGrant } from "../project/grants/grants.ts";
import type { KeptRange, KeptRangeOptions } from "../dispatch/results/kept-results.ts";
import type { Installer } from "../plugins/installing/installer.ts";
import type { ToolFilter, ToolListing } from "../tools/listing.ts";
import type { AccessQuery, Permissions } from "../../manifests/mod.ts";
import type { Explanation } from "../policy/explain.ts";
import type { HostPolicy } from "./host-policy.ts";
import type { Places } from "../project/places.ts";
import type { QuotaUse } from "../policy/quotas/quotas.ts";
import type { RegisterOptions } from "../tools/registry.ts";
import type { Session } from "../call/session.ts";
import type { HostSessionOptions } from "../dispatch/sessions.ts";
import type { HostSettings } from "../plugins/settings/host-settings.ts";
import type { PluginChange, PluginStatus } from "../plugins/folder/mod.ts";
import type { McpActs } from "../sources/mcp/mod.ts";
import type { RegisteredTool, ToolFactory } from "../tools/tool.ts";

/** Options of one call: a session, or the role and context of a session that the host keeps. */
export type HostCallOptions = CallOptions & Pick<HostSessionOptions, "role" | "context">;

/** An explanation with the current use of each quota. */
export interface HostExplanation extends Omit<Explanation, "quotas"> {
  readonly quotas: readonly QuotaUse[];
}

/**
 * A running host. Close it, or declare it with `await using`.
 *
 * Its open resources do not keep the process alive, unless it was created with `watch`. Pending promises of its functions do.
 */
export interface Host extends BundleActs, ConsentActs, HostEffects, Installer, McpActs, AsyncDisposable {
  /** Calls a tool. Never rejects: a failure is in the result. */
  call(tool: string, args?: RawArguments, options?: HostCallOptions): Promise<ToolResult>;
  /** Runs the calls concurrently, up to the session's cap; results in the order of the calls. */
  callAll(calls: readonly CallRequest[], options?: CallAllOptions): Promise<readonly ToolResult[]>;
  /** Like `callAll`, with the turn's id and the chains of called tools (SPEC AU6). */
  turn(calls: readonly CallRequest[], options?: CallAllOptions): Promise<TurnResponse>;
  /** Compositions of tools, bound in code or by plugins (SPEC K5). */
  readonly skills: Skills;
  /** Groups of tools of the embedding program (SPEC K4). */
  readonly toolkits: Toolkits;
  /** Cancels a call; resolves with its result when it has ended (SPEC T3). Idempotent: undefined if it does not run. */
  cancelCall(callId: string): Promise<ToolResult | undefined>;
  /** Cancels all calls of one turn. */
  cancelTurn(session: Session, turnId: string): Promise<readonly ToolResult[]>;
  /** Cancels all calls of a session and of the sessions that it delegated to. The session stays usable. */
  cancelSession(sessionId: string): Promise<readonly ToolResult[]>;
  /** Lists the calls that wait, for a user or a time, and that survive the end of the process. */
  waiting(): readonly WaitingCall[];
  /**
   * Resolves to whether a call of an earlier host has this id and this owner of its session. `call` with the same id, tool and arguments gets
   * its result, and runs nothing.
   */
  isReturning(callId: string, owner: string): Promise<boolean>;
  /** Returns the result of an ended call; the last 1,000 are remembered, fewer if they are large. */
  result(callId: string): ToolResult | undefined;
  /** Reads a truncated part of a result by its handle; undefined if the session has no such result, or it has expired (SPEC X6). */
  readResult(handle: string, range?: KeptRangeOptions & { readonly session?: Session }): KeptRange | undefined;
  /** Opens a session for one client: role, workspace, concurrency. */
  session(options?: HostSessionOptions): Session;
  /** Ends a session, for doors whose clients disconnect while the host stays: cancels its calls and emits its end. Idempotent. */
  endSession(session: Session): Promise<void>;

  /** Lists every tool, with the route and limits that policy gives it. */
  list(filter?: ToolFilter): readonly ToolListing[];
  /** Like `list`, one by one: with thousands of tools, a door can yield in between (SPEC LV2). */
  listEach(filter?: ToolFilter): Iterable<ToolListing>;
  /** Lists the tools that a model of this session may see: not hidden from its role, not denied by policy, and available (SPEC R4). */
  definitionsFor(session?: Session): readonly ToolListing[];
  /** Like `definitionsFor`, one by one. Covers the tools that are registered at its start; each uses the policy of its own moment. */
  definitionsEach(session?: Session): Iterable<ToolListing>;
  /** Returns the tools that a model can call, by their exported names, which are unique in a host (SPEC R2). */
  byExportName(tools: readonly ToolListing[]): ReadonlyMap<string, ToolListing>;
  /**
   * Exports the tools in the format of a model's API or a framework; those of AI SDK and LangChain can be invoked (SPEC R5).
   *
   * @param names of the tools, bare, qualified or exported; default all that the session may see
   * @throws {TypeError} if the format or a tool is unknown
   * @example
   * ```ts
   * import { createHost } from "bascule";
   * await using host = await createHost({ config: false });
   * const { tools, call } = host.definitions("openai", ["echo"]);
   * console.log(tools[0]?.function.name, (await call("echo", { text: "hello" })).ok); // echo true
   * ```
   */
  definitions<F extends ExportFormat>(format: F, names?: readonly string[], session?: Session): Exported<F>;
  /**
   * Registers a tool. @throws {ToolRegistrationError} if the definition is invalid (with the field). @throws {Error} if the host has no
   * registry.
   */
  register(factory: ToolFactory, options?: RegisterOptions): RegisteredTool;
  readonly policy: HostPolicy;
  /**
   * Explains why a tool may or may not be called, or do something, and the rest of its quotas (SPEC P6, D9); undefined for an unknown tool.
   */
  why(tool: string, act?: AccessQuery, session?: Session): HostExplanation | undefined;

  /** Lists every folder of the plugin roots, loaded or not. */
  plugins(): readonly PluginStatus[];
  /** Reads the files of plugins' versions. They are the authors' own texts. */
  readonly sources: PluginSources;
  /** Returns the last log lines about a plugin, secrets removed, the oldest first. */
  logLines(plugin: string): readonly LogLine[];
  /** Lists the changes that `reload` would apply. */
  checkForChanges(): Promise<readonly PluginChange[]>;
  /** Reads plugins, grants and `bascule.json` again; returns the number of plugins that changed. */
  reload(): Promise<number>;
  /** Adds a grant. @throws {TypeError} if the plugin is unknown or the permissions are invalid. */
  grant(plugin: string, permissions: Permissions): Promise<StoredGrant>;
  /** Revokes whole kinds (`true`), items as written, or everything; returns the number of changed grants. */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
  readonly grants: GrantStore;
  /** The user's settings of plugins (SPEC G1). */
  readonly settings: HostSettings;
  readonly places: Places;
  /** Returns notices for the user: created roots, and folders that cannot be watched. */
  notices(): readonly string[];

  /** Events from now on; each loop is a separate reader. */
  readonly events: AsyncIterable<HostEvent>;
  /** Calls the listener with each event, in the tick in which it happens. Returns unsubscribe. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** Pending confirmations. Never expose this to the agent that called (SPEC E5). */
  readonly confirmations: Pick<PendingConfirmations, "list" | "answer">;
  /** Returns metrics as Prometheus text: the state of the host, and with `telemetry` also its calls (SPEC AU7). */
  metrics(): string;
  /** Returns the load of the sandbox; undefined if its workers run in separate processes. */
  load(): SandboxUse | undefined;
  /** Queries of the journal, if one is kept. */
  readonly audit: Audit;
  /** Refuses new calls, waits for running ones, then cancels them. Idempotent. */
  close(): Promise<void>;
}
