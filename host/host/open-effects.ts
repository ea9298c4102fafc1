/** Stage of a host: effects of calls that are recorded, kept for undo, or held back by dry runs. */

import { createFrozenCalls, type FrozenCalls } from "../effects/frozen/frozen-calls.ts";
import { createDryRuns, type DryRuns } from "../effects/overlay/dry-runs.ts";
import { createRecorder, type Recorder } from "../effects/recordings/recorder.ts";
import { createRecordingStore } from "../effects/recordings/store.ts";
import { openUndos } from "../effects/undo/open-undos.ts";
import type { Undos } from "../effects/undo/undos.ts";
import { openRunRecord } from "../routes/run-record.ts";
import type { HostOptions } from "./host-options.ts";
import type { ConfirmationsStage } from "./open-confirmations.ts";
import type { GroundStage } from "./open-ground.ts";

export interface EffectsStage {
  readonly recorder: Recorder;
  readonly undos: Undos;
  readonly dryRuns: DryRuns;
  /** Calls that survive the process. Absent if nothing of this host does. */
  readonly frozen?: FrozenCalls;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly confirmations: ConfirmationsStage;
}

export function openEffects({ ground, confirmations }: EarlierStages, options: HostOptions): EffectsStage {
  const { platform, places, secrets, service, bus, redact, redactLarge, onDefect } = ground;
  const { confirm, isUnchanged, pending } = confirmations;
  const { emit } = bus;
  const recorder = createRecorder({
    platform,
    store: createRecordingStore(platform, places.state),
    mode: () => places.project.config().audit.record,
    redact,
    redactLarge,
    redactBytes: secrets.redactBytes,
    onDefect,
  });
  const undos = openUndos({ platform, service, places, isWanted: options.undo ?? false, emit, onDefect });
  const dryRuns = createDryRuns({
    platform,
    service,
    emit,
    openRecord: (execution) => openRunRecord(execution, { platform, emit, secrets, undos }),
    isUnchanged,
    confirm,
  });
  const frozen = ground.lasting && createFrozenCalls({ platform, store: ground.lasting.space("call"), pending, onDefect });
  return { recorder, undos, dryRuns, ...(frozen && { frozen }) };
}
