/** `bascule manifest`: writes the tools of a manifest from the plugin's code (SPEC AX1). */

import { TOOLS_FROM } from "../../../plugins/code/edit-manifest.ts";
import { MANIFEST_FILE } from "../../../plugins/folder/walk.ts";
import type { CodeReader } from "../../../plugins/code/code-reader.ts";
import { isFromCode, manifestText, syncManifest } from "../../../plugins/code/sync-manifest.ts";
import { FileError } from "../../../platform/platform.ts";
import { count, printable } from "../../../primitives/text.ts";
import { changedLines } from "../changed-lines.ts";
import { CliError, notFoundError, usageError } from "../cli-error.ts";
import { codeProblemLines, openCodeReader, writeCompared } from "../code-manifest.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins, type NamedFolder, shownFolder } from "../find-plugins.ts";

export const manifestCommand: Command = {
  name: "manifest",
  summary: "Write the tools of a manifest from the plugin's code",
  usage: "manifest [plugin...]",
  words: ["plugin"],
  details: [
    "Reads the functions that the main module exports, with their types and doc comments, and the tools of defineTool. Shows what would change in manifest.json.",
    `Without names: every plugin whose manifest has "${TOOLS_FROM}": "code". \`bascule dev\` keeps those in step. A plugin that is named gets that field.`,
    "Keeps the rest of the manifest as it is written. A field of a tool that the code does not declare keeps its value. Permissions are never written from code.",
  ],
  examples: ["manifest", "manifest demo --write", "manifest --check"],
  options: [
    { name: "write", about: "Write manifest.json, and the types that follow from it" },
    { name: "check", about: "Exit with code 1 if a manifest differs from its code" },
  ],
  run: manifest,
};

/** Outcome for one plugin. */
interface ManifestReport {
  readonly plugin: string;
  readonly directory: string;
  readonly changes: readonly string[];
  readonly written?: readonly string[];
  readonly problems?: readonly object[];
}

async function manifest(context: CommandContext): Promise<number> {
  const { options, output } = context;
  if (options.has("write") && options.has("check")) throw usageError("--write and --check cannot be combined");
  const reports: ManifestReport[] = [];
  const plugins = await pluginsFromCode(context);
  const reader = openCodeReader(context.platform);
  try {
    for (const plugin of plugins) reports.push(await reportOf(plugin, context, reader));
  } finally {
    await reader.close();
  }
  const failed = reports.filter(({ problems }) => problems !== undefined).length;
  const differing = reports.filter(({ changes, written }) => changes.length > 0 && written === undefined).length;
  const inStep = reports.length - failed - differing;
  output.line(`\n${count(inStep, "plugin")} in step, ${differing} to write, ${failed} with problems`);
  if (differing > 0) output.line(output.style.dim(`${output.program} manifest --write writes them`));
  const ok = failed === 0 && (differing === 0 || !options.has("check"));
  output.document({ ok, plugins: reports });
  return ok ? EXIT.ok : EXIT.failed;
}

const NAMES_CODE = new RegExp(`"${TOOLS_FROM}"\\s*:\\s*"code"`, "u");

async function pluginsFromCode(context: CommandContext): Promise<readonly NamedFolder[]> {
  const { platform, positionals, output } = context;
  const found = await findPlugins(context, positionals);
  if (positionals.length > 0) return found;
  const fromCode: NamedFolder[] = [];
  for (const plugin of found) {
    const text = await textOf(platform, plugin);
    // A manifest that is not JSON is shown with its problem, if it says so in its text.
    if (isFromCode(text) || (!plugin.manifest.ok && NAMES_CODE.test(text))) fromCode.push(plugin);
  }
  if (fromCode.length === 0)
    throw notFoundError(`No manifest has "${TOOLS_FROM}": "code"`, [
      `${output.program} manifest <plugin> shows one, and --write adds the field`,
    ]);
  return fromCode;
}

/** A manifest that cannot be read is the problem of other commands. */
async function textOf(platform: CommandContext["platform"], { directory }: NamedFolder): Promise<string> {
  try {
    return (await manifestText(platform, directory)) ?? "";
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return "";
  }
}

async function reportOf(plugin: NamedFolder, context: CommandContext, reader: CodeReader): Promise<ManifestReport> {
  const { platform, output, options, signal } = context;
  const { style } = output;
  const { name, directory } = plugin;
  const folder = shownFolder(context, plugin);
  const title = `${style.bold(printable(name))}  ${style.dim(printable(`${folder}/${MANIFEST_FILE}`))}`;
  const compared = await syncManifest(platform, directory, reader, signal);
  if (compared.kind === "problems") {
    output.line(`${style.red("bad ")} ${title}`);
    for (const line of await codeProblemLines(compared.problems, { platform, output, directory, folder })) output.line(`  ${line}`);
    return { plugin: name, directory, changes: [], problems: compared.problems };
  }
  const { before, after, changes } = compared;
  const written = options.has("write") ? await write(context, plugin, compared) : [];
  output.line(`${changes.length === 0 || written.length > 0 ? style.green("good") : style.yellow("diff")} ${title}`);
  if (after !== before) for (const line of changedLines(before, after, style)) output.line(`  ${line}`);
  if (written.length > 0) output.line(`  wrote ${written.join(", ")}`);
  return { plugin: name, directory, changes, ...((written.length > 0 || changes.length === 0) && { written }) };
}

async function write(
  context: CommandContext,
  plugin: NamedFolder,
  compared: Parameters<typeof writeCompared>[2],
): Promise<readonly string[]> {
  try {
    return await writeCompared(context.platform, plugin.directory, compared);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new CliError("write", `Cannot write in "${printable(shownFolder(context, plugin))}": ${error.message}`, {
      exitCode: EXIT.failed,
    });
  }
}
