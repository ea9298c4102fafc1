/** `bascule reload`: makes the running host check for changes now. */

import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { count } from "../../../primitives/text.ts";

export const reloadCommand: Command = {
  name: "reload",
  summary: "Make the running host check for changes now",
  usage: "reload",
  positionals: { min: 0, max: 0 },
  options: [],
  run: (context) => withHost(context, (host) => reload(context, host)),
};

async function reload(context: CommandContext, host: HostAccess): Promise<number> {
  const { output } = context;
  if (!host.running) {
    throw new CliError("unavailable", "Nothing to reload: no host is running in this project", {
      exitCode: EXIT.unavailable,
      hints: [`${output.program} dev starts one`],
    });
  }
  const reloaded = await host.operations.reload();
  output.line(reloaded === 0 ? "Nothing changed" : `Reloaded ${count(reloaded, "plugin")}`);
  output.document({ ok: true, reloaded });
  return 0;
}
