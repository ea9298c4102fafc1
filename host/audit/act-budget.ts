/**
 * Limits the rows of capability events that a call, a plugin and a caller may have in the journal (SPEC AU3, LV3), so that no guest can
 * fill it. Events above the limits are counted, and one summary row at the end of their call lists them.
 */

import type { DraftOf, HostEvent } from "./events.ts";

/**
 * Limits of rows: of one call, and within a window of one plugin, of one caller across all plugins, and of one caller within one plugin.
 */
export interface ActBounds {
  readonly rowsOfCall: number;
  readonly rowsOfPlugin: number;
  readonly rowsOfCaller: number;
  readonly rowsOfCallerOfPlugin: number;
  readonly windowMs: number;
}

interface ActBudget {
  /** Returns false if the event is only counted. @param caller owner of the call's session; undefined if there is none */
  take(event: ActEvent, caller: string | undefined): boolean;
  /** Returns the text of the call's summary row; undefined if nothing was counted. Forgets the call. */
  end(event: HostEvent): string | undefined;
}

type ActEvent = Extract<HostEvent, { readonly type: "capability.used" | "capability.denied" }>;
type Act = DraftOf<"capability.used">["payload"];

const ACT_BOUNDS: ActBounds = {
  rowsOfCall: 100,
  rowsOfPlugin: 1_000,
  rowsOfCaller: 2_000,
  rowsOfCallerOfPlugin: 750,
  windowMs: 10_000,
};
/** Maximum number of tracked calls, including those that never ended. The oldest are dropped with their counts. */
const MAX_CALLS = 10_000;
/** Maximum number of tracked windows of plugins and callers. The oldest are dropped. */
const MAX_WINDOWS = 10_000;
const SHOWN = 5;
const SHOWN_LENGTH = 200;

interface CallActs {
  rows: number;
  more: number;
  readonly counts: Map<string, number>;
  readonly first: Pick<Act, "permission" | "value" | "decision">[];
}

interface Window {
  readonly sinceMs: number;
  rows: number;
}

export function createActBudget(bounds: ActBounds = ACT_BOUNDS): ActBudget {
  const { rowsOfCall, rowsOfPlugin, rowsOfCaller, rowsOfCallerOfPlugin, windowMs } = bounds;
  const calls = new Map<string, CallActs>();
  /** Windows by holder, in the order in which they began. */
  const windows = new Map<string, Window>();

  function callOf(callId: string): CallActs {
    const known = calls.get(callId);
    if (known !== undefined) return known;
    const [oldest] = calls.keys();
    if (calls.size >= MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    const made: CallActs = { rows: 0, more: 0, counts: new Map(), first: [] };
    calls.set(callId, made);
    return made;
  }

  function isOver({ sinceMs }: Window, time: number): boolean {
    return time - sinceMs >= windowMs || time < sinceMs;
  }

  function windowOf(holder: string, time: number): Window {
    const known = windows.get(holder);
    if (known !== undefined && !isOver(known, time)) return known;
    windows.delete(holder);
    for (const [other, window] of windows) {
      if (windows.size < MAX_WINDOWS && !isOver(window, time)) break;
      windows.delete(other);
    }
    const made: Window = { sinceMs: time, rows: 0 };
    windows.set(holder, made);
    return made;
  }

  /** A row counts for all of its holders or for none. */
  function hasRoom(plugin: string, caller: string | undefined, time: number): boolean {
    const holders: [window: Window, rows: number][] = [[windowOf(`plugin ${plugin}`, time), rowsOfPlugin]];
    if (caller !== undefined) {
      holders.push([windowOf(`caller ${caller}`, time), rowsOfCaller]);
      holders.push([windowOf(`plugin ${plugin} caller ${caller}`, time), rowsOfCallerOfPlugin]);
    }
    if (holders.some(([{ rows }, most]) => rows >= most)) return false;
    for (const [window] of holders) window.rows++;
    return true;
  }

  return {
    take({ callId = "", plugin = "", time, payload }, caller) {
      const call = callOf(callId);
      if (call.rows < rowsOfCall && hasRoom(plugin, caller, time)) {
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
