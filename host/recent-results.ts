/** The results of ended calls, for those who ask later (SPEC E6). */

import type { ToolResult } from "./call.ts";

/** Holds at least the last `count` results and at most twice as many. */
export interface RecentResults {
  add(result: ToolResult): void;
  /** The latest with this id. */
  get(callId: string): ToolResult | undefined;
}

/**
 * Two generations: when the younger is full, the older goes as a whole. Every call ends here, and this costs a tenth of
 * deleting the oldest entry of one map each time.
 */
export function createRecentResults(count: number): RecentResults {
  let younger = new Map<string, ToolResult>();
  let older = new Map<string, ToolResult>();
  return {
    add(result) {
      if (younger.size >= count) {
        older = younger;
        younger = new Map();
      }
      younger.set(result.callId, result);
    },
    get: (callId) => younger.get(callId) ?? older.get(callId),
  };
}
