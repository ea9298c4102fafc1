/**
 * The waiting calls that survive the end of the host's process: those whose caller was released until a user confirms them, and those
 * whose guest waits for a user or a timer (SPEC FR1-FR4).
 *
 * A row holds everything that the call needs to continue. It is removed before the call acts, so that no call acts twice.
 */

import { callKey } from "../../call/call-key.ts";
import type { ToolCall, ToolResult } from "../../call/call.ts";
import { type KeptSession, toKeptSession } from "../../call/kept-session.ts";
import type { PendingConfirmation, PendingConfirmations } from "../../confirmations/pending.ts";
import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Unsealed } from "../../platform/files/state-types.ts";
import { defined } from "../../primitives/defined.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { hashOf } from "../../primitives/json/json-hash.ts";
import type { SealedSpace } from "../../primitives/state/sealed-store.ts";
import type { Freezing } from "../../../sandbox/mod.ts";
import type { Execution } from "../../tools/execution.ts";
import type { RegisteredTool } from "../../tools/tool.ts";

/** Everything that is kept of a call besides its guest. JSON. */
export interface KeptCall {
  readonly v: 1;
  /** Start of the wait, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Identifies the call for its caller. */
  readonly key: string;
  readonly call: Pick<ToolCall, "callId" | "turnId" | "timeoutMs" | "callGrant" | "traceparent" | "dryRun">;
  readonly session: KeptSession;
  /** Validated. */
  readonly args: JsonValue;
  /** `definition` is the hash of the tool's definition. */
  readonly tool: Pick<RegisteredTool, "id" | "qualifiedName"> & {
    readonly plugin?: string;
    readonly digest?: string;
    readonly definition: string;
  };
  /** True if the tool had begun: then the row has its guest. */
  readonly hasBegun: boolean;
  readonly filesModified: readonly string[];
  /** The confirmation that it waits for. */
  readonly pending?: PendingConfirmation;
  /** The end of its sleep, in milliseconds since the epoch. */
  readonly dueMs?: number;
  /** The result that its released caller received. */
  readonly result?: ToolResult;
}

/** A call that waits, for doors. */
export interface WaitingCall {
  readonly callId: string;
  readonly tool: string;
  readonly plugin?: string;
  readonly digest?: string;
  readonly sessionId: string;
  readonly owner?: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `confirmation`: for a user's answer. `sleep`: for a time. */
  readonly waitsFor: "confirmation" | "sleep";
  readonly requestId?: string;
  /** End of the sleep, in milliseconds since the epoch. */
  readonly until?: number;
  /** Whether the tool had begun. */
  readonly hasBegun: boolean;
  /** Size of its guest, as kept. */
  readonly bytes: number;
}

/** A call that an ended host left. */
interface LeftCall {
  /** Undefined if the row cannot be read; `problem` says why. */
  readonly kept?: KeptCall;
  readonly problem?: string;
}

/** The facts that a route knows of a call that is about to be frozen. */
interface RunFacts {
  /** True if the call holds something in the host that ends with the process. */
  holdsMore(): boolean;
  /** Resolves to the confirmation that the call waits for, if it waits for one. */
  pending(): Promise<PendingConfirmation | undefined>;
  filesModified(): readonly string[];
}

export interface FrozenCalls {
  /** Freezes a run while it waits. Undefined if the call ends with the process in any case. */
  freezing(execution: Execution, facts: RunFacts): Freezing | undefined;
  /** Keeps a call that waits for its confirmation, and whose caller gets `result` now. */
  keepPending(call: ToolCall, tool: RegisteredTool, result: ToolResult): Promise<void>;
  isWaiting(callId: string): boolean;
  /** Removes a call that is about to begin, or has ended. */
  forget(callId: string): void;
  /** Lists the waiting calls but those that `left` returned and `read` has not read yet. */
  list(): readonly WaitingCall[];
  /** Returns the ids of the calls that ended hosts left. They count as waiting. */
  left(): readonly string[];
  /** Reads such a call: 10,000 of them take half a second. */
  read(callId: string): LeftCall;
  guestOf(callId: string): Unsealed | undefined;
}

interface FrozenCallsOptions {
  readonly platform: Pick<Platform, "clock" | "slices" | "sha256">;
  /** Rows of the kind `call`. */
  readonly store: SealedSpace;
  readonly pending: Pick<PendingConfirmations, "list">;
  readonly onDefect: (message: string, error?: unknown) => void;
}

interface Row {
  readonly kept: KeptCall;
  readonly bytes: number;
}

/** Half of what a host keeps: the calls of one plugin leave room for those of others. */
const MOST_OF_PLUGIN = { rows: 5_000, bytes: 256 * 1024 * 1024 };

export function createFrozenCalls({ platform, store, pending, onDefect }: FrozenCallsOptions): FrozenCalls {
  const { clock } = platform;
  const rows = new Map<string, Row>();
  /** Calls of ended hosts that are not read yet, with their sizes. */
  const unread = new Map<string, number>();
  const ofPlugins = new Map<string, { rows: number; bytes: number }>();
  let isBroken = false;

  function note(kept: KeptCall, bytes: number): void {
    drop(kept.call.callId);
    rows.set(kept.call.callId, { kept, bytes });
    const own = ofPlugins.get(pluginOf(kept)) ?? { rows: 0, bytes: 0 };
    ofPlugins.set(pluginOf(kept), { rows: own.rows + 1, bytes: own.bytes + bytes });
  }

  function drop(callId: string): void {
    const row = rows.get(callId);
    const own = row && ofPlugins.get(pluginOf(row.kept));
    if (row === undefined || own === undefined) return;
    rows.delete(callId);
    if (own.rows === 1) ofPlugins.delete(pluginOf(row.kept));
    else ofPlugins.set(pluginOf(row.kept), { rows: own.rows - 1, bytes: own.bytes - row.bytes });
  }

  /** Returns why a plugin may keep no more calls. */
  function excess(kept: KeptCall, bytes: number): string | undefined {
    const before = rows.get(kept.call.callId);
    const own = ofPlugins.get(pluginOf(kept)) ?? { rows: 0, bytes: 0 };
    const isTooMuch = own.bytes - (before?.bytes ?? 0) + bytes > MOST_OF_PLUGIN.bytes;
    if (!isTooMuch && (before !== undefined || own.rows < MOST_OF_PLUGIN.rows)) return undefined;
    return `${own.rows} calls of "${pluginOf(kept)}" with ${own.bytes} bytes are kept already`;
  }

  function put(kept: KeptCall, guest?: Uint8Array): void {
    const { callId } = kept.call;
    try {
      const bytes = guest?.length ?? 0;
      const refused = excess(kept, bytes) ?? store.put(callId, kept as unknown as JsonValue, guest);
      if (refused === undefined) return note(kept, bytes);
      onDefect(`A waiting call is not kept, and ends with this host: ${refused} (bascule waiting lists them)`);
    } catch (error) {
      if (!isBroken) onDefect("Waiting calls cannot be kept, and end with this host", error);
      isBroken = true;
    }
    forget(callId);
  }

  function forget(callId: string): void {
    if (rows.size === 0 || !rows.has(callId)) return;
    store.delete(callId);
    drop(callId);
  }

  async function identify(
    call: ToolCall,
    tool: RegisteredTool,
    args: JsonValue,
  ): Promise<Pick<KeptCall, "v" | "key" | "call" | "session" | "args" | "tool">> {
    const { callId, turnId, timeoutMs, callGrant, traceparent, dryRun, session } = call;
    return {
      v: 1,
      key: await callKey(session.owner ?? "", call, platform),
      call: { callId, ...defined({ turnId, timeoutMs, callGrant, traceparent, dryRun }) },
      session: toKeptSession(session),
      args,
      tool: {
        ...{ id: tool.id, qualifiedName: tool.qualifiedName, definition: await definitionHash(tool) },
        ...defined({ plugin: tool.plugin, digest: digestOf(tool) }),
      },
    };
  }

  return {
    freezing(execution, facts) {
      const { call, tool, args } = execution;
      if (!isKeepable(call, args) || execution.dryRun !== undefined || execution.overlay !== undefined) return undefined;
      let known: Awaited<ReturnType<typeof identify>> | undefined;
      let waitsFor: PendingConfirmation | undefined;
      return {
        async isReady() {
          waitsFor = await facts.pending();
          known ??= await identify(call, tool, args);
          return !facts.holdsMore();
        },
        freeze(frozen, timerAt) {
          if (known === undefined) return;
          const dueMs = timerAt === undefined ? undefined : Math.ceil(clock.now() + timerAt - clock.monotonic());
          const facets = { filesModified: facts.filesModified(), ...defined({ pending: waitsFor, dueMs }) };
          put({ ...known, sinceMs: clock.now(), hasBegun: true, ...facets }, frozen);
        },
        thaw: () => forget(call.callId),
      };
    },
    async keepPending(call, tool, result) {
      const { callId } = call;
      const waitsFor = pending.list().find(({ request }) => request.callId === callId && request.permission === undefined);
      if (waitsFor === undefined || !isKeepable(call, waitsFor.request.args)) return;
      const known = await identify(call, tool, waitsFor.request.args);
      // The user may have answered meanwhile.
      if (!pending.list().includes(waitsFor)) return;
      put({ ...known, sinceMs: clock.now(), hasBegun: false, filesModified: [], pending: waitsFor, result });
    },
    isWaiting: (callId) => rows.has(callId) || unread.has(callId),
    forget,
    list: () => Array.from(rows.values(), toWaiting),
    left() {
      for (const { id, bytes } of store.list()) unread.set(id, bytes);
      return [...unread.keys()];
    },
    read(callId) {
      const { value, differs } = store.head(callId) ?? {};
      const kept = readKept(value);
      const bytes = unread.get(callId) ?? 0;
      unread.delete(callId);
      if (kept !== undefined) {
        note(kept, bytes);
        return { kept };
      }
      if (differs !== "project") store.delete(callId);
      return { problem: differs === "project" ? "it belongs to another project" : "what was kept of it was altered" };
    },
    guestOf: store.body,
  };
}

/** A step's call belongs to its caller, a stateful plugin's to its session, and the rest to what the caller gave this process. */
function isKeepable({ chain, answer, seed, timeMs }: ToolCall, args: JsonValue): boolean {
  return chain === undefined && answer === undefined && seed === undefined && timeMs === undefined && sizeOf(args) === undefined;
}

/** Tools of the program count together. */
function pluginOf({ tool }: KeptCall): string {
  return tool.plugin ?? "";
}

function digestOf({ binding }: RegisteredTool): string | undefined {
  return binding.kind === "plugin" ? binding.version.digest : undefined;
}

/** Returns the hash of a tool's definition, which is JSON. */
export async function definitionHash({ definition }: RegisteredTool): Promise<string> {
  return await hashOf(JSON.parse(JSON.stringify(definition)) as JsonValue);
}

/** The seal proves that a host wrote the row; an older one may have written another form. */
function readKept(head: JsonValue | undefined): KeptCall | undefined {
  return isJsonObject(head ?? null) && Reflect.get(Object(head), "v") === 1 ? (head as unknown as KeptCall) : undefined;
}

function toWaiting({ kept, bytes }: Row): WaitingCall {
  const { call, tool, session, sinceMs, pending, dueMs, hasBegun } = kept;
  const { owner } = session;
  return {
    ...{ callId: call.callId, tool: tool.qualifiedName, sessionId: session.id, since: sinceMs, hasBegun, bytes },
    waitsFor: pending === undefined ? "sleep" : "confirmation",
    ...defined({ plugin: tool.plugin, digest: tool.digest, owner, requestId: pending?.request.requestId, until: dueMs }),
  };
}
