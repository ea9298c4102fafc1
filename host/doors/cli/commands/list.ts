/** `bascule list`: lists plugins and their tools. */

import { didYouMean } from "../did-you-mean.ts";
import type { PluginView } from "../../operations.ts";
import { notFoundError } from "../cli-error.ts";
import type { ClientCommand, ClientContext } from "../command.ts";
import { FROZEN_OPTION } from "../frozen-flag.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pluginLines, statusLines } from "../plugin-text.ts";
import { usedAbove } from "../project.ts";
import { count, printable } from "../../../primitives/text.ts";

export const listCommand: ClientCommand = {
  name: "list",
  summary: "List plugins, their tools and missing grants",
  usage: "list [plugin]",
  words: ["plugin"],
  details: ["Ignored folders and built-in tools are shown only with --all."],
  positionals: { min: 0, max: 1 },
  options: [{ name: "all", about: "Also show ignored folders with the reason, and built-in tools" }, FROZEN_OPTION],
  run: (context) => withHost(context, (host) => list(context, host)),
};

async function list(context: ClientContext, host: HostAccess): Promise<number> {
  const { output, options, platform, positionals, project } = context;
  const { cwd } = platform.environment;
  const [all, status] = [await host.operations.list(), await host.operations.status()];
  const [name] = positionals;
  const shown =
    name !== undefined ? [pluginNamed(name, all, output.program)] : options.has("all") ? all : all.filter((one) => !isBackground(one));
  for (const [index, plugin] of shown.entries()) {
    if (index > 0) output.line();
    for (const line of pluginLines(plugin, output, { cwd, workspace: status.workspace })) output.line(line);
  }
  if (shown.length === 0) {
    output.line(`No plugins found. ${output.program} init starts with two`);
    const above = await usedAbove(platform, project);
    if (above !== undefined)
      output.line(`To use the plugins of ${printable(above)} from here, create a bascule.json there (containing {})`);
  }
  for (const line of statusLines(status, output)) output.note(line);
  const hidden = all.filter((plugin) => plugin.state === "ignored" && !shown.includes(plugin)).length;
  if (hidden > 0 && name === undefined) output.note(output.style.dim(`(${count(hidden, "folder")} ignored; --all says why)`));
  output.document({ ok: true, plugins: shown });
  return 0;
}

/** @throws {CliError} `not_found` with the nearest name */
function pluginNamed(name: string, all: readonly PluginView[], program: string): PluginView {
  const found = all.find((plugin) => plugin.name === name);
  if (found !== undefined) return found;
  const names = all.map((plugin) => plugin.name);
  throw notFoundError(`Unknown plugin "${name}"`, [didYouMean(name, names, `${program} list shows all plugins`)]);
}

/** Returns true for built-in tools and ignored folders, which are not plugins of the user. */
function isBackground(plugin: PluginView): boolean {
  return plugin.state === "ignored" || plugin.directory === undefined;
}
