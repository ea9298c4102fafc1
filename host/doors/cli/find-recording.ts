/** Finds the recording of a call, and the plugin files that it was made with. */

import type { Recording } from "../../call/recording.ts";
import { readRecording } from "../../effects/recordings/recording-file.ts";
import type { RecordingStore } from "../../effects/recordings/store.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { readBytes } from "../../testing/test-copy.ts";
import { CliError, notFoundError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { idMeant } from "./id-meant.ts";
import { findPlugins } from "./find-plugins.ts";

/** Reads a recording. @param wanted a call's id, the beginning of one, or `last` */
export async function findRecording(wanted: string, store: RecordingStore, program: string): Promise<Recording> {
  const callId = await recordedIdMeant(wanted, store);
  const text = await store.read(callId);
  if (text === undefined)
    throw notFoundError(wanted === LAST ? "No call is recorded" : `Recording of call "${wanted}" not found`, [
      `${program} call <tool> --record records a call and prints its id`,
      "Only the latest recordings are kept",
    ]);
  const read = await readRecording(text);
  if (!read.ok) throw new CliError("recording", read.message, { hints: [`The recording is in ${store.folder}`] });
  if (callId === wanted && read.recording.callId !== callId)
    throw new CliError("recording", `Cannot use the recording: it belongs to the call "${read.recording.callId}"`);
  return read.recording;
}

const LAST = "last";

/** Returns the id that the user means; what is unknown stays as written, because `findRecording` says what to do. */
async function recordedIdMeant(wanted: string, store: RecordingStore): Promise<string> {
  const known = await store.calls();
  if (wanted === LAST) return known.at(-1)?.id ?? wanted;
  const meant = known.filter(({ id }) => wanted !== "" && id.startsWith(wanted.toLowerCase()));
  if (meant.length === 0) return wanted;
  const named = meant.map(({ id, atMs }) => ({ id, atMs, about: "recorded" }));
  return idMeant(wanted, named, "recorded call", "Write more of the id");
}

/** Returns the plugin's files as they are now; undefined if the plugin does not exist any more. */
export async function currentFiles(plugin: string, context: CommandContext): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const [found] = await findPlugins(context, [plugin]).catch((error: unknown) => {
    if (error instanceof CliError) return [];
    throw error;
  });
  return found && (await readBytes(context.platform, found.directory));
}

/** Returns the plugin's files as kept with the recording, or from its folder if that still has the same digest. */
export async function findFiles(
  { plugin, digest }: Recording,
  store: RecordingStore,
  context: CommandContext,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const kept = await store.readPlugin(digest);
  if (kept !== undefined) return kept;
  const files = await currentFiles(plugin, context);
  const now = files && (await digestFiles(files));
  if (files !== undefined && now === digest) return files;
  const state = now === undefined ? `plugin "${plugin}" no longer exists` : `its folder now has digest ${now.slice(0, 12)}`;
  throw new CliError(
    "unavailable",
    `Version ${digest.slice(0, 12)} of "${plugin}" is not available: its files were not kept, and ${state}`,
    {
      exitCode: EXIT.unavailable,
      hints: ["Check out that version of the files, then run this again"],
    },
  );
}
