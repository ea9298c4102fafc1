/** Effects of calls that the embedding program can commit or undo (SPEC E8). Types only. */

import type { Committed, CommitOptions } from "../effects/overlay/dry-runs.ts";
import type { UndoCall, UndoResult, UndoRequest } from "../effects/undo/undos.ts";

/** Commits dry runs, and undoes calls. */
export interface HostEffects {
  /**
   * Commits a dry run atomically. Refused if a file that it read or would write has changed (SPEC E8). For calls that need a confirmation
   * this counts as the user's approval: never expose it to the calling agent, except with `caller`, which identifies the agent; then the
   * user is asked. Each dry run can be committed once, within half an hour and while it is among the last 4. With `hash`, the report's hash
   * must match.
   */
  commit(callId: string, options?: CommitOptions): Promise<Committed>;
  /**
   * Restores the workspace files that a call changed, if they are still as the call left them; the others are listed and left (SPEC E8).
   * With `force` these are restored too, as far as they were kept. Requires that `undo` was on during the call.
   */
  undo(callId: string, options?: UndoRequest): Promise<UndoResult>;
  /** Lists the calls that can be undone, the newest first. */
  undoable(): Promise<readonly UndoCall[]>;
}
