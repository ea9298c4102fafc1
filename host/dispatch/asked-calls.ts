/**
 * Calls that wait for a confirmation after their callers were released: a repeat of the call returns its result and runs nothing (SPEC E6).
 */

import { JsonArgumentText, type RawArguments } from "../call/argument-text.ts";
import type { ToolResult } from "../call/call.ts";
import { type HashPlatform, hashOf } from "../primitives/json/json-hash.ts";
import { copyJson } from "../primitives/json/json.ts";
import { LIMIT_CEILINGS } from "../../manifests/mod.ts";
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
  /** Returns the pending result of a call that still waits. */
  pending(callId: string): ToolResult | undefined;
}

interface AskedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: RawArguments;
  readonly session: Pick<Session, "id" | "owner">;
}

const REMEMBERED = 1_000;

export function createAskedCalls(platform?: HashPlatform): AskedCalls {
  const calls = createRemembered<{ readonly key: Promise<string>; result: ToolResult }>(REMEMBERED, MAX_RESULT_BYTES);
  return {
    async add(call, pending, ended) {
      const entry = { key: keyOf(call, platform), result: pending };
      calls.set(call.callId, entry, sessionOwner(call.session));
      entry.result = await ended;
      calls.ended(call.callId, entry, sizeOf(entry.result));
    },
    async find(call) {
      const entry = calls.get(call.callId);
      return entry !== undefined && (await entry.key) === (await keyOf(call, platform)) ? entry.result : undefined;
    },
    pending(callId) {
      const result = calls.get(callId)?.result;
      return result?.status === "pending_approval" ? result : undefined;
    },
  };
}

/**
 * Returns a hash that depends on the argument values, not on their spelling. It includes the session, so that another session cannot read
 * the result by its id.
 */
async function keyOf({ tool, args, session }: AskedCall, platform: HashPlatform | undefined): Promise<string> {
  if (args instanceof JsonArgumentText) return await hashOf([session.id, tool, "text", args.text]);
  const copy = copyJson(args, { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth });
  return await hashOf([session.id, tool, "json", copy.ok ? copy.value : null], platform);
}
