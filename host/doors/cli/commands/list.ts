/** `bascule list`: lists plugins and their tools. */

import type { PluginView } from "../../operations.ts";
import type { Command, CommandContext } from "../command.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pluginLines, statusLines } from "../plugin-text.ts";
import { usedAbove } from "../project.ts";
import { count, printable } from "../../../primitives/text.ts";

export const listCommand: Command = {
  name: "list",
  summary: "List plugins, their tools and missing grants",
  usage: "list",
  details: ["Ignored folders and built-in tools are shown only with --all."],
  positionals: { min: 0, max: 0 },
  options: [{ name: "all", about: "Also show ignored folders with the reason, and built-in tools" }, FROZEN_OPTION],
  run: (context) => withHost(context, (host) => list(context, host)),
};

async function list(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, options, platform, project } = context;
  const { cwd } = platform.environment;
  const [all, status] = [await host.operations.list(), await host.operations.status()];
  const shown = options.has("all") ? all : all.filter((plugin) => !isBackground(plugin));
  for (const [index, plugin] of shown.entries()) {
    if (index > 0) output.line();
    for (const line of pluginLines(plugin, output, { cwd, workspace: status.workspace })) output.line(line);
  }
  if (shown.length === 0) {
    output.line(`No plugins found. ${output.program} init <name> creates one`);
    const above = await usedAbove(platform, project);
    if (above !== undefined)
      output.line(`To use the plugins of ${printable(above)} from here, create a bascule.json there (containing {})`);
  }
  for (const line of statusLines(status, output)) output.note(line);
  const hidden = all.filter((plugin) => plugin.state === "ignored" && !shown.includes(plugin)).length;
  if (hidden > 0) output.note(output.style.dim(`(${count(hidden, "folder")} ignored; --all says why)`));
  output.document({ ok: true, plugins: shown });
  return 0;
}

/** Returns true for built-in tools and ignored folders, which are not plugins of the user. */
function isBackground(plugin: PluginView): boolean {
  return plugin.state === "ignored" || plugin.directory === undefined;
}
