/** Formats the start screen of `bascule dev`: plugins, problems, missing grants, and next steps. */

import type { HostStatus, PluginView, ToolView } from "../operations.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { table } from "./help.ts";
import { exampleCall } from "./example-call.ts";
import { pluginLines, statusLines, type ReaderPlace } from "./plugin-text.ts";
import { count, printable } from "../../primitives/text.ts";

/** Maximum number of tools shown with descriptions. Above it only names are shown, to fit one screen; `list` describes them. */
const MOST_DESCRIBED = 24;

/** Returns the lines of the screen. */
export function startScreen(status: HostStatus, all: readonly PluginView[], output: Output, place: ReaderPlace): readonly string[] {
  const { style, program } = output;
  const plugins = all.filter((plugin) => plugin.directory !== undefined && plugin.state !== "ignored");
  const tools = plugins.flatMap((plugin) => plugin.tools.filter((tool) => tool.unavailable === undefined));
  const roots = status.pluginRoots.map((root) => pathFrom(place.cwd, root)).join(", ");
  const lines = [
    `${style.bold("bascule")} ${style.dim(status.version)}  ${count(plugins.length, "plugin")}, ${count(tools.length, "tool")} from ${style.bold(printable(roots))}; workspace: ${place.cwd === status.workspace ? "this folder" : printable(pathFrom(place.cwd, status.workspace))}`,
    "",
  ];
  const how = tools.length > MOST_DESCRIBED ? "brief" : "whole";
  for (const plugin of plugins) lines.push(...pluginLines(plugin, output, place, how), "");
  const troubles = statusLines(status, output);
  if (troubles.length > 0) lines.push(...troubles, "");
  const ignored = all.filter((plugin) => plugin.state === "ignored").length;
  if (ignored > 0) lines.push(style.dim(`${count(ignored, "folder")} ignored; ${program} list --all shows why`), "");
  lines.push(style.bold("Next, in another terminal"), ...table(nextSteps(plugins, tools, program), style), "");
  lines.push(style.dim("Watching for changes. Press Ctrl-C to stop."), "");
  return lines;
}

function nextSteps(plugins: readonly PluginView[], tools: readonly ToolView[], program: string): readonly (readonly [string, string])[] {
  const steps: (readonly [string, string])[] = [];
  const harmless = tools.find(({ class: kind }) => kind === "none") ?? tools.find(({ class: kind }) => kind === "read") ?? tools[0];
  if (harmless) steps.push([exampleCall(harmless, program), "call a tool"]);
  const [plugin] = plugins;
  if (tools.length > MOST_DESCRIBED) steps.push([`${program} list`, "see what each tool does"]);
  if (plugin) steps.push([`${program} info ${printable(plugin.name)}`, "see its tools and permissions"]);
  if (!plugins.some(({ name }) => name === "demo")) steps.push([`${program} init demo`, "create your own plugin"]);
  return steps;
}
