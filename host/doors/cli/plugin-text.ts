/** Plugins and tools as people read them: one wording for `list`, `info` and the start screen. */

import { problemToText } from "../../../manifests/mod.ts";
import type { HostStatus, PluginState, PluginView, ToolView } from "../operations.ts";
import { heldLines } from "./consent-text.ts";
import { problemLines } from "./frame.ts";
import { grantAdvice } from "./grant-advice.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { kindsText, reasonsOf } from "./permission-text.ts";
import { printable, shortenWords } from "../../primitives/text.ts";

/** Where the reader is, and what the host's workspace is. */
export interface ReaderPlace {
  readonly cwd: string;
  readonly workspace: string;
}

const NAME_WIDTH = 18;
const INDENT = "  ";

const STATES: Readonly<Record<PluginState, string>> = {
  loaded: "",
  stale: "the last good version serves",
  disabled: "disabled",
  failed: "failed",
  quarantined: "quarantined",
  ignored: "ignored",
};

/**
 * A plugin with its tools, what is wrong with it, and the command that grants what it still needs.
 *
 * @param how brief: tools by their names only, for screens that show many
 */
export function pluginLines(plugin: PluginView, output: Output, place: ReaderPlace, how: "whole" | "brief" = "whole"): readonly string[] {
  const { style } = output;
  const lines = [pluginTitle(plugin, output)];
  if (how === "brief") lines.push(...nameLines(plugin.tools, output));
  else for (const tool of plugin.tools) lines.push(toolLine(tool, output));
  lines.push(...unavailableLines(plugin.tools, output), ...yieldLines(plugin.tools, output).map((line) => INDENT + line));
  for (const problem of plugin.problems) {
    const folder = plugin.directory === undefined ? plugin.name : pathFrom(place.cwd, plugin.directory);
    lines.push(...problemLines(problem, { folder, columns: output.columns, style }).map((line) => INDENT + line));
  }
  if (plugin.held !== undefined) {
    lines.push(...heldLines(plugin.held, style).map((line) => INDENT + line));
    lines.push(`${INDENT}${INDENT}${style.bold(printable(`${output.program} accept ${plugin.name}`))}`);
  }
  lines.push(...limitLines(plugin, output).map((line) => INDENT + line));
  const kept = plugin.tools.find((tool) => tool.protected !== undefined)?.protected;
  if (kept !== undefined) lines.push(INDENT + output.style.dim(`never touch ${protectedText(kept)}`));
  if (plugin.state !== "ignored") lines.push(...grantLines(plugin, output, place).map((line) => INDENT + line));
  return lines;
}

/** The names of `policy.protected`, and where to change them. */
export function protectedText(items: readonly string[]): string {
  return `${items.map((item) => printable(item.slice(item.lastIndexOf("/") + 1))).join(" ")} ("policy.protected" in bascule.json)`;
}

/** What a plugin asks for and does not hold, why, and the exact command; nothing if all is granted. */
export function grantLines(plugin: PluginView, output: Output, place: ReaderPlace): readonly string[] {
  const { style } = output;
  const command = grantAdvice(plugin.name, plugin.missing, { ...place, program: output.program });
  if (command === undefined) return [];
  const reasons = reasonsOf(plugin.missing).map(([kind, reason]) => `${kind}: ${reason}`);
  const because = reasons.length === 0 ? "" : style.dim(`  ${reasons.join("; ")}`);
  return [`${style.yellow("needs a grant")} to ${kindsText(plugin.missing)}${because}`, `${INDENT}${style.bold(printable(command))}`];
}

/** Limits that a plugin asks to be higher and nobody allowed, and what allows them; nothing if it has all of them. */
export function limitLines(
  { name, limits, held }: Pick<PluginView, "name" | "limits" | "held">,
  { style, program }: Output,
): readonly string[] {
  const lines = (["consent", "policy"] as const).flatMap((by): readonly string[] => {
    const lacking = limits.filter((one) => one.by === by).map(({ text }) => text);
    if (lacking.length === 0) return [];
    const said = `${style.yellow("asks for higher limits")}: ${lacking.join("; ")}`;
    if (by === "policy") return [said, `${INDENT}a rule of bascule.json sets them`];
    // A version that waits is accepted by the same command, which stands there already.
    return held === undefined ? [said, `${INDENT}${style.bold(printable(`${program} accept ${name}`))}`] : [said];
  });
  return lines;
}

/** What is wrong with the project as a whole: grants that cannot be read, folders that cannot be watched. */
export function statusLines(status: HostStatus, output: Output): readonly string[] {
  const { style } = output;
  const lines = status.notices.map((notice) => `${style.yellow("note")} ${printable(notice)}`);
  if (status.grantProblems.length === 0) return lines;
  const problems = status.grantProblems.map((problem) => `${INDENT}${printable(problemToText(problem))}`);
  return [...lines, `${style.red("error")} .bascule/grants.json cannot be read, so nothing is granted`, ...problems];
}

/** One line: name, version, what it is, and its state if it is not simply loaded. */
function pluginTitle(plugin: PluginView, output: Output): string {
  const { style } = output;
  const state = STATES[plugin.state];
  const color = plugin.state === "failed" || plugin.state === "quarantined" ? style.red : style.yellow;
  const version = plugin.version === undefined ? "" : style.dim(` ${printable(plugin.version)}`);
  const about = plugin.description === undefined ? "" : `  ${shortenWords(printable(plugin.description), output.columns - NAME_WIDTH)}`;
  return `${style.bold(printable(plugin.name))}${version}${state === "" ? "" : `  ${color(state)}`}${about}`;
}

/** One line: a tool's name and what it does. */
function toolLine(tool: ToolView, output: Output): string {
  const name = printable(tool.name);
  const room = output.columns - Math.max(NAME_WIDTH, name.length) - INDENT.length - 1;
  // A skill with a plugin's name in front runs where the plugin's tools do.
  const isOfPlugin = tool.source === "plugin" || (tool.source === "skill" && tool.qualifiedName.includes("."));
  const isNative = isOfPlugin && tool.route === "host";
  const native = !isNative ? "" : tool.confinement === "none" ? "UNCONFINED: " : "native: ";
  const assumed = tool.assumed === true ? `(${tool.class} is assumed) ` : "";
  const about = tool.unavailable === undefined ? native + assumed + tool.description : `(cannot be called) ${tool.description}`;
  return `${INDENT}${output.style.cyan(name.padEnd(NAME_WIDTH))} ${output.style.dim(shortenWords(printable(about), room))}`;
}

/** Names of tools, as many to a line as there is room for. */
function nameLines(tools: readonly ToolView[], { columns, style }: Output): readonly string[] {
  const lines: string[] = [];
  for (const name of tools.map((tool) => printable(tool.name))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length + 2 * INDENT.length <= columns) lines.splice(-1, 1, `${last}, ${name}`);
    else lines.push(name);
  }
  return lines.map((line) => `${INDENT}${style.cyan(line)}`);
}

/** Why tools cannot be called, whole, since the reason ends with what to do: once for all that share it. */
function unavailableLines(tools: readonly ToolView[], { style }: Output): readonly string[] {
  const reasons = Map.groupBy(
    tools.filter((tool) => tool.unavailable !== undefined),
    (tool) => tool.unavailable ?? "",
  );
  return [...reasons].map(([reason, those]) => {
    const names = those.map(({ name }) => printable(name)).join(", ");
    return `${INDENT}${style.yellow("cannot be called")} ${names}: ${printable(reason)}`;
  });
}

/** Bare names that the plugin's tools did not get: another's calls are not theirs. */
export function yieldLines(tools: readonly ToolView[], { style }: Output): readonly string[] {
  return tools.flatMap(({ name, qualifiedName, yieldsTo }) =>
    yieldsTo === undefined
      ? []
      : [`${style.yellow("called as")} ${printable(qualifiedName)}: the name ${printable(name)} belongs to ${printable(yieldsTo)}`],
  );
}
