/**
 * Calls that wait for a confirmation after their callers were released: a repeat of the call returns its result and runs nothing (SPEC E6).
 */

import type { RawArguments } from "../call/argument-text.ts";
import type { ToolCall, ToolResult } from "../call/call.ts";
import { callKey } from "../call/call-key.ts";
import type { HashPlatform } from "../primitives/json/json-hash.ts";
import type { EndedCall } from "./results/lasting-results.ts";
import { MAX_RESULT_BYTES, sizeOf } from "./recent-results.ts";
import { createRemembered } from "./remembered.ts";
import { type Session, sessionOwner } from "../call/session.ts";

/**
 * The calls of one host: the last 1,000 that ended, fewer if they are large, and all that still wait (the number of confirmations bounds
 * those).
 */
interface AskedCalls {
  /** @param pending the result that the caller received */
  add(call: AskedCall, pending: ToolResult, ended: Promise<ToolResult>): Promise<void>;
  /** Returns the result of the call so far; undefined if the call is unknown. */
  find(call: AskedCall): Promise<ToolResult | undefined>;
  /** Adds a call of an earlier process. @param key of `KeptCall` */
  restore(callId: string, call: RestoredCall): void;
  /** Adds the result of a call that ended in an earlier process. @param isTool returns whether a name is that of its tool */
  addEnded(call: EndedCall, isTool: (name: string) => boolean): void;
  /** Returns the owner of a call of an earlier process; undefined if the call is none. */
  earlierOwner(callId: string): { readonly owner: string | undefined } | undefined;
  /** Returns the pending result of a call that still waits. */
  pending(callId: string): ToolResult | undefined;
}

/** A call that began in an earlier process. Its caller may have another session now. */
export interface RestoredCall {
  readonly request: ToolCall;
  readonly key: string;
  /** Absent if its caller was waiting for the result. */
  readonly pending?: ToolResult;
  readonly ended: Promise<ToolResult>;
}

interface AskedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: RawArguments;
  readonly session: Pick<Session, "id" | "owner">;
}

interface Entry {
  /** Returns whether a call is a repeat of this one. */
  readonly isSame: (call: AskedCall) => boolean | Promise<boolean>;
  result: ToolResult | undefined;
  /** Set for a call of an earlier process that has not ended. */
  readonly restored?: Promise<ToolResult>;
  /** Set for a call of an earlier process: its owner. */
  readonly earlier?: { readonly owner: string | undefined };
}

const REMEMBERED = 1_000;

export function createAskedCalls(platform?: HashPlatform): AskedCalls {
  const calls = createRemembered<Entry>(REMEMBERED, MAX_RESULT_BYTES);
  /** Calls of earlier processes that have not ended. The store bounds their number. */
  const restored = new Map<string, Entry>();
  /** The caller may have another session now. */
  const ownKey = (call: AskedCall): Promise<string> => callKey(call.session.owner ?? "", call, platform);
  return {
    async add(call, pending, ended) {
      const key = callKey(call.session.id, call, platform);
      const isSame: Entry["isSame"] = async (again) => (await key) === (await callKey(again.session.id, again, platform));
      const entry: Entry = { isSame, result: pending };
      calls.set(call.callId, entry, sessionOwner(call.session));
      entry.result = await ended;
      calls.ended(call.callId, entry, sizeOf(entry.result));
    },
    async find(call) {
      const entry = restored.get(call.callId) ?? calls.get(call.callId);
      if (entry === undefined || !(await entry.isSame(call))) return undefined;
      return entry.result ?? (await entry.restored);
    },
    restore(callId, { request, key, pending, ended }) {
      const isSame: Entry["isSame"] = async (again) => key === (await ownKey(again));
      const entry: Entry = { isSame, result: pending, restored: ended, earlier: { owner: request.session.owner } };
      restored.set(callId, entry);
      void ended.then((result) => {
        entry.result = result;
        restored.delete(callId);
        calls.set(callId, entry, sessionOwner(request.session));
        calls.ended(callId, entry, sizeOf(result));
      });
    },
    addEnded({ result, owner, key }, isTool) {
      const { callId } = result;
      if (restored.has(callId) || calls.has(callId)) return;
      const isOwn = (call: AskedCall): boolean => call.session.owner === owner;
      const isSame: Entry["isSame"] =
        key === undefined ? (call) => isOwn(call) && isTool(call.tool) : async (call) => key === (await ownKey(call));
      const entry: Entry = { isSame, result, earlier: { owner } };
      calls.set(callId, entry, owner ?? callId);
      calls.ended(callId, entry, sizeOf(result));
    },
    earlierOwner: (callId) => (restored.get(callId) ?? calls.get(callId))?.earlier,
    pending(callId) {
      const result = (restored.get(callId) ?? calls.get(callId))?.result;
      return result?.status === "pending_approval" ? result : undefined;
    },
  };
}
