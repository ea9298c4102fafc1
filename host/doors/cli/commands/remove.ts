/** `bascule remove`: stops serving a plugin and deletes its folder (SPEC I2). */

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
  summary: "Remove a plugin or an MCP bundle, and delete its folder",
  usage: "remove <plugin|server>",
  words: ["plugin"],
  details: [
    "Waits a while for running calls. Also deletes the plugin's grants, its entry in bascule.lock and its kept versions.",
    "Also deletes the data that the plugin keeps in this project (context.data), unless --keep-data is given.",
    "Keeps other files that the plugin wrote, and the audit journal. If the folder is a link, only the link is deleted.",
  ],
  examples: ["remove notes", "remove notes --keep-data", "remove notes --yes"],
  positionals: { min: 1, max: 1 },
  options: [YES_OPTION, { name: "keep-data", about: "Keep the data of the plugin, for when it is added again" }],
  async run(context) {
    const bundle = await removeBundle(context);
    return bundle ?? (await withHost(context, (host) => remove(context, host)));
  },
};

/** The other name of `remove`. */
export const uninstallCommand: Command = {
  ...removeCommand,
  name: "uninstall",
  summary: "The same as remove",
  usage: "uninstall <plugin|server>",
  examples: ["uninstall notes"],
};

async function remove(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options } = context;
  const [name = ""] = positionals;
  const info = await host.operations.info(name);
  const { plugin } = info;
  if (info.kind === "tool" || plugin.directory === undefined)
    throw notFoundError(`"${printable(name)}" is not a plugin`, [`${output.program} list shows all plugins`]);
  const place = pathFrom(platform.environment.cwd, plugin.directory);
  const data = !options.has("keep-data");
  const what = `with its folder ${printable(place)}${data ? " and the data that it keeps in this project" : ""}`;
  if (!(await confirmAct(context, `Delete plugin ${printable(plugin.name)} ${what}?`))) {
    output.line("Nothing was removed");
    output.document({ ok: false, removed: false });
    return EXIT.denied;
  }
  const { grants } = await host.operations.remove(plugin.name, { data });
  output.line(`${output.style.green("Removed")} ${printable(plugin.name)}${grants === 0 ? "" : ` and ${count(grants, "grant")}`}`);
  output.document({ ok: true, removed: true, plugin: plugin.name, grants });
  return EXIT.ok;
}
