/**
 * Continues the waiting calls of earlier processes (SPEC FR2): each goes through dispatch again when its answer or its time has come, with
 * its id, its version and its confirmation. Until then it costs a row in the store and an entry here.
 */

import type { ResumedAnswer, ToolCall, ToolResult } from "../call/call.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import { fromKeptSession } from "../call/kept-session.ts";
import type { Session } from "../call/session.ts";
import type { PendingConfirmations } from "../confirmations/pending.ts";
import { definitionHash, type FrozenCalls, type KeptCall } from "../effects/frozen/frozen-calls.ts";
import type { Clock, Slices } from "../platform/platform.ts";
import { defined } from "../primitives/defined.ts";
import { createTurns } from "../../sandbox/mod.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { Calls, EarlierCalls } from "./calls.ts";

/** Maximum age of a waiting call when a host takes it over. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
/** Maximum number of calls that continue at the same time: all of them may be due when a host starts. */
const AT_ONCE = 64;
/** Previews are bounded more tightly, and a call with one cannot continue without it. */
const PREVIEWS_AT_ONCE = 4;

export interface ResumedCalls extends Pick<EarlierCalls, "need"> {
  /** Reads the calls of ended hosts from now on, beside other work. @returns the ids of all but those that turn out to be unreadable */
  open(): ReadonlySet<string>;
  /** Reads all of them now. */
  readAll(): void;
  /** Cancels a call that waits here. Resolves with its result; undefined if it does not wait here. */
  cancel(callId: string): Promise<ToolResult> | undefined;
  /** From now on no call continues. */
  close(): void;
}

interface ResumeOptions {
  readonly frozen: FrozenCalls;
  readonly pending: PendingConfirmations;
  readonly calls: Pick<Calls, "expect" | "resume" | "end">;
  readonly registry: () => Snapshot;
  /** Returns a tool as an earlier version of its plugin has it; undefined if that is not kept. */
  readonly earlierTool: (serving: RegisteredTool, digest: string) => Promise<RegisteredTool | undefined>;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly slices: Slices;
  readonly timeoutMs: () => number;
  /** Whether calls go on when their time has come. */
  readonly isResuming: boolean;
  readonly onDefect: (message: string, error?: unknown) => void;
}

/** A call until it continues. */
interface Waiting {
  readonly kept: KeptCall;
  readonly request: ToolCall;
  /** Stops waiting: for the user, for the time limit of the confirmation, for the end of the sleep. */
  readonly stops: (() => void)[];
  readonly settle: (result: Promise<ToolResult>) => void;
  readonly ended: Promise<ToolResult>;
}

export function createResumedCalls(options: ResumeOptions): ResumedCalls {
  const { frozen, pending, calls, registry, earlierTool, clock, slices, timeoutMs, isResuming, onDefect } = options;
  const takeTurn = createTurns(AT_ONCE);
  const takePreviewTurn = createTurns(PREVIEWS_AT_ONCE);
  const waiting = new Map<string, Waiting>();
  const sessions = new Map<string, Session>();
  /** Calls of ended hosts that are not read yet. */
  const unread = new Set<string>();
  /** Calls of ended hosts but those that cannot be read. */
  const left = new Set<string>();
  let isClosed = false;

  function read(callId: string): void {
    if (isClosed || !unread.delete(callId)) return;
    left.delete(callId);
    try {
      const { kept, problem } = frozen.read(callId);
      if (kept !== undefined) left.add(callId);
      if (kept === undefined) onDefect(`The waiting call ${callId} cannot continue: ${problem ?? ""}`);
      else take(kept);
    } catch (error) {
      onDefect(`The waiting call ${callId} cannot continue`, error);
    }
  }

  function* readEach(): Generator<void, void> {
    for (const callId of unread) yield read(callId);
  }

  function sessionOf({ session }: KeptCall): Session {
    // Sessions of two callers may have the same id.
    const name = JSON.stringify(session);
    const known = sessions.get(name) ?? fromKeptSession(session);
    sessions.set(name, known);
    return known;
  }

  /** Begins to wait for the call's answer or time. */
  function take(kept: KeptCall): void {
    const { call, tool, args, result, sinceMs } = kept;
    const { promise: ended, resolve: settle } = Promise.withResolvers<ToolResult>();
    const request: ToolCall = Object.freeze({
      ...call,
      ...{ tool: tool.qualifiedName, args, session: sessionOf(kept), caller: "direct", confirm: onlyInTheInbox },
    });
    const one: Waiting = { kept, request, stops: [], settle, ended };
    waiting.set(call.callId, one);
    calls.expect({ request, key: kept.key, ended, ...(result && { pending: result }) });
    if (sinceMs + MAX_AGE_MS < clock.now()) return refuse(one, lost(call.callId, "it has waited for more than 7 days", kept.hasBegun));
    if (kept.pending !== undefined) ask(one, kept.pending);
    if (kept.dueMs !== undefined && isResuming) one.stops.push(clock.after(Math.max(0, kept.dueMs - clock.now()), () => goOn(one)));
    return undefined;
  }

  /** The time limit begins again, because the user could not answer meanwhile. */
  function ask(one: Waiting, asked: NonNullable<KeptCall["pending"]>): void {
    const limitMs = timeoutMs();
    const { tool } = one.kept;
    const withdraw = pending.open(
      { ...asked, expiresAt: clock.now() + limitMs },
      ({ approve, scope, reason }) =>
        goOn(one, approve ? { answer: "allowed", ...defined({ scope }) } : { answer: "denied", ...defined({ reason }) }),
      asked.request.permission === undefined ? undefined : (tool.plugin ?? tool.qualifiedName),
      true,
    );
    if (withdraw === undefined) return goOn(one, { answer: "too_many" });
    one.stops.push(
      withdraw,
      clock.after(limitMs, () => goOn(one, { answer: "timeout" })),
    );
  }

  /** Ends the wait. @returns false if it has ended before, or the host closes */
  function leave({ kept, stops }: Waiting): boolean {
    if (isClosed || !waiting.delete(kept.call.callId)) return false;
    for (const stop of stops.splice(0)) stop();
    return true;
  }

  function refuse(one: Waiting, error: ToolErrorData): void {
    if (leave(one)) one.settle(calls.end(one.request, one.kept.key, error));
  }

  function goOn(one: Waiting, answer?: ResumedAnswer): void {
    const turn = one.kept.pending?.request.preview === undefined ? takeTurn : takePreviewTurn;
    if (leave(one)) one.settle(turn(() => resume(one, answer)));
  }

  async function resume({ kept, request }: Waiting, answer: ResumedAnswer | undefined, isCancelled = false): Promise<ToolResult> {
    const { call, key, tool, hasBegun, filesModified } = kept;
    const found = await findTool(kept);
    if (!found.ok) return await calls.end(request, key, lost(call.callId, found.misfit, hasBegun));
    const guest = hasBegun ? frozen.guestOf(call.callId) : undefined;
    if (hasBegun && guest?.ok !== true) {
      const isForeign = guest?.ok === false && guest.differs === "project";
      return await calls.end(
        request,
        key,
        lost(call.callId, isForeign ? "it belongs to another project" : "what was kept of it was altered", true),
      );
    }
    const { requestId, hash } = kept.pending?.request ?? {};
    const resumed = {
      ...{ toolId: tool.id, filesModified, hasPreview: kept.pending?.request.preview !== undefined },
      ...(guest?.ok === true && { frozen: guest.bytes }),
      ...(requestId !== undefined && hash !== undefined && { request: { requestId, hash } }),
      ...(answer && { answer }),
      ...(found.earlier && { isOfEarlierVersion: true as const }),
    };
    return await calls.resume(Object.freeze({ ...request, resumed }), { key, isCancelled, ...defined({ tool: found.earlier }) });
  }

  /** Finds the tool in the version in which the call began. A call that had not begun runs in no other version than the one that serves. */
  async function findTool({ tool, hasBegun }: KeptCall): Promise<FoundTool> {
    const now = registry().find(tool.qualifiedName);
    if (now === undefined) return { ok: false, misfit: `the tool "${tool.qualifiedName}" is missing` };
    if (await isThat(now, tool)) return { ok: true };
    const earlier = hasBegun && tool.digest !== undefined ? await earlierTool(now, tool.digest) : undefined;
    if (earlier !== undefined && (await isThat(earlier, tool))) return { ok: true, earlier };
    return { ok: false, misfit: "it belongs to another version of its tool (install the version that it began in)" };
  }

  return {
    open() {
      for (const callId of frozen.left()) unread.add(callId);
      for (const callId of unread) left.add(callId);
      if (unread.size > 0) void slices.run(readEach());
      return left;
    },
    readAll() {
      for (const callId of unread) read(callId);
    },
    need: read,
    cancel(callId) {
      read(callId);
      const one = waiting.get(callId);
      if (one === undefined || !leave(one)) return undefined;
      one.settle(resume(one, undefined, true));
      return one.ended;
    },
    close() {
      isClosed = true;
      for (const { stops } of waiting.values()) for (const stop of stops.splice(0)) stop();
    },
  };
}

/** `earlier` is set if the call's version does not serve any more. */
type FoundTool = { readonly ok: true; readonly earlier?: RegisteredTool } | { readonly ok: false; readonly misfit: string };

async function isThat(tool: RegisteredTool, { digest, definition }: KeptCall["tool"]): Promise<boolean> {
  const own = tool.binding.kind === "plugin" ? tool.binding.version.digest : undefined;
  return own === digest && (await definitionHash(tool)) === definition;
}

/** No door waits for the call any more: only an answer by the confirmation's id counts. */
async function onlyInTheInbox(_request: unknown, signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** A call that cannot continue. One that had begun may have had effects. */
function lost(callId: string, because: string, hasBegun: boolean): ToolErrorData {
  const then = hasBegun ? "its effects until then stay (check before calling again)" : "it had not begun (call it again)";
  return toolError("unavailable", `The call ${callId} cannot continue: ${because}; ${then}`, {
    details: { retryable: !hasBegun, lost: true, mayHaveHappened: hasBegun },
  });
}
