/** Advice for a call that failed: names that may be meant, and a newer version that does not serve yet. */

import type { RawArguments } from "../../call/argument-text.ts";
import type { ToolFailure } from "../../call/call.ts";
import type { Operations, PluginView } from "../operations.ts";
import { nearestName } from "../../tools/nearest.ts";
import { isJsonObject } from "../../../manifests/mod.ts";
import { didYouMean } from "./did-you-mean.ts";
import { printable } from "../../primitives/text.ts";

/** Advice for the name of a tool that nothing is similar to. */
export function listAdvice(program: string): string {
  return `${program} list --all shows all tools`;
}

/** Returns lines of advice; none if nothing is similar. */
export async function namesMeant(
  { error, tool }: ToolFailure,
  args: RawArguments,
  operations: Pick<Operations, "info" | "list">,
  program: string,
): Promise<readonly string[]> {
  if (error.code === "tool_not_found") return toolMeant(tool, await operations.list(), program);
  const info = await operations.info(tool);
  if (info.kind !== "tool") return [];
  const older = info.plugin.held === undefined && info.plugin.state !== "stale" ? [] : [olderVersion(info.plugin, program)];
  if (error.code !== "invalid_args" || !isJsonObject(args)) return older;
  return [...argumentsMeant(Object.keys(args), (info.tool.checks ?? info.tool).inputSchema["properties"]), ...older];
}

/** The code in the folder may be right already, while an earlier version answers. */
function olderVersion({ name, version, held }: PluginView, program: string): string {
  const plugin = printable(name);
  return `An earlier version of ${plugin} answered (${printable(version ?? "")}): ${
    held === undefined
      ? `the newest does not load (${program} list ${plugin} shows why)`
      : `the newest waits to be accepted (${program} accept ${plugin})`
  }`;
}

function toolMeant(wanted: string, plugins: readonly PluginView[], program: string): readonly string[] {
  const names = plugins.flatMap(({ tools }) => tools.map(({ name }) => name));
  const broken = plugins.filter(({ state, held }) => state === "failed" || state === "stale" || held !== undefined);
  return [
    ...[didYouMean(wanted, names, "")].filter((line) => line !== ""),
    // The tool may belong to a version that does not load or is not accepted.
    ...(broken.length === 0
      ? []
      : [`Not loaded or not up to date: ${broken.map(({ name }) => printable(name)).join(", ")} (${program} list shows why)`]),
  ];
}

function argumentsMeant(given: readonly string[], properties: unknown): readonly string[] {
  const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return given
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const near = nearestName(name, known);
      return near === undefined ? [] : [`Unknown argument "${printable(name)}": did you mean "${printable(near)}"?`];
    });
}
