/** `bascule commit`: commits a dry run of a running host (SPEC E8). */

import { committedLines } from "../commit-dry-run.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withHost } from "../host-access.ts";

export const commitCommand: Command = {
  name: "commit",
  summary: "Commit a dry run of the running host",
  usage: "commit <call>",
  details: [
    "For calls that a policy rule turns into dry runs. The commit is atomic, and is refused if a file that the call read or would write has changed. The host keeps the last four dry runs, each for 30 minutes.",
  ],
  examples: ["commit 019a0000-0000-7000-8000-000000000000"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "hash", value: "hash", about: "Commit only if the dry run has this hash" }],
  run: (context) =>
    withHost(context, async (host) => {
      const { output, positionals, options } = context;
      const committed = await host.operations.commit(positionals[0] ?? "", options.value("hash"));
      for (const line of committedLines(committed, output)) output.line(line);
      output.document(committed);
      return committed.ok ? EXIT.ok : committed.code === "unknown" ? EXIT.notFound : EXIT.failed;
    }),
};
