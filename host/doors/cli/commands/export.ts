/** `bascule export`: writes tools, or the permissions that plugins request, in the format of another program. */

import {
  type DenoExport,
  isJsonObject,
  type JsonObject,
  parseJson,
  type PermissionBases,
  problemToText,
  toDenoPermissions,
} from "../../../../manifests/mod.ts";
import { errorText } from "../../../platform/error-text.ts";
import { openPlaces } from "../../../project/places.ts";
import { FileError } from "../../../platform/platform.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { EXPORT_FORMATS } from "../../../tools/exports/mod.ts";
import { exportToolShapes } from "../export-tools.ts";
import { findPlugins, type NamedFolder } from "../find-plugins.ts";
import { wordMeant } from "../did-you-mean.ts";
import { absolutePath, parentOf, pathFrom, shellWord } from "../paths.ts";
import { printable } from "../../../primitives/text.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Export tools for a model API or framework, or permissions for Deno",
  usage: `export <${EXPORT_FORMATS.join("|")}> [tool...] | export deno [plugin...]`,
  words: [[...EXPORT_FORMATS, "deno"], "any"],
  details: [
    "Writes the tool list that the API takes. For ai-sdk and langchain, whose tools are objects, writes a program that creates them.",
    "Schema features that the target does not support are listed on stderr; the host still checks them.",
    "With deno, each plugin becomes a permission set of its name, for `deno run -P=<name>`. The set allows no more than the manifest requests.",
    "Permissions that Deno cannot express are left out and listed on stderr.",
    "With deno and --out, an existing file keeps everything but the sets of these plugins. Paths are relative to it.",
  ],
  examples: [
    "export openai",
    "export gemini words_peek --out=tools.json",
    "export ai-sdk --out=tools.mjs",
    "export deno",
    "export deno words --out=deno.json",
  ],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [{ name: "out", value: "file", about: "Write to this file instead of stdout" }],
  run: exportAs,
};

const MAX_BYTES = 1024 * 1024;

interface ExportedPlugin extends DenoExport {
  readonly plugin: string;
}

async function exportAs(context: CommandContext): Promise<number> {
  const { positionals } = context;
  const [format = "", ...names] = positionals;
  if (format === "deno") return await exportSets(context, names);
  const known = EXPORT_FORMATS.find((name) => name === format);
  if (known !== undefined) return await exportToolShapes(context, known, names);
  throw usageError(`Unknown export format "${format}"`, [wordMeant(format, ["deno", ...EXPORT_FORMATS])]);
}

async function exportSets(context: CommandContext, names: readonly string[]): Promise<number> {
  const { platform, options, output } = context;
  const { cwd } = platform.environment;
  const out = options.value("out");
  const file = out === undefined ? undefined : absolutePath(out, cwd);
  const folder = file === undefined ? cwd : parentOf(file);
  const bases = await basesOf(context);

  const exported: ExportedPlugin[] = [];
  for (const plugin of await findPlugins(context, names)) exported.push(exportPlugin(plugin, bases(plugin), folder));
  const sets = Object.fromEntries(exported.map(({ plugin, permissions }) => [plugin, permissions]));
  const config = file === undefined ? { permissions: sets } : await withSets(context, file, sets);
  const text = `${JSON.stringify(config, null, 2)}\n`;
  if (file === undefined) output.line(text.trimEnd());
  else await platform.files.writeAtomic(file, text);

  for (const { plugin, notes } of exported) for (const note of notes) output.note(`${printable(plugin)}: ${printable(note)}`);
  if (file !== undefined) {
    const shown = shellWord(pathFrom(cwd, file));
    output.line(`Written: ${shown}`);
    for (const { plugin } of exported) output.line(`  deno run --config ${shown} -P=${plugin} …`);
  }
  output.document({ ok: true, ...(file !== undefined && { file }), config, plugins: exported });
  return EXIT.ok;
}

function exportPlugin({ name, manifest }: NamedFolder, bases: PermissionBases, folder: string): ExportedPlugin {
  if (!manifest.ok) {
    throw new CliError("manifest", `Invalid manifest of "${printable(name)}"`, {
      hints: manifest.problems.map((problem) => printable(problemToText(problem))),
    });
  }
  return { plugin: name, ...toDenoPermissions(manifest.manifest.permissions, bases, (path) => pathFrom(folder, path)) };
}

/** Returns the folders that a plugin's permission items are relative to, as a host in this project resolves them. */
async function basesOf({ platform, project }: CommandContext): Promise<(plugin: NamedFolder) => PermissionBases> {
  const { workspace, folders } = await openPlaces(platform, { config: project.configFile ?? false, trust: "agreed" });
  return ({ name, directory }) => ({ ...folders, data: `${folders.data}/${name}`, base: directory, plugin: directory, workspace });
}

/** Returns the config file with these permission sets merged in. A missing file counts as empty. */
async function withSets({ platform }: CommandContext, file: string, sets: JsonObject): Promise<JsonObject> {
  const before = await readConfig(platform, file);
  const known = before["permissions"];
  if (known !== undefined && !isJsonObject(known)) throw broken(file, '"permissions" is not an object');
  return { ...before, permissions: { ...known, ...sets } };
}

async function readConfig({ files }: CommandContext["platform"], file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await files.readBytes(file, MAX_BYTES));
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return {};
    throw broken(file, errorText(error));
  }
  const parsed = parseJson(text, { maxBytes: MAX_BYTES, maxDepth: 64 });
  if (!parsed.ok) throw broken(file, parsed.problems.map(problemToText).join("; "));
  const { value } = parsed.value;
  if (!isJsonObject(value)) throw broken(file, "not a JSON object");
  return value;
}

function broken(file: string, why: string): CliError {
  return new CliError("file", `Cannot add to "${file}": ${why}`, {
    hints: ["A file with comments cannot be rewritten: export without --out and paste the sets"],
  });
}
