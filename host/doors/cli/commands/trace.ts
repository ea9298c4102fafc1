/** `bascule trace`: shows what a recorded call did at the host, when, and from which line; and where its time went. */

import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { PROFILE_OPTIONS } from "../profile-options.ts";
import { showObserved } from "../show-observed.ts";
import { printable } from "../../../primitives/text.ts";

export const traceCommand: Command = {
  name: "trace",
  summary: "Show the operations of a recorded call with times and lines",
  usage: "trace <call>",
  details: [
    "Names the call by its id, by the beginning of it, or as last, the latest recorded call. `call --trace` records, runs and shows a call.",
    "Each operation has its start, its whole time, the part that the host took, the wait for the plugin's turn, its result and its line.",
    "The times are of the recorded call. Lines and the profile come from a replay, which reads and writes nothing.",
    "Shown for as long as the recording is kept: the latest 200 of a project, at most 128 MiB.",
  ],
  examples: ["trace last", "trace 019a0000", "trace last --profile --profile-out last.cpuprofile"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "profile", about: "Show the time of each function instead of the operations" }, ...PROFILE_OPTIONS],
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { output, positionals, options } = context;
  const [wanted = ""] = positionals;
  const { recording, trace, profile } = await showObserved(wanted, context, {
    trace: !options.has("profile"),
    profile: options.has("profile") || options.has("profile-out"),
    write: (line) => output.line(line),
  });
  const { callId, tool, digest } = recording;
  output.note(output.style.dim(`${printable(tool)} ${digest.slice(0, 12)} at ${new Date(recording.recordedMs).toISOString()}`));
  output.document({ ok: true, callId, tool, digest, ...(trace && { trace }), ...(profile && { profile }) });
  return EXIT.ok;
}
