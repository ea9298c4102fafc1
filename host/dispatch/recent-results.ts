/** The results of ended calls, for callers that read them later (SPEC E6). */

import type { ToolResult } from "../call/call.ts";
import type { ToolErrorData } from "../call/errors.ts";
import { sizeIn } from "../primitives/json/heap-size.ts";
import { largeIn } from "../primitives/json/large.ts";

/** Holds the last `count` results, fewer if they are large, and at most twice as many. */
interface RecentResults {
  add(result: ToolResult): void;
  /** Returns the latest result with this id. */
  get(callId: string): ToolResult | undefined;
}

/** Approximate bytes of one generation: a thousand results of a megabyte each would exhaust the host's memory. */
export const MAX_RESULT_BYTES: number = 64 * 1024 * 1024;

/**
 * Keeps two generations: when the younger is full, the older is dropped as a whole. Every call ends here, and this costs a tenth of
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

/** Returns the approximate heap bytes of a result. It counts what tools and callers fill; the rest is small or shared. */
export function sizeOf(result: ToolResult): number {
  const said = result.ok ? sizeAt(result, "output") : sizeOfError(result.error) + sizeIn(result.partialOutput);
  const content = result.content.reduce((size, block) => size + sizeAt(block, "data") + sizeAt(block, "text") + SMALL_BLOCK, 0);
  return sizeAt(result, "arguments") + said + content + sizeAt(result, "metadata") + sizeIn(result.dryRun);
}

/** Bytes of a block beside its data or text. */
const SMALL_BLOCK = 256;

/** Large values are measured by their bytes and are not parsed. */
function sizeAt(holder: object, key: string): number {
  return largeIn(holder, key)?.bytes.length ?? sizeIn(Reflect.get(holder, key));
}

function sizeOfError(error: ToolErrorData): number {
  const large = error.details && largeIn(error.details, "output");
  return large === undefined ? sizeIn(error) : large.bytes.length + 2 * error.message.length;
}
