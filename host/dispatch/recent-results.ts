/** The results of ended calls, for those who ask later (SPEC E6). */

import type { ToolResult } from "../call/call.ts";
import type { ToolErrorData } from "../call/errors.ts";
import { sizeIn } from "../primitives/json/heap-size.ts";
import { largeIn } from "../primitives/json/large.ts";

/** Holds the last `count` results, fewer where they are large, and at most twice as many. */
export interface RecentResults {
  add(result: ToolResult): void;
  /** The latest with this id. */
  get(callId: string): ToolResult | undefined;
}

/** About what one generation takes: a thousand results of a megabyte would end the host. */
export const MAX_RESULT_BYTES: number = 64 * 1024 * 1024;

/**
 * Two generations: when the younger is full, the older goes as a whole. Every call ends here, and this costs a tenth of
 * deleting the oldest entry of one map each time.
 */
export function createRecentResults(count: number): RecentResults {
  let younger = new Map<string, ToolResult>();
  let older = new Map<string, ToolResult>();
  let bytes = 0;
  return {
    add(result) {
      const size = sizeOf(result);
      if (younger.size >= count || bytes + size > MAX_RESULT_BYTES) {
        older = younger;
        younger = new Map();
        bytes = 0;
      }
      younger.set(result.callId, result);
      bytes += size;
    },
    get: (callId) => younger.get(callId) ?? older.get(callId),
  };
}

/** Bytes that a result takes on the heap, about. Of what tools and callers fill; the rest is small, or shared with others. */
export function sizeOf(result: ToolResult): number {
  const said = result.ok ? sizeAt(result, "output") : sizeOfError(result.error) + sizeIn(result.partialOutput);
  const content = result.content.reduce((size, block) => size + sizeAt(block, "data") + sizeAt(block, "text") + SMALL_BLOCK, 0);
  return sizeAt(result, "arguments") + said + content + sizeAt(result, "metadata") + sizeIn(result.dryRun);
}

/** What a block has beside its data or text. */
const SMALL_BLOCK = 256;

/** What stays bytes is not parsed for it. */
function sizeAt(holder: object, key: string): number {
  return largeIn(holder, key)?.bytes.length ?? sizeIn(Reflect.get(holder, key));
}

function sizeOfError(error: ToolErrorData): number {
  const large = error.details && largeIn(error.details, "output");
  return large === undefined ? sizeIn(error) : large.bytes.length + 2 * error.message.length;
}
