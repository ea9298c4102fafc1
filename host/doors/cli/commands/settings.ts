/** `bascule settings`: shows and changes the settings of a plugin (SPEC G1). */

import { problemToText } from "../../../../manifests/mod.ts";
import type { SettingField, SettingsView } from "../../../plugins/settings/plugin-settings.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { nameTable } from "../table.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pathFrom } from "../paths.ts";
import { printable } from "../../../primitives/text.ts";

export const settingsCommand: Command = {
  name: "settings",
  summary: "Show or change the settings of a plugin",
  usage: "settings <plugin> [key [value]]",
  words: ["plugin", []],
  details: [
    "A key is `enabled`, `tools.<tool>.enabled`, or one of the plugin's own settings. Separate nested keys with dots.",
    "The plugin's settingsSchema determines the type of a value. Write lists and objects as JSON.",
    "Settings are kept in .bascule/settings/<plugin>.json. A running host applies edits to that file.",
  ],
  examples: ["settings words", "settings words enabled false", "settings words tools.grep.enabled false", "settings words limit --unset"],
  positionals: { min: 1, max: 3 },
  options: [{ name: "unset", about: "Remove the key, so that its default applies again" }],
  run: (context) => withHost(context, (host) => settings(context, host)),
};

async function settings(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, positionals, options } = context;
  const [plugin = "", key, text] = positionals;
  const unset = options.has("unset");
  if (unset && (key === undefined || text !== undefined)) throw usageError("--unset needs a key and no value");
  const isChange = key !== undefined && (text !== undefined || unset);
  const view = await host.operations.settings(plugin, isChange ? { key, ...(text !== undefined && { text }) } : undefined);
  const shown = isChange || key === undefined ? view : { ...view, fields: view.fields.filter((field) => field.key === key) };
  if (key !== undefined && !isChange && shown.fields.length === 0 && key !== "enabled")
    throw usageError(`Plugin "${plugin}" has no setting "${key}"`, [`${output.program} settings ${plugin} lists all settings`]);
  if (isChange) output.line(`${unset ? "Unset" : "Set"} ${printable(key)} of ${printable(plugin)}`);
  for (const line of key === undefined || isChange ? everything(shown, context) : oneSetting(shown, key)) output.line(line);
  output.document({ ok: true, settings: view });
  return 0;
}

function oneSetting(view: SettingsView, key: string): readonly string[] {
  const [field] = view.fields;
  return [field === undefined || key === "enabled" ? String(view.enabled) : valueText(field)];
}

function everything(view: SettingsView, { output, platform }: CommandContext): readonly string[] {
  const { style } = output;
  const file = printable(pathFrom(platform.environment.cwd, view.file));
  const rows: (readonly [string, string])[] = [
    ["enabled", String(view.enabled)],
    ...view.disabledTools.map((tool): readonly [string, string] => [`tools.${printable(tool)}.enabled`, "false"]),
    ...view.fields.map((field): readonly [string, string] => [printable(field.key), `${valueText(field)}${style.dim(aboutText(field))}`]),
  ];
  return [
    style.dim(view.exists ? file : `${file} (not found: nothing is set)`),
    ...nameTable(rows, style, { columns: output.room }),
    ...view.problems.map((problem) => `  ${style.red("wrong")} ${printable(problemToText(problem))}`),
    ...(view.problems.length > 0 ? ["  The last valid settings stay in force, if there were any"] : []),
  ];
}

function valueText({ value }: SettingField): string {
  return value === undefined ? "(not set)" : printable(JSON.stringify(value));
}

function aboutText({ isSet, type, description }: SettingField): string {
  const facts = [...(isSet ? [] : ["default"]), ...(type === undefined ? [] : [printable(type)])].join(", ");
  return `  ${facts === "" ? "" : `(${facts})`}${description === undefined ? "" : ` ${printable(description)}`}`;
}
