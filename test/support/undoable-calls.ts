/** Calls on a real workspace that record their changes for undo, without a host. */

import { answerOperation, createOpenFiles } from "../../host/capabilities/mod.ts";
import { fileError } from "../../host/platform/files/file-errors.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { lookTask } from "../../host/effects/undo/look-task.ts";
import { recordUndo } from "../../host/effects/undo/record-undo.ts";
import { createUndoStore, type UndoLog, type UndoStore } from "../../host/effects/undo/undo-store.ts";
import { type Undone, undoSteps } from "../../host/effects/undo/undo.ts";
import { testCall, type TestCall } from "./bridge-context.ts";

export interface UndoableCall {
  readonly answer: TestCall["answer"];
  /** Closes the call's files and ends its undo log. */
  end(): Promise<void>;
}

export interface UndoableCalls {
  readonly store: UndoStore;
  call(callId: string): UndoableCall;
  /** Undoes a call. The undo log is deleted if everything was restored. */
  undo(callId: string, options?: { readonly force?: boolean }): Promise<Undone>;
}

/** Faults to inject. */
export interface UndoableOptions {
  /** Default true. */
  readonly hasFurtherNames?: boolean;
  readonly beforeLook?: () => Promise<void>;
  /** Default: throws the error. */
  readonly onError?: (error: unknown) => void;
}

const platform = currentPlatform();
const BOUNDS = { maxBytes: 64 * 1024 * 1024, maxAgeMs: 1_000_000 };

/** @param workspace its real path */
export function undoableCalls(
  workspace: string,
  { hasFurtherNames = true, beforeLook, onError = thrown }: UndoableOptions = {},
): UndoableCalls {
  const store = createUndoStore(platform, `${workspace}/.bascule`, () => BOUNDS);
  const { context } = testCall({ platform, cwd: workspace, permissions: { read: ["$workspace"], write: ["$workspace"] } });
  let atMs = 0;
  return {
    store,
    call(callId) {
      const began = ++atMs;
      let log: Promise<UndoLog> | undefined;
      const guarded = recordUndo({
        below: hasFurtherNames ? platform.guarded : { ...platform.guarded, addName: () => Promise.reject(fileError("other")) },
        files: platform.files,
        look: async (wanted) => {
          await beforeLook?.();
          return await lookTask(wanted, platform);
        },
        open: () => (log = store.open({ callId, tool: "t", atMs: began })),
        onError,
      });
      const openFiles = createOpenFiles(callId);
      const call = { ...context, platform: { ...platform, guarded }, openFiles };
      return {
        answer: (name, args, bytes) => answerOperation({ name, args, ...(bytes && { bytes }) }, call),
        async end() {
          await openFiles.close(thrown);
          await (await log)?.end();
        },
      };
    },
    async undo(callId, options) {
      const kept = await store.read(callId);
      if (kept === undefined) return { restored: [], left: [] };
      const { guarded: files, random } = platform;
      const renewed = await store.renewed();
      const undone = await undoSteps(kept.steps, { files, random, hasher: platform, grant: context.grant, workspace, renewed, ...options });
      await store.keepRenewed(renewed);
      if (undone.left.length === 0) await store.forget(callId);
      return undone;
    },
  };
}

function thrown(error: unknown): never {
  throw error;
}
