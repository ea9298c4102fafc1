/** Undoes a call after showing the user the changes (SPEC E8). Renders nothing if the call cannot be undone. */

import { Undo2 } from "lucide";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../data/api.ts";
import { attempt, loadUndoable, undoable } from "../data/state.ts";
import type { Undone } from "../data/types.ts";
import { Button } from "./button.tsx";
import { Changes } from "./changes.tsx";
import { Dialog } from "./overlays.tsx";
import { toast } from "./toast.tsx";

export function Undo({ callId, tool }: { readonly callId: string; readonly tool: string }): VNode | null {
  const [shown, show] = useState<Undone | undefined>(undefined);
  const undo = (dryRun: boolean): Promise<void> =>
    attempt(async () => {
      const undone = await ask<Undone>(`/v1/undo/${encodeURIComponent(callId)}`, { dryRun });
      show(dryRun ? undone : undefined);
      if (dryRun) return;
      toast(`Files restored: ${undone.restored.length}`);
      await loadUndoable();
    });
  if (!undoable.value.has(callId) && shown === undefined) return null;
  return (
    <>
      <Button icon={Undo2} label={`Undo ${tool}`} onClick={() => void undo(true)}>
        Undo
      </Button>
      <Dialog
        title={`Undo ${tool}`}
        isOpen={shown !== undefined}
        onClose={() => show(undefined)}
        isWide
        actions={
          <>
            <Button onClick={() => show(undefined)}>Cancel</Button>
            <Button variant="primary" disabled={shown?.restored.length === 0} onClick={() => void undo(false)}>
              Restore
            </Button>
          </>
        }
      >
        {shown?.dryRun !== undefined && <Changes report={shown.dryRun} />}
        {shown?.left.map(({ path, reason }) => (
          <p key={path} class="trouble">
            not undone: <code>{path}</code> ({reason})
          </p>
        ))}
      </Dialog>
    </>
  );
}
