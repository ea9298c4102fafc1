/** Shows a recorded call's operations and profile, for `trace` and `call --trace`. */

import type { Recording } from "../../call/recording.ts";
import { createRecordingStore } from "../../effects/recordings/store.ts";
import { printable } from "../../primitives/text.ts";
import { observe, type Profile, profileOf, toCpuProfile, type TracedOperation, traceOf } from "../../testing/observe.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { findFiles, findRecording } from "./find-recording.ts";
import { absolutePath } from "./paths.ts";
import { profileLines, traceLines } from "./trace-text.ts";

interface Wanted {
  readonly trace: boolean;
  readonly profile: boolean;
  readonly write: (line: string) => void;
}

interface Shown {
  readonly recording: Recording;
  readonly trace?: readonly TracedOperation[];
  readonly profile?: Profile;
}

/** @param call id, beginning of one, or `last` @throws {CliError} if the call is not recorded, or cannot be replayed for its profile */
export async function showObserved(call: string, context: CommandContext, wanted: Wanted): Promise<Shown> {
  const { platform, project, output, options, signal } = context;
  const store = createRecordingStore(platform, project.stateDirectory);
  const recording = await findRecording(call, store, output.program);
  const onDefect = (message: string): void => platform.log.write("error", message);
  const observation = await observe({ recording, files: await findFiles(recording, store, context), platform, signal, onDefect });
  if (!observation.ok && wanted.profile) throw new CliError("unavailable", observation.reason, { exitCode: EXIT.unavailable });
  if (!observation.ok) output.note(`Shown without lines: ${observation.reason}`);
  else if (!observation.isSame)
    output.note(`The replay differs from the recording, so lines and times of functions may (${output.program} replay shows how)`);
  const observed = observation.ok ? observation.observed : undefined;
  const trace = wanted.trace ? traceOf(recording, observed) : undefined;
  for (const line of trace === undefined ? [] : traceLines(trace, workspaceOf(recording), output)) wanted.write(line);
  if (!wanted.profile || observed === undefined) return { recording, ...(trace && { trace }) };
  const profile = profileOf(observed);
  for (const line of profileLines(profile, output)) wanted.write(line);
  const file = options.value("profile-out");
  if (file !== undefined) {
    await platform.files.writeAtomic(absolutePath(file, platform.environment.cwd), `${JSON.stringify(toCpuProfile(observed))}\n`);
    output.note(`Wrote the profile to ${printable(file)}`);
  }
  return { recording, profile, ...(trace && { trace }) };
}

/** Returns the workspace of the recorded call. */
function workspaceOf({ contextText }: Recording): string {
  // `readRecording` checked that the text is an object.
  const { workspacePath } = JSON.parse(contextText) as { readonly workspacePath?: unknown };
  return typeof workspacePath === "string" ? workspacePath : "";
}
