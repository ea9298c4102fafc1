/** Decides when the newest row of a journal is noted outside of it (SPEC AU3): a second after a write, and on close. */

import { errorText } from "../platform/error-text.ts";
import type { Clock } from "../platform/platform.ts";

/** Schedule of one journal. Calls do not wait for it. */
interface CheckpointSchedule {
  /** Schedules a checkpoint after a write. */
  soon(): void;
  /** Resolves when the rows written so far are noted, or the failure was reported. */
  close(): Promise<void>;
}

interface CheckpointScheduleOptions {
  /** Notes the newest row. @param time in milliseconds since the epoch */
  readonly note: (time: number) => Promise<{ readonly conflict?: string }>;
  readonly clock: Pick<Clock, "after" | "now">;
  /** Called once for each kind of defect. */
  readonly onDefect: (message: string, reason: string) => void;
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
      if (conflict !== undefined) sayOnce("The audit journal contradicts its checkpoints", conflict);
    } catch (error) {
      sayOnce("Cannot write the checkpoint of the audit journal", errorText(error));
    }
  }

  function sayOnce(message: string, reason: string): void {
    if (said.has(message)) return;
    said.add(message);
    onDefect(message, `${reason} ("bascule audit verify" shows the details)`);
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
