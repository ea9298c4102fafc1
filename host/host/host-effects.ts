/** What an embedding program can do about what calls change: before they do, and after (SPEC E8). Types only. */

import type { Committed, CommitWish } from "../effects/overlay/dry-runs.ts";
import type { UndoCall, UndoResult, UndoWish } from "../effects/undo/undos.ts";

/** Committing dry runs, and undoing calls. */
export interface HostEffects {
  /**
   * Does what a dry run said, all of it or nothing, if nothing that it read or would write is another now (SPEC E8). For calls that
   * a person is asked about this is the person's yes: never hand it to the agent that called, unless with `caller`, which says who it
   * is; a person is asked then. Once for each dry run, for half an hour and for the last 4 of them. With `hash`, that of its
   * report, it is about what was shown and nothing else.
   */
  commit(callId: string, wish?: CommitWish): Promise<Committed>;
  /**
   * Puts back what a call changed in the workspace, where it still is as the call left it; the rest is listed and left (SPEC E8).
   * With `force` also the rest, as far as it was kept. For calls that were made while `undo` was on.
   */
  undo(callId: string, wish?: UndoWish): Promise<UndoResult>;
  /** Calls that can be undone, the newest first. */
  undoable(): Promise<readonly UndoCall[]>;
}
