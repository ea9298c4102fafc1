/** `bascule commit`: does what a dry run in a running host said (SPEC E8). */

import { committedLines } from "../commit-dry-run.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withHost } from "../host-access.ts";

export const commitCommand: Command = {
  name: "commit",
  summary: "Do what a dry run of the running host said it would do",
  usage: "commit <call>",
  details: [
    "For calls that a rule of policy makes dry runs. All of it is done or nothing, and nothing if a file that the call read or would write is another now. A dry run is kept for half an hour, the last four of them.",
  ],
  examples: ["commit 019a0000-0000-7000-8000-000000000000"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "hash", value: "hash", about: "Only if this is the hash of what the dry run said" }],
  run: (context) =>
    withHost(context, async (host) => {
      const { output, positionals, options } = context;
      const committed = await host.operations.commit(positionals[0] ?? "", options.value("hash"));
      for (const line of committedLines(committed, output)) output.line(line);
      output.document(committed);
      return committed.ok ? EXIT.ok : committed.code === "unknown" ? EXIT.notFound : EXIT.failed;
    }),
};
