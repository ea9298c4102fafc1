/** `bascule commit`: commits a dry run of a running host (SPEC E8). */

import { isJsonObject } from "../../../../manifests/mod.ts";
import { committedLines } from "../commit-dry-run.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withHost } from "../host-access.ts";
import { journalIdMeant } from "../journal-ids.ts";
import { openPlaces } from "../../../project/places.ts";

export const commitCommand: Command = {
  name: "commit",
  summary: "Commit a dry run of the running host",
  usage: "commit <call>",
  details: [
    "The id of the call, or its beginning. For calls that a policy rule turns into dry runs. The commit is atomic, and is refused if a file that the call read or would write has changed. The host keeps the last four dry runs, each for 30 minutes.",
  ],
  examples: ["commit 019a0000"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "hash", value: "hash", about: "Commit only if the dry run has this hash" }],
  run: (context) =>
    withHost(context, async (host) => {
      const { output, positionals, options } = context;
      const places = await openPlaces(context.platform, { config: context.project.configFile ?? false });
      const callId = await journalIdMeant(positionals[0] ?? "", context, places, {
        type: "tool.completed",
        idOf: ({ payload, callId: id }) => (isJsonObject(payload) && payload["dryRun"] === true ? id : undefined),
        what: "dry run",
        advice: `${output.program} audit search --type=tool.completed lists calls`,
      });
      const committed = await host.operations.commit(callId, options.value("hash"));
      for (const line of committedLines(committed, output)) output.line(line);
      output.document(committed);
      return committed.ok ? EXIT.ok : committed.code === "unknown" ? EXIT.notFound : EXIT.failed;
    }),
};
