/** Everything that is known about one call: its events in the journal, its result while the host keeps it, and the files it changed. */

import { reversePatch, formatPatch, parsePatch } from "diff";
import { ask, RequestError } from "./api.ts";
import { calls, type CallState } from "./calls.ts";
import { loadUndoable, questions, undoable } from "./state.ts";
import type { Decision, DryRun, FileChange, HostEvent, Json, Result, Undone } from "./types.ts";

export interface CallDetail {
  readonly callId: string;
  readonly tool: string;
  readonly plugin: string | undefined;
  readonly sessionId: string | undefined;
  readonly chainId: string | undefined;
  readonly state: CallState;
  readonly startedAt: number | undefined;
  readonly durationMs: number | undefined;
  readonly isDry: boolean;
  readonly args: Json | undefined;
  /** Whether `args` is only an outline. */
  readonly isOutline: boolean;
  readonly result: Result | undefined;
  /** Output in the journal, if the result is no longer kept. */
  readonly output: Json | undefined;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | undefined } | undefined;
  readonly files: readonly string[];
  /** Changes with their diffs, while they can be undone. */
  readonly changes: Omit<DryRun, "hash" | "canCommit"> | undefined;
  readonly decision: Decision | undefined;
  /** The confirmation that it waits for. */
  readonly requestId: string | undefined;
  /** In order of time. */
  readonly events: readonly HostEvent[];
}

const MAX_EVENTS = 500;
const ENDS = new Set(["tool.completed", "tool.failed", "tool.denied", "tool.input_invalid"]);

/** @throws {RequestError} if the host cannot be asked */
export async function loadCall(callId: string): Promise<CallDetail> {
  const id = encodeURIComponent(callId);
  const [found, result] = await Promise.all([
    ask<{ readonly events: readonly { readonly event: HostEvent }[] }>(`/v1/audit?callId=${id}&limit=${MAX_EVENTS}`),
    orNothing(ask<Result | { readonly status: "running" }>(`/v1/calls/${id}`)),
    loadUndoable(),
  ]);
  const ended = result !== undefined && "output" in result ? result : undefined;
  const changes = undoable.peek().has(callId) ? await changesOf(id) : undefined;
  return {
    callId,
    ...detailOf(
      callId,
      found.events.map(({ event }) => event),
      ended,
    ),
    changes,
  };
}

function detailOf(callId: string, events: readonly HostEvent[], result: Result | undefined): Omit<CallDetail, "callId" | "changes"> {
  const row = calls.peek().find((call) => call.callId === callId);
  const called = events.find(({ type }) => type === "tool.called");
  const end = events.find(({ type }) => ENDS.has(type));
  const started = called ?? events[0];
  const { tool, arguments: args, output, durationMs, code, message, dryRun, largeArguments } = { ...called?.payload, ...end?.payload };
  const question = questions.peek().find(({ request }) => request.callId === callId);
  const said = typeof code === "string" ? { code, message: typeof message === "string" ? message : "", hint: undefined } : undefined;
  const { error } = result ?? {};
  const isPending = result?.status === "pending_approval";
  const given = result?.arguments ?? args ?? question?.request.args;
  return {
    tool: textOr(tool, result?.tool ?? question?.request.tool ?? row?.tool ?? "Call"),
    plugin: started?.plugin ?? result?.plugin ?? row?.plugin,
    sessionId: started?.sessionId ?? row?.sessionId,
    chainId: started?.chainId ?? row?.chainId,
    state: question === undefined ? stateOf(end, row?.state, isPending ? undefined : result) : "waiting",
    startedAt: started?.time ?? row?.time,
    durationMs: typeof durationMs === "number" ? durationMs : isPending ? undefined : result?.durationMs,
    isDry: dryRun === true,
    args: given,
    isOutline: largeArguments !== undefined,
    result: isPending ? undefined : result,
    output,
    error: isPending ? undefined : error === undefined ? said : { ...error, hint: error.hint?.text },
    files: result?.filesModified ?? [],
    decision:
      result?.decision ?? (called?.payload["decision"] as Decision | undefined) ?? (end?.payload["decision"] as Decision | undefined),
    requestId: question?.request.requestId,
    events,
  };
}

function stateOf(end: HostEvent | undefined, known: CallState | undefined, result: Result | undefined): CallState {
  if (end?.type === "tool.completed") return "completed";
  if (end?.type === "tool.denied") return "denied";
  if (end !== undefined) return "failed";
  if (result !== undefined) return result.ok ? "completed" : "failed";
  return known ?? "running";
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Returns the call's changes: the reverse of what an undo would do. */
async function changesOf(id: string): Promise<CallDetail["changes"]> {
  const undone = await orNothing(ask<Undone>(`/v1/undo/${id}`, { dryRun: true }));
  if (undone?.dryRun === undefined) return undefined;
  return { ...undone.dryRun, changes: undone.dryRun.changes.map(reversed) };
}

const OPPOSITE: Readonly<Record<FileChange["kind"], FileChange["kind"]>> = {
  created: "deleted",
  deleted: "created",
  modified: "modified",
  renamed: "renamed",
};

function reversed({ kind, before, after, diff, ...rest }: FileChange): FileChange {
  return {
    ...rest,
    kind: OPPOSITE[kind],
    ...(after !== undefined && { before: after }),
    ...(before !== undefined && { after: before }),
    ...(diff !== undefined && { diff: reversedDiff(diff) }),
  };
}

function reversedDiff(diff: string): string {
  try {
    return formatPatch(reversePatch(parsePatch(diff)));
  } catch {
    // The host shortened the diff within a hunk: it is shown as it is.
    return diff;
  }
}

async function orNothing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RequestError && (error.status === 404 || error.status === 410 || error.status === 409)) return undefined;
    throw error;
  }
}
