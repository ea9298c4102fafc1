/** Undoes a call after showing the user the changes (SPEC E8). Renders nothing if the call cannot be undone. */

import { useState } from "preact/hooks";
import type { VNode } from "preact";
import { ask } from "./api.ts";
import { Changes } from "./changes.tsx";
import { attempt, loadUndoable, undoable } from "./state.ts";
import type { Undone } from "./types.ts";

export function Undo({ callId, tool }: { readonly callId: string; readonly tool: string }): VNode | null {
  const [shown, show] = useState<Undone | undefined>(undefined);
  const undo = (dryRun: boolean): Promise<void> =>
    attempt(async () => {
      show(await ask<Undone>(`/v1/undo/${encodeURIComponent(callId)}`, { dryRun }));
      if (!dryRun) await loadUndoable();
    });
  if (shown === undefined) {
    if (!undoable.value.has(callId)) return null;
    return (
      <button aria-label={`Undo ${tool}`} onClick={() => void undo(true)}>
        Undo
      </button>
    );
  }
  const { dryRun, left, restored } = shown;
  return (
    <div class="held">
      {dryRun === undefined ? <p role="status">Files restored: {restored.length}</p> : <Changes report={dryRun} />}
      {left.map(({ path, reason }) => (
        <p key={path} class="trouble">
          not undone: <code>{path}</code> ({reason})
        </p>
      ))}
      {dryRun !== undefined && (
        <div class="line">
          <button class="primary" disabled={restored.length === 0} onClick={() => void undo(false)}>
            Restore
          </button>
          <button onClick={() => show(undefined)}>Cancel</button>
        </div>
      )}
    </div>
  );
}
