/**
 * Replays recorded calls for a user (SPEC I5, B8): with the recorded answers, so that nothing outside is read or written.
 *
 * One replay at a time, at most two minutes.
 */

import type { Recording } from "../../call/recording.ts";
import { readRecording } from "../../effects/recordings/recording-file.ts";
import { createRecordingStore } from "../../effects/recordings/store.ts";
import type { Host } from "../../host/host-interface.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { Platform } from "../../platform/platform.ts";
import { realDirectoryOf } from "../../plugins/folder/mod.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { createStyle } from "../../primitives/style.ts";
import type { ReplayView } from "../views.ts";
import { RequestProblem } from "./problem.ts";

/** The version of the plugin that runs. */
export const REPLAY_VERSIONS = ["recorded", "current"] as const;
type ReplayVersion = (typeof REPLAY_VERSIONS)[number];

export interface Replays {
  /** Ids of the recorded calls. */
  recorded(): Promise<readonly string[]>;
  /** @throws {RequestProblem} if the call was not recorded or cannot be replayed */
  run(callId: string, version: ReplayVersion, signal: AbortSignal): Promise<ReplayView>;
}

type PluginFiles = ReadonlyMap<string, Uint8Array>;

const MAX_MS = 120_000;

export function createReplays(host: Pick<Host, "plugins" | "places">, platform: Platform): Replays {
  const store = createRecordingStore(platform, host.places.state);
  const inTurn = createMutex();

  async function recordingOf(callId: string): Promise<Recording> {
    const text = await store.read(callId);
    if (text === undefined)
      throw new RequestProblem(
        "not_found",
        'The call was not recorded, or its recording is no longer kept: set "audit.record" in bascule.json',
      );
    const read = await readRecording(text);
    if (read.ok && read.recording.callId === callId) return read.recording;
    throw new RequestProblem("conflict", read.ok ? "The recording belongs to another call" : read.message);
  }

  async function currentFiles(plugin: string): Promise<PluginFiles | undefined> {
    const status = host.plugins().find(({ name }) => name === plugin);
    if (status === undefined) return undefined;
    const { readBytes } = await import("../../testing/test-copy.ts");
    return await readBytes(platform, realDirectoryOf(status));
  }

  async function recordedFiles({ plugin, digest }: Recording): Promise<PluginFiles | undefined> {
    const kept = await store.readPlugin(digest);
    if (kept !== undefined) return kept;
    const files = await currentFiles(plugin);
    return files !== undefined && (await digestFiles(files)) === digest ? files : undefined;
  }

  async function run(callId: string, version: ReplayVersion, signal: AbortSignal): Promise<ReplayView> {
    if (host.places.project.config().isolation?.by === "process")
      throw new RequestProblem("conflict", "Calls of this project run in processes, and a replay does not: use bascule replay");
    const recording = await recordingOf(callId);
    const [files, { comparisonLines, differenceLines, outcomeText }] = await Promise.all([
      recordedFiles(recording),
      // Loaded here: no other request is to wait for it.
      import("../replay-text.ts"),
    ]);
    const style = createStyle(false);
    const about = { version, digest: recording.digest };
    const onDefect = (message: string): void => platform.log.write("error", message);
    if (version === "current") {
      const now = await currentFiles(recording.plugin);
      if (now === undefined) throw new RequestProblem("not_found", "The plugin does not exist any more: replay the recorded version");
      const { replayWithCurrent } = await import("../../testing/replay-current.ts");
      const compared = await replayWithCurrent({ recording, before: files, now, platform, signal, onDefect });
      if (typeof compared === "string") throw new RequestProblem("conflict", compared);
      return { ...about, kind: compared.kind, lines: comparisonLines(recording, compared, style) };
    }
    if (files === undefined)
      throw new RequestProblem("conflict", "The recorded version of the plugin was not kept: replay the current version");
    const { replay } = await import("../../testing/replay.ts");
    const replayed = await replay({ recording, files, platform, signal, onDefect });
    if (replayed.kind === "impossible") throw new RequestProblem("conflict", replayed.reason);
    const lines = replayed.kind === "same" ? [outcomeText(replayed.outcome)] : differenceLines(recording, replayed.differences, style);
    return { ...about, kind: replayed.kind, lines };
  }

  return {
    recorded: async () => (await store.calls()).map(({ id }) => id),
    run: (callId, version, signal) =>
      inTurn(async () => {
        const end = new AbortController();
        const stopTimer = platform.clock.after(MAX_MS, () => end.abort());
        try {
          return await run(callId, version, AbortSignal.any([signal, end.signal]));
        } finally {
          stopTimer();
        }
      }),
  };
}
