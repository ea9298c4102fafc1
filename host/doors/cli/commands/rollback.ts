/** `bascule rollback`: the version of a plugin that served before (SPEC H10). */

import type { Command, CommandContext } from "../command.ts";
import { changeLines } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { printable } from "../../../primitives/text.ts";

export const rollbackCommand: Command = {
  name: "rollback",
  summary: "Go back to the version of a plugin that served before",
  usage: "rollback <plugin>",
  words: ["plugin"],
  details: [
    "The plugin's folder stays as it is: what it holds is set aside, also after a restart.",
    "The next edit there is a new version like any other. `accept` takes back what was set aside.",
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
  output.line(style.dim(`Its folder is as it was: ${program} accept ${plugin} serves that version again`));
  output.document({ ok: true, ...outcome });
  return EXIT.ok;
}
