/** What a running host offers to whoever embeds it, and to doors (SPEC I1). */

import type { BundleActs } from "../plugins/bundles/bundles.ts";
import type { HostEffects } from "./host-effects.ts";
import type { TurnResponse } from "../dispatch/chains/turn.ts";
import type { Skills } from "../sources/skills.ts";
import type { Toolkits } from "../sources/toolkits.ts";
import type { Audit } from "../audit/audit.ts";
import type { HostEvent } from "../audit/events.ts";
import type { RawArguments } from "../call/arguments.ts";
import type { ToolResult } from "../call/call.ts";
import type { CallAllOptions, CallOptions, CallRequest } from "../dispatch/calls.ts";
import type { PendingConfirmations } from "../confirmations/pending.ts";
import type { ConsentActs } from "../plugins/consent/consent-acts.ts";
import type { Exported, ExportFormat } from "../tools/exports/mod.ts";
import type { GrantStore, StoredGrant } from "../project/grants/grants.ts";
import type { KeptRange, KeptRangeWish } from "../dispatch/results/kept-results.ts";
import type { Installer } from "../plugins/installing/installer.ts";
import type { ToolFilter, ToolListing } from "../tools/listing.ts";
import type { AccessQuery, Permissions } from "../../manifests/mod.ts";
import type { Explanation } from "../policy/explain.ts";
import type { HostPolicy } from "./policy-source.ts";
import type { Places } from "../project/places.ts";
import type { QuotaUse } from "../policy/quotas/quotas.ts";
import type { RegisterOptions } from "../tools/registry.ts";
import type { Session } from "../call/session.ts";
import type { HostSessionOptions } from "../dispatch/sessions.ts";
import type { HostSettings } from "../plugins/settings/host-settings.ts";
import type { PluginChange, PluginStatus } from "../plugins/folder/mod.ts";
import type { McpActs } from "../sources/mcp/mod.ts";
import type { RegisteredTool, ToolFactory } from "../tools/tool.ts";

/** Options of one call: a session, or the role and context of one that the host keeps. */
export type HostCallOptions = CallOptions & Pick<HostSessionOptions, "role" | "context">;

/** An explanation with what is left of each quota now. */
export interface HostExplanation extends Omit<Explanation, "quotas"> {
  readonly quotas: readonly QuotaUse[];
}

/**
 * A running host. Close it, or declare it with `await using`.
 *
 * What it has open keeps no process alive, unless it was told to `watch`; each promise that its functions return does, until it has settled.
 */
export interface Host extends BundleActs, ConsentActs, HostEffects, Installer, McpActs, AsyncDisposable {
  /** Never rejects: whatever goes wrong is in the result. */
  call(tool: string, args?: RawArguments, options?: HostCallOptions): Promise<ToolResult>;
  /** Up to the session's cap at once; results in the order of the calls. */
  callAll(calls: readonly CallRequest[], options?: CallAllOptions): Promise<readonly ToolResult[]>;
  /** The same, with the turn's id and the chains of tools that were called (SPEC AU6). */
  turn(calls: readonly CallRequest[], options?: CallAllOptions): Promise<TurnResponse>;
  /** Compositions of tools, bound in code or by plugins (SPEC K5). */
  readonly skills: Skills;
  /** Tools that come together (SPEC K4). */
  readonly toolkits: Toolkits;
  /** Tells a call to end; resolves when it has, with its result (SPEC T3). Idempotent: undefined where it does not run. */
  cancelCall(callId: string): Promise<ToolResult | undefined>;
  /** All calls of one turn. */
  cancelTurn(session: Session, turnId: string): Promise<readonly ToolResult[]>;
  /** All calls of a session and of those that it delegated to. It can be used again. */
  cancelSession(sessionId: string): Promise<readonly ToolResult[]>;
  /** Of an ended call; the last 1,000 are remembered, fewer if they are large. */
  result(callId: string): ToolResult | undefined;
  /** A part of what was left out of a result, by its handle; undefined if the session has no such result, or has it no more (SPEC X6). */
  readResult(handle: string, range?: KeptRangeWish & { readonly session?: Session }): KeptRange | undefined;
  /** A client of its own: role, workspace, concurrency. */
  session(options?: HostSessionOptions): Session;
  /** For doors whose clients go while the host stays: cancels what it runs, and says in the events that it is over. Idempotent. */
  endSession(session: Session): Promise<void>;

  /** Every tool, with the route and limits that policy gives it. */
  list(filter?: ToolFilter): readonly ToolListing[];
  /** The same, made one after another: with thousands of tools, a door lets others have their turns in between (SPEC LV2). */
  listEach(filter?: ToolFilter): Iterable<ToolListing>;
  /** What a model of this session may see: neither hidden from its role, nor denied by policy, nor unavailable (SPEC R4). */
  definitionsFor(session?: Session): readonly ToolListing[];
  /** The same, as `listEach` has it. Of the tools that are registered when it begins; each by the policy of the moment it is made. */
  definitionsEach(session?: Session): Iterable<ToolListing>;
  /** Of these the ones that a model can call, by the names that it calls them by: no two tools of a host have the same (SPEC R2). */
  byExportName(tools: readonly ToolListing[]): ReadonlyMap<string, ToolListing>;
  /**
   * The same tools in the shapes of a model's API or of a framework; those of AI SDK and LangChain can be invoked (SPEC R5).
   *
   * @param names which of them, by any of their names; default all that the session may see
   * @throws {TypeError} if there is no such format or tool
   * @example
   * ```ts
   * import { createHost } from "bascule";
   * await using host = await createHost({ config: false });
   * const { tools, call } = host.definitions("openai", ["echo"]);
   * console.log(tools[0]?.function.name, (await call("echo", { text: "hello" })).ok); // echo true
   * ```
   */
  definitions<F extends ExportFormat>(format: F, names?: readonly string[], session?: Session): Exported<F>;
  /** @throws {ToolRegistrationError} if the definition is wrong, naming the field. @throws {Error} if the host has no registry. */
  register(factory: ToolFactory, options?: RegisterOptions): RegisteredTool;
  readonly policy: HostPolicy;
  /** Why a tool may or may not be called, or do something, and what is left of its quotas (SPEC P6, D9); undefined if there is no such tool. */
  why(tool: string, act?: AccessQuery, session?: Session): HostExplanation | undefined;

  /** Every folder of the plugin roots, loaded or not. */
  plugins(): readonly PluginStatus[];
  /** What `reload` would look at. */
  checkForChanges(): Promise<readonly PluginChange[]>;
  /** Reads plugins, grants and `bascule.json` again; returns how many plugins are served differently now. */
  reload(): Promise<number>;
  /** @throws {TypeError} if there is no such plugin or the permissions are wrong. */
  grant(plugin: string, permissions: Permissions): Promise<StoredGrant>;
  /** Takes back whole kinds (`true`) or items as they were written, or everything; returns how many grants changed. */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
  readonly grants: GrantStore;
  /** What people set for plugins (SPEC G1). */
  readonly settings: HostSettings;
  readonly places: Places;
  /** Lines for people: roots that were created, watching that does not work. */
  notices(): readonly string[];

  /** Each loop is a reader of its own, from its beginning on. */
  readonly events: AsyncIterable<HostEvent>;
  /** Called with each event from now on, in the tick in which it happens. Returns unsubscribe. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** Questions that wait for a person. Never hand this to the agent that asked (SPEC E5). */
  readonly confirmations: Pick<PendingConfirmations, "list" | "answer">;
  /** What is counted, as text for Prometheus: how the host is, and with `telemetry` also its calls (SPEC AU7). */
  metrics(): string;
  /** The durable record, where one is kept. */
  readonly audit: Audit;
  /** Refuses new calls, lets running ones end, then cancels them. Idempotent. */
  close(): Promise<void>;
}
