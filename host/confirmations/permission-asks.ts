/**
 * Asks the user for a permission in the middle of a call, while the guest waits (SPEC E7).
 *
 * Only for permissions that the manifest requests and no policy denies, so that an approval is possible. The approval holds for this call
 * only: its grant changes, and the user's stored grant does not. A call may ask a few times, and not again for a refused permission.
 */

import {
  type AccessQuery,
  type CompiledItem,
  compilePermissions,
  evaluateAccess,
  isAtOrBelow,
  isPathKind,
  type PermissionLayer,
  smallestGrant,
} from "../../manifests/mod.ts";
import type { ConfirmationRequest, ToolCall } from "../call/call.ts";
import { createMutex, type Mutex } from "../platform/mutex.ts";
import { FileError, type Files } from "../platform/platform.ts";
import type { Grant } from "../call/grant.ts";
import { defined } from "../primitives/defined.ts";
import type { Execution } from "../tools/execution.ts";
import type { RunTime } from "../call/run-time.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { grantForAlways } from "./always-grant.ts";
import { type ConfirmationOptions, putQuestion } from "./confirmations.ts";
import { ANSWER_SCOPES, type AnswerScope, type PendingConfirmation } from "./pending.ts";
import { toPermissionRequest } from "./request.ts";

/** The permission confirmations of one call. */
export interface PermissionAsks {
  /** Asks for one permission at a time. @returns the new grant; undefined if it stays the same. */
  ask(wanted: AccessQuery, grant: () => Grant): Promise<Grant | undefined>;
  /** Withdraws pending confirmations when the call ends. */
  close(): void;
  /**
   * Resolves to the confirmation that is pending, once the permission that is being asked for has one. Undefined if nothing is asked.
   */
  pending(): Promise<PendingConfirmation | undefined>;
  /** True if the user has approved a permission: the wider grant ends with the process. */
  readonly isWidened: boolean;
}

/** Creates the permission confirmations of a call. */
export type OpenPermissionAsks = (execution: Execution, time: Pick<RunTime, "standStill">) => PermissionAsks;

interface PermissionAskOptions extends ConfirmationOptions {
  readonly files: Pick<Files, "realPath">;
}

/** Maximum number of permission confirmations per call; further ones are refused without asking. */
const MAX_ASKS = 8;

export function createPermissionAsks(options: PermissionAskOptions): OpenPermissionAsks {
  return (execution, time) => new CallAsks(execution, time, options);
}

/** Returns whether the call can ask: its door has a user, and the call is not a dry run. */
export function canAsk({ call, dryRun }: Pick<Execution, "dryRun"> & { readonly call: Pick<ToolCall, "confirm"> }): boolean {
  return call.confirm !== undefined && dryRun === undefined;
}

class CallAsks implements PermissionAsks {
  readonly #execution: Execution;
  readonly #time: Pick<RunTime, "standStill">;
  readonly #options: PermissionAskOptions;
  readonly #over: AbortController = new AbortController();
  readonly #refused: Set<string> = new Set();
  #count = 0;
  isWidened = false;
  /** Resolves when the confirmation of the permission that is being asked for is pending, or its ask is over. */
  #pending: PromiseWithResolvers<PendingConfirmation | undefined> | undefined;
  readonly #inTurn: Mutex = createMutex();

  constructor(execution: Execution, time: Pick<RunTime, "standStill">, options: PermissionAskOptions) {
    this.#execution = execution;
    this.#time = time;
    this.#options = options;
    const { signal } = execution;
    if (signal.aborted) this.#over.abort();
    signal.addEventListener("abort", this.#end, { once: true });
  }

  readonly #end = (): void => this.#over.abort();

  ask(wanted: AccessQuery, grant: () => Grant): Promise<Grant | undefined> {
    return this.#inTurn(async () => {
      this.#pending = Promise.withResolvers();
      const wider = await this.#ask(wanted, grant()).finally(() => this.#pending?.resolve(undefined));
      this.#pending = undefined;
      this.isWidened ||= wider !== undefined;
      return wider;
    });
  }

  pending(): Promise<PendingConfirmation | undefined> {
    return this.#pending === undefined ? Promise.resolve(undefined) : this.#pending.promise;
  }

  close(): void {
    this.#execution.signal.removeEventListener("abort", this.#end);
    this.#end();
  }

  async #ask(wanted: AccessQuery, grant: Grant): Promise<Grant | undefined> {
    // The previous answer may cover this permission.
    if (evaluateAccess(grant.layers, wanted).state === "granted") return grant;
    const key = JSON.stringify(wanted);
    const { signal } = this.#over;
    if (signal.aborted || this.#refused.has(key) || !isAskable(wanted)) return undefined;
    const real = await this.#realQuery(wanted);
    const queries = real === undefined ? [wanted] : [wanted, real];
    // The link's target must be grantable, too.
    if (queries.some((query) => evaluateAccess(grant.layers, query).state === "denied")) return undefined;
    const { tool, call, args, decision } = this.#execution;
    const permission = toAsked(wanted, real);
    const { answers } = this.#options;
    const approved = answers.of(call.session).permissions;
    const approval = approvalKey(tool, call, permission);
    if (approved.has(approval)) return widen(grant, queries);
    if (++this.#count > MAX_ASKS) return undefined;

    const { request: kept } = call.resumed ?? {};
    const request = await toPermissionRequest(tool, call, args, {
      requestId: kept !== undefined && this.#count === 1 ? kept.requestId : this.#options.newId(),
      platform: this.#options.platform,
      permission,
    });
    // The wait for the user counts against neither time nor slot (SPEC D4).
    const goOn = this.#time.standStill();
    const asker = tool.plugin ?? tool.qualifiedName;
    const scopes: readonly AnswerScope[] = grantForAlways(request) === undefined ? ["once", "session"] : ANSWER_SCOPES;
    const opened = (pending: PendingConfirmation): void => this.#pending?.resolve(pending);
    const question = { tool, call, summary: summaryOf(permission), scopes, asker, opened };
    const { answer, scope } = await putQuestion(request, question, signal, this.#options);
    await goOn();
    if (answer === "allowed" && this.#options.isUnchanged({ tool, call, args, decision })) {
      if (scope === "session") {
        approved.add(approval);
        answers.keep(call.session);
      }
      return widen(grant, queries);
    }
    this.#refused.add(key);
    return undefined;
  }

  /** Returns the path with its existing links resolved; undefined if it is the same. */
  async #realQuery(wanted: AccessQuery): Promise<AccessQuery | undefined> {
    if (!("path" in wanted) || wanted.path === undefined || !isPathKind(wanted.kind)) return undefined;
    const missing: string[] = [];
    for (let at = wanted.path; at !== "/" && at !== ""; at = at.slice(0, at.lastIndexOf("/")) || "/") {
      try {
        const real = await this.#options.files.realPath(at);
        const path = [real === "/" ? "" : real, ...missing].join("/");
        return path === wanted.path ? undefined : { kind: wanted.kind, path };
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        missing.unshift(at.slice(at.lastIndexOf("/") + 1));
      }
    }
    return undefined;
  }
}

/** Permissions that a sandboxed guest can use. */
function isAskable({ kind }: AccessQuery): boolean {
  return kind === "read" || kind === "write" || kind === "net" || kind === "env";
}

type AskedPermission = NonNullable<ConfirmationRequest["permission"]>;

/** Returns the key of an approval: exactly the shown permission, and not another version of the plugin, nor another chain of callers. */
function approvalKey(tool: RegisteredTool, { chain }: Pick<ToolCall, "chain">, { kind, value, leadsTo }: AskedPermission): string {
  const owner = tool.binding.kind === "plugin" ? tool.binding.version.digest : tool.id;
  return JSON.stringify([owner, kind, value ?? null, leadsTo ?? null, chain?.path ?? []]);
}

function toAsked(wanted: AccessQuery, real: AccessQuery | undefined): AskedPermission {
  const value = valueOf(wanted);
  const leadsTo = real && valueOf(real);
  return { kind: wanted.kind, ...defined({ value, leadsTo }) };
}

function valueOf(query: AccessQuery): string | undefined {
  if ("path" in query) return query.path;
  if ("name" in query) return query.name;
  if (!("host" in query) || query.host === undefined) return undefined;
  return query.port === undefined ? query.host : `${query.host}:${query.port}`;
}

function summaryOf({ kind, value, leadsTo }: AskedPermission): string {
  const what = value === undefined ? `all of ${kind}` : `${kind} ${JSON.stringify(value)}`;
  return leadsTo === undefined ? what : `${what}, which leads to ${JSON.stringify(leadsTo)}`;
}

/** Adds the permissions to the user's layer. All other layers stay in force. */
function widen(grant: Grant, queries: readonly AccessQuery[]): Grant {
  return Object.freeze({
    layers: Object.freeze(grant.layers.map((layer) => (layer.otherwise === "prompt" ? withItems(layer, queries) : layer))),
  });
}

function withItems(layer: PermissionLayer, queries: readonly AccessQuery[]): PermissionLayer {
  const entries = new Map(layer.permissions.entries);
  for (const query of queries) {
    const entry = entries.get(query.kind) ?? { allow: [], deny: [] };
    const item = itemFor(query, layer);
    const allow = item === undefined || entry.allow === true ? true : [...entry.allow, item];
    entries.set(query.kind, { ...entry, allow });
  }
  return { ...layer, permissions: { ...layer.permissions, entries } };
}

/** Built directly and not from a pattern, because a name may contain pattern characters. Undefined: everything. */
function itemFor(query: AccessQuery, layer: PermissionLayer): CompiledItem | undefined {
  const written = valueOf(query);
  if (written === undefined) return undefined;
  const { kind } = query;
  if (kind !== "net") {
    const isPath = isPathKind(kind);
    return { written, matches: (asked) => asked.kind === kind && covers(written, valueOf(asked), isPath) };
  }
  const { bases } = layer.permissions;
  const compiled = compilePermissions(smallestGrant(query, bases).permissions, bases).entries.get("net")?.allow;
  if (compiled === undefined || compiled === true) throw new Error(`No item for ${written}`);
  return compiled[0];
}

function covers(written: string, asked: string | undefined, isPath: boolean): boolean {
  if (asked === undefined) return false;
  return isPath ? isAtOrBelow(asked, written) : asked === written;
}
