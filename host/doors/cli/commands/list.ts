/** `bascule list`: the plugins and their tools. */

import type { PluginView } from "../../operations.ts";
import type { Command, CommandContext } from "../command.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pluginLines, statusLines } from "../plugin-text.ts";
import { usedAbove } from "../project.ts";
import { count, printable } from "../../../primitives/text.ts";

export const listCommand: Command = {
  name: "list",
  summary: "List plugins and their tools, and what they still need",
  usage: "list",
  details: ["Folders that are no plugins and the built-in tools are shown with --all only."],
  positionals: { min: 0, max: 0 },
  options: [{ name: "all", about: "Show ignored folders, and why, and the built-in tools too" }, FROZEN_OPTION],
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
    output.line(`No plugins here. ${output.program} init <name> writes one`);
    const above = await usedAbove(platform, project);
    if (above !== undefined)
      output.line(`Those of ${printable(above)} are found from here once there is a bascule.json in it ({} will do)`);
  }
  for (const line of statusLines(status, output)) output.note(line);
  const hidden = all.filter((plugin) => plugin.state === "ignored" && !shown.includes(plugin)).length;
  if (hidden > 0) output.note(output.style.dim(`(${count(hidden, "folder")} ignored; --all says why)`));
  output.document({ ok: true, plugins: shown });
  return 0;
}

/** Nothing that a person put there to be used as a plugin. */
function isBackground(plugin: PluginView): boolean {
  return plugin.state === "ignored" || plugin.directory === undefined;
}
