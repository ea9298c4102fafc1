/** `bascule info`: shows the details of one plugin or tool. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../../manifests/mod.ts";
import type { PluginView, ToolView } from "../../operations.ts";
import type { Command, CommandContext } from "../command.ts";
import { nameTable } from "../table.ts";
import { type HostAccess, serversFor, withHost } from "../host-access.ts";
import type { Output } from "../output.ts";
import { pathFrom } from "../paths.ts";
import { permissionText } from "../permission-text.ts";
import { exampleCall } from "../example-call.ts";
import { pluginLines, protectedText, type ReaderPlace } from "../plugin-text.ts";
import { routeText } from "../../../policy/explain.ts";
import { printable, wrapWords } from "../../../primitives/text.ts";

export const infoCommand: Command = {
  name: "info",
  summary: "Show details of a plugin or tool",
  usage: "info <plugin|tool>",
  words: ["any"],
  examples: ["info words", "info grep", "info words.grep"],
  positionals: { min: 1, max: 1 },
  options: [],
  run: (context) => withHost(context, (host) => info(context, host), { servers: serversFor(context.positionals[0] ?? "") }),
};

async function info(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals } = context;
  const answer = await host.operations.info(positionals[0] ?? "");
  const { workspace } = await host.operations.status();
  const place = { cwd: platform.environment.cwd, workspace };
  const lines =
    answer.kind === "tool" ? toolDetails(answer.tool, answer.plugin, output, place) : pluginDetails(answer.plugin, output, place);
  for (const line of lines) output.line(line);
  output.document({ ok: true, ...answer });
  return 0;
}

function pluginDetails(plugin: PluginView, output: Output, place: ReaderPlace): readonly string[] {
  const facts: (readonly [string, string])[] = [];
  if (plugin.directory !== undefined) facts.push(["folder", printable(pathFrom(place.cwd, plugin.directory))]);
  if (plugin.digest !== undefined) facts.push(["digest", plugin.digest]);
  facts.push(["requests", permissionText(plugin.requested, place.cwd)], ["granted", permissionText(plugin.granted, place.cwd)]);
  if (plugin.limits.length > 0) facts.push(["limits", plugin.limits.map(({ text }) => text).join("; ")]);
  return [...pluginLines(plugin, output, place), "", ...nameTable(facts, output.style, { columns: output.room })];
}

function toolDetails(tool: ToolView, plugin: PluginView, output: Output, place: ReaderPlace): readonly string[] {
  const { style } = output;
  const facts: (readonly [string, string])[] = [
    ["tool", `${printable(tool.qualifiedName)}  (${tool.source})`],
    [
      "class",
      `${tool.class}${tool.assumed === true ? " (assumed: the manifest declares no side effects)" : ""}${tool.destructive ? ", destructive" : ""}`,
    ],
  ];
  facts.push(["route", routeText(tool)]);
  if (tool.protected !== undefined) facts.push(["never", protectedText(tool.protected)]);
  if (tool.unavailable !== undefined) facts.push(["state", style.red(`cannot be called: ${printable(tool.unavailable)}`)]);
  if (plugin.directory !== undefined) facts.push(["granted", permissionText(plugin.granted, place.cwd)]);
  return [
    ...wrapWords(`${style.bold(printable(tool.name))}  ${printable(tool.description)}`, output.room),
    "",
    ...nameTable(facts, style, { columns: output.room }),
    "",
    style.bold("Arguments"),
    ...argumentLines((tool.checks ?? tool).inputSchema, output),
    ...(tool.checks === undefined ? [] : [`  ${output.program} info --json shows the tool's own schema, which may be stricter`]),
    "",
    style.bold("Example"),
    `  ${exampleCall(tool, output.program)}`,
  ];
}

function argumentLines(schema: JsonObject, output: Output): readonly string[] {
  const { properties, required } = schema;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return ["  none"];
  const rows = Object.entries(properties as JsonObject).map(([name, property]): readonly [string, string] => {
    const description = isJsonObject(property) ? property["description"] : undefined;
    const needed = Array.isArray(required) && required.includes(name) ? "" : ", optional";
    return [
      printable(name),
      printable(`${kindsOf(property).join(" | ")}${needed}${typeof description === "string" ? `  ${description}` : ""}`),
    ];
  });
  return rows.length === 0 ? ["  none"] : nameTable(rows, output.style, { columns: output.room });
}

/** Names the kinds of values that a schema accepts; those of the branches of a union once each. */
function kindsOf(schema: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(schema)) return ["anything"];
  const { type, enum: values, const: only, anyOf, oneOf } = schema;
  if (only !== undefined) return [JSON.stringify(only)];
  if (isJsonArray(values)) return values.map((value) => JSON.stringify(value));
  if (isJsonArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  const branches = isJsonArray(anyOf) ? anyOf : isJsonArray(oneOf) ? oneOf : [];
  const kinds = new Set(branches.flatMap(kindsOf));
  return kinds.size === 0 || kinds.has("anything") ? ["anything"] : [...kinds];
}
