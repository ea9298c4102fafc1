/**
 * Results that survive the end of the host: those of calls that waited, or were lost, and those of calls whose callers chose the id (SPEC
 * FR3). The last 4,000 of a day, fewer if they are large.
 */

import type { ToolResult } from "../../call/call.ts";
import { toolError } from "../../call/errors.ts";
import type { Clock, Slices } from "../../platform/platform.ts";
import { defined } from "../../primitives/defined.ts";
import { tryJson } from "../../primitives/json/json-text.ts";
import { objectOf } from "../../primitives/json/object-of.ts";
import type { SealedSpace } from "../../primitives/state/sealed-store.ts";
import { createRemembered } from "../remembered.ts";
import { sizeOf } from "../recent-results.ts";

/** An ended call, for the caller that comes back. */
export interface EndedCall {
  readonly result: ToolResult;
  readonly owner?: string;
  /** The call's `callKey`, if a repeat of the call gets the result instead of running. */
  readonly key?: string;
}

export interface LastingResults {
  /** Keeps a result from now on. */
  keep(call: EndedCall): void;
  /** Keeps a result within 100 ms, if no more than 500 end meanwhile. */
  keepSoon(call: EndedCall): void;
  /** Reads the results of earlier processes, beside other work. */
  open(): void;
  /** Returns the result of a call of an earlier process. */
  find(callId: string): EndedCall | undefined;
  /** Keeps what is due. */
  close(): void;
}

interface LastingResultsOptions {
  /** Rows of the kind `result`. */
  readonly store: SealedSpace;
  readonly clock: Pick<Clock, "after" | "now">;
  readonly slices: Slices;
  readonly onDefect: (message: string, error?: unknown) => void;
}

const MOST = 4_000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_RESULT_BYTES = 64 * 1024;
const MOST_AGE_MS = 24 * 60 * 60_000;
const SOON_MS = 100;
const MOST_SOON = 500;

interface Head {
  readonly endedMs: number;
  readonly owner?: string;
  readonly key?: string;
}

interface Kept extends Head {
  /** True for a call of this process, whose repeats are decided without this store. */
  readonly isOwn: boolean;
}

const encoder = new TextEncoder();

export function createLastingResults({ store, clock, slices, onDefect }: LastingResultsOptions): LastingResults {
  const known = createRemembered<Kept>(MOST, MOST_BYTES, remove);
  /** Results of earlier processes, with their sizes. */
  const unread = new Map<string, number>();
  /** The newest last. */
  const soon = new Map<string, EndedCall>();
  let stopTimer: (() => void) | undefined;
  let isBroken = false;

  function keep(call: EndedCall): void {
    const { result, owner, key } = call;
    const { callId } = result;
    const head: Head = { endedMs: clock.now(), ...defined({ owner, key }) };
    const body = bytesOf(result);
    unread.delete(callId);
    try {
      note(callId, { ...head, isOwn: true }, body.length);
      const refused = store.put(callId, { ...head }, body);
      if (refused === undefined) return;
    } catch (error) {
      complain(error);
    }
    known.delete(callId);
  }

  function remove(callId: string): void {
    try {
      store.delete(callId);
    } catch (error) {
      complain(error);
    }
  }

  function complain(error: unknown): void {
    if (!isBroken) onDefect("Results cannot be kept, and end with this host", error);
    isBroken = true;
  }

  function note(callId: string, head: Kept, bytes: number): void {
    known.set(callId, head, head.owner ?? "");
    known.ended(callId, head, bytes);
  }

  function flush(): void {
    stopTimer?.();
    stopTimer = undefined;
    for (const call of soon.values()) keep(call);
    soon.clear();
  }

  function read(callId: string): void {
    const bytes = unread.get(callId);
    if (bytes === undefined) return;
    unread.delete(callId);
    const { endedMs, owner, key } = objectOf(store.head(callId)?.value) ?? {};
    if (typeof endedMs !== "number" || endedMs + MOST_AGE_MS < clock.now()) return remove(callId);
    note(callId, { endedMs, isOwn: false, ...(typeof owner === "string" && { owner }), ...(typeof key === "string" && { key }) }, bytes);
  }

  function* readEach(): Generator<void, void> {
    for (const callId of unread.keys()) yield read(callId);
  }

  return {
    keep,
    keepSoon(call) {
      soon.set(call.result.callId, call);
      const [oldest] = soon.keys();
      if (soon.size > MOST_SOON && oldest !== undefined) soon.delete(oldest);
      stopTimer ??= clock.after(SOON_MS, flush);
    },
    open() {
      for (const { id, bytes } of store.list()) unread.set(id, bytes);
      if (unread.size > 0) slices.run(readEach()).catch((error: unknown) => onDefect("Results of an earlier host cannot be read", error));
    },
    find(callId) {
      read(callId);
      const head = known.get(callId);
      if (head === undefined || head.isOwn) return undefined;
      const opened = store.body(callId);
      const result = opened?.ok === true ? objectOf(tryJson(new TextDecoder().decode(opened.bytes))) : undefined;
      // The seal proves that a host wrote it.
      return result && { result: result as unknown as ToolResult, ...defined({ owner: head.owner, key: head.key }) };
    },
    close: flush,
  };
}

function bytesOf(result: ToolResult): Uint8Array {
  const bytes = sizeOf(result) > MOST_RESULT_BYTES ? undefined : encoder.encode(JSON.stringify(result));
  return bytes === undefined || bytes.length > MOST_RESULT_BYTES ? encoder.encode(JSON.stringify(withoutOutput(result))) : bytes;
}

/** The call has ended all the same, so that a repeat of it does not run. */
function withoutOutput({ callId, tool, plugin, digest, sideEffects, filesModified, durationMs, limitsUsed }: ToolResult): ToolResult {
  const message = `The call ${callId} of '${tool}' has ended, and its result was too large to be kept for a later host`;
  return {
    ...{ callId, tool, sideEffects, filesModified, durationMs, limitsUsed, ...defined({ plugin, digest }) },
    ...{ ok: false, status: "error", output: null, error: toolError("unavailable", message, { details: { ended: true } }) },
    ...{ arguments: null, requiresApproval: false, content: [], metadata: {} },
  };
}
