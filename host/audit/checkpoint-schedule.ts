/** When the newest row of a journal is noted outside of it (SPEC AU3): a second after a row was written, and at the end. */

import type { Clock } from "../platform/platform.ts";

/** Of one journal. Calls wait for none of it. */
export interface CheckpointSchedule {
  /** A row was written. */
  soon(): void;
  /** Resolves when the rows written so far are noted, or it was said that they cannot be. */
  close(): Promise<void>;
}

export interface CheckpointScheduleOptions {
  /** Notes the newest row. @param time milliseconds since the epoch */
  readonly note: (time: number) => Promise<{ readonly conflict?: string }>;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Called once for each kind of defect. */
  readonly onDefect: (message: string, error: Error) => void;
}

const CHECKPOINT_MS = 1_000;

export function createCheckpointSchedule({ note, clock, onDefect }: CheckpointScheduleOptions): CheckpointSchedule {
  let cancel: (() => void) | undefined;
  let running: Promise<void> | undefined;
  const said = new Set<string>();

  function run(): Promise<void> {
    return (running ??= checkpoint().finally(() => (running = undefined)));
  }

  async function checkpoint(): Promise<void> {
    cancel?.();
    cancel = undefined;
    try {
      const { conflict } = await note(clock.now());
      if (conflict !== undefined) sayOnce("The audit journal is not the one that was written before", conflict);
    } catch (error) {
      sayOnce("The newest row of the audit journal cannot be noted outside of it", error instanceof Error ? error.message : String(error));
    }
  }

  function sayOnce(message: string, reason: string): void {
    if (said.has(message)) return;
    said.add(message);
    onDefect(message, new Error(`${reason} ("bascule audit verify" says more)`));
  }

  return {
    soon() {
      cancel ??= clock.after(CHECKPOINT_MS, () => void run());
    },
    async close() {
      await running;
      if (cancel !== undefined) await run();
    },
  };
}
