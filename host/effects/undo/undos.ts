/** Undo for a host: which calls keep before-images, which can be undone, and the undo itself (SPEC E8). */

import { relativeBelow } from "../../../manifests/mod.ts";
import type { EmitEvent } from "../../audit/events.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Grant } from "../../call/grant.ts";
import { classOf } from "../../policy/side-effects.ts";
import { diffBy } from "../overlay/diff-by.ts";
import type { Service } from "../../primitives/service/service.ts";
import type { Execution } from "../../tools/execution.ts";
import { recordUndo } from "./record-undo.ts";
import { LOOK, type Look } from "./look-task.ts";
import type { UndoCall, UndoState } from "./undo-step.ts";
import type { UndoLog, UndoStore } from "./undo-store.ts";

/** A call that can be undone. */
export type { UndoCall } from "./undo-step.ts";

/** The result of undoing a call. Paths inside the workspace are relative to it. */
export type UndoResult =
  | { readonly ok: false; readonly callId: string; readonly message: string }
  | {
      readonly ok: true;
      readonly callId: string;
      readonly tool: string;
      /** Paths that were put back, or would be in a dry run. */
      readonly restored: readonly string[];
      /** Paths that were left as they are, and why. */
      readonly left: readonly { readonly path: string; readonly reason: string }[];
      /** Set for a dry run. */
      readonly dryRun?: DryRunReport;
    };

export interface Undos {
  /** Returns the platform for a call: its files keep what they change. Returns `platform` itself for a call that changes nothing. */
  keep(execution: Execution, platform: Platform): Platform;
  /** Newest first. */
  list(): Promise<readonly UndoCall[]>;
  /** Undoes a call. A call that was undone completely is forgotten. */
  undo(callId: string, request?: UndoRequest): Promise<UndoResult>;
  /** Marks the call as ended when `closing` settles: from then on it can be undone. */
  ended(call: Execution["call"], closing: Promise<void> | undefined): Promise<void>;
}

/** Options of an undo. */
export interface UndoRequest {
  /** Only reports what an undo would do. */
  readonly dryRun?: boolean;
  /** Puts back the state before the call, even if it is not as the call left it. */
  readonly force?: boolean;
}

export interface UndosOptions {
  readonly platform: Platform;
  /** Computes the diff of a dry run. */
  readonly service: Service;
  readonly store: UndoStore;
  /** Read for each call. */
  readonly isKept: () => boolean;
  /** The most that an undo may write. */
  readonly grant: Grant;
  readonly workspace: string;
  readonly emit: EmitEvent;
  readonly onDefect: (message: string, error: unknown) => void;
}

export function createUndos(options: UndosOptions): Undos {
  const { platform, service, store, grant, workspace, emit, onDefect } = options;
  /** A call that is committed after a dry run, or runs twice under one id, has one folder. */
  const logs = new WeakMap<Execution["call"], Promise<UndoLog>>();
  /** Calls that are ending. */
  const ending = new Map<string, Promise<void>>();

  async function open({ call, tool }: Execution): Promise<UndoLog> {
    const known = logs.get(call);
    if (known !== undefined) {
      await (await known).begin();
      return await known;
    }
    const log = store.open({ callId: call.callId, tool: tool.qualifiedName, atMs: platform.clock.now() }, tool.plugin);
    logs.set(call, log);
    return await log;
  }

  async function endLog(log: Promise<UndoLog>, closing: Promise<void> | undefined): Promise<void> {
    await closing;
    try {
      await (await log).end();
    } catch (error) {
      onDefect("Cannot record the end of a call; it cannot be undone while this host runs", error);
    }
  }

  return {
    keep(execution, given) {
      const sideEffects = classOf(execution.tool);
      if (sideEffects === "none" || sideEffects === "read" || execution.overlay !== undefined || !options.isKept()) return given;
      const onError = (error: unknown): void => onDefect("Cannot keep what a call changes; it cannot be undone", error);
      const owner = execution.tool.plugin ?? execution.tool.qualifiedName;
      const look = (wanted: Look): Promise<UndoState> => service.run(LOOK, wanted, { owner });
      const guarded = recordUndo({ below: given.guarded, files: given.files, look, open: () => open(execution), onError });
      return { ...given, guarded };
    },

    list: () => store.list(),

    async undo(callId, request = {}) {
      await ending.get(callId);
      const { force = false, dryRun = false } = request;
      const undone = await store.alone(callId, force, (fate) => undo(callId, { force, dryRun, wasKilled: fate !== "ended" }));
      if (undone === "none") return notKept(callId);
      if (undone === "running") return refuseToUndo(callId);
      return undone === "unknown" ? refuseToGuess(callId) : undone.done;
    },

    async ended(call, closing) {
      const log = logs.get(call);
      if (log === undefined) return;
      const end = endLog(log, closing).finally(() => ending.delete(call.callId));
      ending.set(call.callId, end);
      await end;
    },
  };

  async function undo(callId: string, { dryRun, ...how }: Required<UndoRequest> & { readonly wasKilled: boolean }): Promise<UndoResult> {
    const kept = await store.read(callId);
    if (kept === undefined) return notKept(callId);
    const { undoSteps } = await import("./undo.ts");
    const diff = diffBy(service, "undo");
    const overlay = dryRun ? (await import("../overlay/overlay.ts")).createOverlay({ platform, sends: "nothing", diff }) : undefined;
    const { guarded: files, random } = (overlay ?? { platform }).platform;
    const renewed = await store.renewed();
    const known = renewed.size;
    const undone = await undoSteps(kept.steps, { files, random, hasher: platform, grant, workspace, renewed, ...how });
    const restored = undone.restored.map((path) => relativeBelow(path, workspace) ?? path);
    const left = undone.left.map(({ path, reason }) => ({ path: relativeBelow(path, workspace) ?? path, reason }));
    const { tool } = kept.call;
    if (overlay !== undefined) return { ok: true, callId, tool, restored, left, dryRun: await overlay.report(workspace, true) };
    if (renewed.size > known) await store.keepRenewed(renewed);
    if (left.length === 0) await store.forget(callId);
    const said = [...(how.force ? ["by force"] : []), ...(left.length === 0 ? [] : [`left: ${left.map(({ path }) => path).join(", ")}`])];
    const reason = said.length > 0 && { reason: said.join("; ") };
    emit({ type: "tool.undone", callId, payload: { tool, ok: left.length === 0, filesModified: restored, ...reason } });
    return { ok: true, callId, tool, restored, left };
  }
}

function notKept(callId: string): UndoResult {
  const message = `Cannot undo call "${callId}": it changed no files, was undone already, or is too old`;
  return { ok: false, callId, message };
}

/** Refuses while a call or the commit of a dry run is running: its next change would be kept in a folder that the undo just removed. */
export function refuseToUndo(callId: string): UndoResult {
  return { ok: false, callId, message: `Call "${callId}" has not ended: wait for its end or cancel it, then undo it` };
}

function refuseToGuess(callId: string): UndoResult {
  const message = `Call "${callId}" may still run in a process of another machine or container: check that it has ended, then undo it by force`;
  return { ok: false, callId, message };
}
