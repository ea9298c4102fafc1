/** `bascule remove`: takes a plugin out of service and deletes it (SPEC I2). */

import { confirmAct, YES_OPTION } from "../ask.ts";
import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { removeBundle } from "../add-bundle.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pathFrom } from "../paths.ts";
import { count, printable } from "../../../primitives/text.ts";

export const removeCommand: Command = {
  name: "remove",
  summary: "Take a plugin, or the MCP server of a bundle, out of service and delete its folder",
  usage: "remove <plugin|server>",
  words: ["plugin"],
  details: [
    "Calls that run are waited for, a while. Its grants, its entry in bascule.lock and its kept versions go with it.",
    "What it has written stays, and so does the audit. Of a link, the link goes and the folder that it leads to stays.",
  ],
  examples: ["remove notes", "remove notes --yes"],
  positionals: { min: 1, max: 1 },
  options: [YES_OPTION],
  async run(context) {
    const bundle = await removeBundle(context);
    return bundle ?? (await withHost(context, (host) => remove(context, host)));
  },
};

async function remove(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals } = context;
  const [name = ""] = positionals;
  const info = await host.operations.info(name);
  const { plugin } = info;
  if (info.kind === "tool" || plugin.directory === undefined)
    throw notFoundError(`"${printable(name)}" is no plugin`, [`${output.program} list shows them`]);
  const place = pathFrom(platform.environment.cwd, plugin.directory);
  if (!(await confirmAct(context, `Delete plugin ${printable(plugin.name)}, the folder ${printable(place)}?`))) {
    output.line("Nothing was removed");
    output.document({ ok: false, removed: false });
    return EXIT.denied;
  }
  const { grants } = await host.operations.remove(plugin.name);
  output.line(`${output.style.green("Removed")} ${printable(plugin.name)}${grants === 0 ? "" : ` and ${count(grants, "grant")}`}`);
  output.document({ ok: true, removed: true, plugin: plugin.name, grants });
  return EXIT.ok;
}
