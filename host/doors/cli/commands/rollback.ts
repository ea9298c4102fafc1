/** `bascule rollback`: returns to the previous version of a plugin (SPEC H10). */

import type { Command, CommandContext } from "../command.ts";
import { changeLines } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { printable } from "../../../primitives/text.ts";

export const rollbackCommand: Command = {
  name: "rollback",
  summary: "Return to the previous version of a plugin",
  usage: "rollback <plugin>",
  words: ["plugin"],
  details: [
    "The plugin's folder is not changed: its current version is set aside, also after a restart.",
    "The next edit in the folder is a new version. `accept` restores the version that was set aside.",
  ],
  examples: ["rollback notes"],
  positionals: { min: 1, max: 1 },
  options: [],
  run: (context) => withHost(context, (host) => rollback(context, host)),
};

async function rollback({ output, positionals }: CommandContext, host: HostAccess): Promise<number> {
  const { style, program } = output;
  const outcome = await host.operations.rollback(positionals[0] ?? "");
  const plugin = printable(outcome.plugin);
  output.line(`${style.green("Back to")} ${plugin} ${printable(outcome.version)}, from ${printable(outcome.from.version)}`);
  for (const line of changeLines(outcome.changes, style)) output.line(`  ${line}`);
  output.line(style.dim(`The folder is unchanged: ${program} accept ${plugin} serves its version again`));
  output.document({ ok: true, ...outcome });
  return EXIT.ok;
}
