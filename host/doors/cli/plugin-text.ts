/** Formats plugins and tools, the same way for `list`, `info` and the start screen. */

import { problemToText } from "../../../manifests/mod.ts";
import type { HostStatus, PluginState, PluginView, ToolView } from "../operations.ts";
import { heldLines } from "./consent-text.ts";
import { problemLines } from "./frame.ts";
import { grantAdvice } from "./grant-advice.ts";
import type { Output } from "./output.ts";
import { pathFrom, shellWord } from "./paths.ts";
import { flagsFromPermissions } from "./permission-flags.ts";
import { kindNames, kindsText, reasonsOf } from "./permission-text.ts";
import { printable, shortenWords, textWidth } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";

/** Folders that paths in the output are relative to. */
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
 * Formats a plugin with its tools, its problems, and the command for missing grants.
 *
 * @param how `brief` shows only the names of tools, for screens with many of them
 */
export function pluginLines(plugin: PluginView, output: Output, place: ReaderPlace, how: "whole" | "brief" = "whole"): readonly string[] {
  const { style } = output;
  const lines = [pluginTitle(plugin, output)];
  if (how === "brief") lines.push(...nameLines(plugin.tools, output));
  else for (const tool of plugin.tools) lines.push(toolLine(tool, output));
  // The problems of a plugin that failed are the reason, and follow with their place.
  if (plugin.state !== "failed" || plugin.problems.length === 0) lines.push(...unavailableLines(plugin.tools, output));
  lines.push(...yieldLines(plugin.tools, output).map((line) => INDENT + line));
  for (const problem of plugin.problems) {
    const folder = plugin.directory === undefined ? plugin.name : pathFrom(place.cwd, plugin.directory);
    lines.push(...problemLines(problem, { ...output, folder }).map((line) => INDENT + line));
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

/** A decision that a plugin waits for. */
interface Need {
  /** Whether the plugin does not load, so that its code has to change. */
  readonly isBroken: boolean;
  readonly text: string;
  /** Command that shows the decision and takes it, without the program. */
  readonly command: string;
}

/** Returns the user's next decision about a plugin; undefined if there is none. */
export function needOf({ name, state, problems, held, missing, limits }: PluginView): Need | undefined {
  const shown = printable(shellWord(name));
  const [problem] = problems;
  if (state === "failed" || state === "stale")
    return { isBroken: true, text: `does not load: ${printable(problem?.message ?? "see its problems")}`, command: `list ${shown}` };
  if (held !== undefined) return { isBroken: false, text: `version ${printable(held.version)} waits`, command: `accept ${shown}` };
  const wantsMore = limits.some(({ by }) => by === "consent");
  if (flagsFromPermissions(missing, { cwd: "/", workspace: "/" }) !== "")
    return { isBroken: false, text: `wants ${kindNames(missing)}${wantsMore ? ", higher limits" : ""}`, command: `grant ${shown}` };
  return wantsMore ? { isBroken: false, text: "wants higher limits", command: `accept ${shown}` } : undefined;
}

/** Formats the names of `policy.protected`, and where to change them. */
export function protectedText(items: readonly string[]): string {
  return `${items.map((item) => printable(item.slice(item.lastIndexOf("/") + 1))).join(" ")} ("policy.protected" in bascule.json)`;
}

/** Formats missing grants: permissions, reasons, and the command that grants them. Returns no lines if all are granted. */
export function grantLines(plugin: PluginView, output: Output, place: ReaderPlace): readonly string[] {
  const { style } = output;
  const command = grantAdvice(plugin.name, plugin.missing, { ...place, program: output.program });
  if (command === undefined) return [];
  const reasons = reasonsOf(plugin.missing).map(([kind, reason]) => `${kind}: ${reason}`);
  const because = reasons.length === 0 ? "" : style.dim(`  ${reasons.join("; ")}`);
  return [`${style.yellow("needs a grant")} to ${kindsText(plugin.missing)}${because}`, `${INDENT}${style.bold(printable(command))}`];
}

/** Formats requested limits that are not allowed, and what allows them. Returns no lines if there are none. */
export function limitLines(
  { name, limits, held }: Pick<PluginView, "name" | "limits" | "held">,
  { style, program }: Output,
): readonly string[] {
  const lines = (["consent", "policy"] as const).flatMap((by): readonly string[] => {
    const lacking = limits.filter((one) => one.by === by).map(({ text }) => text);
    if (lacking.length === 0) return [];
    const said = `${style.yellow("requests higher limits")}: ${lacking.join("; ")}`;
    if (by === "policy") return [said, `${INDENT}set by a rule in bascule.json`];
    // If a version waits, the accept command is shown with it already.
    return held === undefined ? [said, `${INDENT}${style.bold(printable(`${program} accept ${name}`))}`] : [said];
  });
  return lines;
}

/** Formats problems of the whole project: unreadable grants, folders that cannot be watched. */
export function statusLines(status: HostStatus, output: Output): readonly string[] {
  const { style, program } = output;
  const lines = status.notices.map((notice) => `${style.yellow("note")} ${printable(asTyped(notice, program))}`);
  if (status.grantProblems.length === 0) return lines;
  const problems = status.grantProblems.map((problem) => `${INDENT}${printable(asTyped(problemToText(problem), program))}`);
  return [...lines, `${style.red("error")} .bascule/grants.json cannot be read, so nothing is granted`, ...problems];
}

/** Formats one line: name, version, description, and the state unless it is loaded. */
function pluginTitle(plugin: PluginView, output: Output): string {
  const { style } = output;
  const state = STATES[plugin.state];
  const color = plugin.state === "failed" || plugin.state === "quarantined" ? style.red : style.yellow;
  const version = plugin.version === undefined ? "" : style.dim(` ${printable(plugin.version)}`);
  const about = plugin.description === undefined ? "" : `  ${shortenWords(printable(plugin.description), output.room - NAME_WIDTH)}`;
  return `${style.bold(printable(plugin.name))}${version}${state === "" ? "" : `  ${color(state)}`}${about}`;
}

/** Formats one line: a tool's name and description. */
function toolLine(tool: ToolView, output: Output): string {
  const name = printable(tool.name);
  const room = output.room - Math.max(NAME_WIDTH, textWidth(name)) - INDENT.length - 1;
  // A skill whose name is qualified by a plugin runs on the plugin's route.
  const isOfPlugin = tool.source === "plugin" || (tool.source === "skill" && tool.qualifiedName.includes("."));
  const isNative = isOfPlugin && tool.route === "host";
  const native = !isNative ? "" : tool.confinement === "none" ? "UNCONFINED: " : "native: ";
  const assumed = tool.assumed === true ? `(${tool.class} is assumed) ` : "";
  const about = tool.unavailable === undefined ? native + assumed + tool.description : `(cannot be called) ${tool.description}`;
  return `${INDENT}${output.style.cyan(name + " ".repeat(Math.max(0, NAME_WIDTH - textWidth(name))))} ${output.style.dim(shortenWords(printable(about), room))}`;
}

/** Formats the names of tools, as many per line as fit. */
function nameLines(tools: readonly ToolView[], { columns, style }: Output): readonly string[] {
  const lines: string[] = [];
  for (const name of tools.map((tool) => printable(tool.name))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length + 2 * INDENT.length <= columns) lines.splice(-1, 1, `${last}, ${name}`);
    else lines.push(name);
  }
  return lines.map((line) => `${INDENT}${style.cyan(line)}`);
}

/** Formats why tools cannot be called, one entry per reason. Reasons are not shortened, because they end with advice. */
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

/** Formats tools whose bare name belongs to another plugin, so that they need the qualified name. */
export function yieldLines(tools: readonly ToolView[], { style }: Output): readonly string[] {
  return tools.flatMap(({ name, qualifiedName, yieldsTo }) =>
    yieldsTo === undefined
      ? []
      : [`${style.yellow("called as")} ${printable(qualifiedName)}: the name ${printable(name)} belongs to ${printable(yieldsTo)}`],
  );
}
