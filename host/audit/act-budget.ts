/**
 * How many rows of acts a call and a plugin may have in the journal (SPEC AU3, LV3). The others are counted, and said in one row at
 * the end of their call: no guest can fill the record with what it tries.
 */

import type { DraftOf, HostEvent } from "./events.ts";

/** Rows of one call, and of one plugin within a window. */
export interface ActBounds {
  readonly rowsOfCall: number;
  readonly rowsOfPlugin: number;
  readonly windowMs: number;
}

export interface ActBudget {
  /** False for one that is counted instead. */
  take(event: ActEvent): boolean;
  /** What was counted of a call, as the text of a row; undefined if nothing was. The call is forgotten. */
  end(event: HostEvent): string | undefined;
}

export type ActEvent = Extract<HostEvent, { readonly type: "capability.used" | "capability.denied" }>;
type Act = DraftOf<"capability.used">["payload"];

export const ACT_BOUNDS: ActBounds = { rowsOfCall: 100, rowsOfPlugin: 1_000, windowMs: 10_000 };
/** Calls under way, and those that never ended; the oldest are forgotten, with what was counted of them. */
const MAX_CALLS = 10_000;
const SHOWN = 5;
const SHOWN_LENGTH = 200;

interface CallActs {
  rows: number;
  more: number;
  readonly counts: Map<string, number>;
  readonly first: Pick<Act, "permission" | "value" | "decision">[];
}

export function createActBudget({ rowsOfCall, rowsOfPlugin, windowMs }: ActBounds = ACT_BOUNDS): ActBudget {
  const calls = new Map<string, CallActs>();
  const plugins = new Map<string, { readonly sinceMs: number; rows: number }>();

  function callOf(callId: string): CallActs {
    const known = calls.get(callId);
    if (known !== undefined) return known;
    const [oldest] = calls.keys();
    if (calls.size >= MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    const made: CallActs = { rows: 0, more: 0, counts: new Map(), first: [] };
    calls.set(callId, made);
    return made;
  }

  function hasRoom(plugin: string, time: number): boolean {
    const window = plugins.get(plugin);
    if (window === undefined || time - window.sinceMs >= windowMs || time < window.sinceMs) {
      plugins.set(plugin, { sinceMs: time, rows: 1 });
      return true;
    }
    return window.rows++ < rowsOfPlugin;
  }

  return {
    take({ callId = "", plugin = "", time, payload }) {
      const call = callOf(callId);
      if (call.rows < rowsOfCall && hasRoom(plugin, time)) {
        call.rows++;
        return true;
      }
      const { permission, value, decision } = payload;
      const kind = `${permission} ${decision}`;
      call.more++;
      call.counts.set(kind, (call.counts.get(kind) ?? 0) + 1);
      if (call.first.length < SHOWN) call.first.push({ permission, value: value.slice(0, SHOWN_LENGTH), decision });
      return false;
    },
    end({ id, time, sessionId, callId, plugin, digest }) {
      const call = callId === undefined ? undefined : calls.get(callId);
      if (callId === undefined || call === undefined) return undefined;
      calls.delete(callId);
      if (call.more === 0) return undefined;
      const payload = { rows: call.more, counts: Object.fromEntries(call.counts), first: call.first };
      return JSON.stringify({ id, time, type: "capability.summed", sessionId, callId, plugin, digest, payload });
    },
  };
}
