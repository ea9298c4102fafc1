/** `bascule types`: generates TypeScript declarations for a plugin. */

import { problemToText } from "../../../../manifests/mod.ts";
import { FileError } from "../../../platform/platform.ts";
import { TSCONFIG_ALIKE, TSCONFIG_FILE, TSCONFIG_TEXT } from "../../../plugins/types/tsconfig-text.ts";
import { compareTypes, type TypeFile, writeInFolder } from "../../../plugins/types/write-types.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins, type NamedFolder, shownFolder } from "../find-plugins.ts";
import { count, printable } from "../../../primitives/text.ts";

export const typesCommand: Command = {
  name: "types",
  summary: "Generate TypeScript types from plugin manifests",
  usage: "types [plugin...]",
  words: ["plugin"],
  details: [
    "`bascule.d.ts` declares the arguments and results of the plugin's tools, its settings and the context. Import them with `import type`.",
    "`bascule-globals.d.ts` declares exactly the globals that the sandbox provides for the requested permissions.",
    "`tsconfig.json` makes editors and `tsc` use these globals. It is written only if the folder has none. With a `deno.json` next to it, `deno check` uses it too.",
    "`bascule dev` writes the first two files on every reload. Neither is part of the plugin's digest.",
  ],
  examples: ["types", "types words", "types plugins/words --check", "types words --stdout"],
  options: [
    { name: "check", about: "Write nothing; exit with code 1 if a file is out of date" },
    { name: "stdout", about: "Write nothing; print the files of one plugin" },
  ],
  run: types,
};

/** Outcome for one file. */
interface FileReport {
  readonly file: string;
  readonly state: TypeFile["state"] | "written" | "failed";
  readonly reason?: string;
}

interface PluginReport {
  readonly plugin: string;
  readonly directory: string;
  readonly files: readonly FileReport[];
  readonly problems?: readonly string[];
}

async function types(context: CommandContext): Promise<number> {
  const { positionals, options, output } = context;
  if (options.has("check") && options.has("stdout")) throw usageError("--check and --stdout cannot be combined");
  const [first, ...others] = await findPlugins(context, positionals);
  if (options.has("stdout")) {
    if (others.length > 0)
      throw usageError("--stdout needs exactly one plugin", [`Example: ${output.program} types ${first.name} --stdout`]);
    return await show(context, first);
  }
  const reports: PluginReport[] = [];
  for (const plugin of [first, ...others]) {
    const report = await reportOf(context, plugin);
    for (const line of reportLines(report, plugin, context)) output.line(line);
    reports.push(report);
  }
  const bad = reports.filter((report) => !isGood(report)).length;
  output.line(`\n${count(reports.length - bad, "plugin")} good, ${bad} bad`);
  output.document({ ok: bad === 0, plugins: reports });
  return bad === 0 ? EXIT.ok : EXIT.failed;
}

async function show({ platform, output }: CommandContext, plugin: NamedFolder): Promise<number> {
  const { name, directory, manifest } = plugin;
  if (!manifest.ok) {
    const problems = manifest.problems.map(problemToText);
    output.note(`Invalid manifest of "${printable(name)}"\n${problems.map((problem) => `  ${printable(problem)}`).join("\n")}`);
    output.document({ ok: false, plugins: [{ plugin: name, directory, files: [], problems }] });
    return EXIT.failed;
  }
  const files = await compareTypes(platform, directory, manifest.manifest);
  for (const { name: file, text } of files) output.line(`// ${file}\n${text}`);
  output.document({ ok: true, plugins: [{ plugin: name, directory, files: files.map(({ name: file, text }) => ({ file, text })) }] });
  return EXIT.ok;
}

async function reportOf({ platform, options }: CommandContext, plugin: NamedFolder): Promise<PluginReport> {
  const { name, directory, manifest } = plugin;
  const about = { plugin: name, directory };
  if (!manifest.ok) return { ...about, files: [], problems: manifest.problems.map(problemToText) };
  const compared = await compareTypes(platform, directory, manifest.manifest);
  if (options.has("check")) return { ...about, files: compared.map(({ name: file, state }) => ({ file, state })) };
  const files: FileReport[] = [];
  for (const { name: file, text, state } of compared) {
    const mustWrite = state === "stale" || state === "missing";
    files.push(mustWrite ? await write(platform, directory, file, text) : { file, state });
  }
  if (await lacksTsconfig(platform, directory)) files.push(await write(platform, directory, TSCONFIG_FILE, TSCONFIG_TEXT));
  return { ...about, files };
}

async function write(
  ...[platform, directory, file, text]: [platform: CommandContext["platform"], directory: string, file: string, text: string]
): Promise<FileReport> {
  try {
    await writeInFolder(platform, directory, file, text);
    return { file, state: "written" };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { file, state: "failed", reason: error.message };
  }
}

async function lacksTsconfig({ files }: CommandContext["platform"], directory: string): Promise<boolean> {
  for (const name of TSCONFIG_ALIKE) if ((await files.lstat(`${directory}/${name}`)) !== undefined) return false;
  return true;
}

function isGood({ files, problems }: PluginReport): boolean {
  return problems === undefined && files.every(({ state }) => state === "fresh" || state === "written");
}

const STATES: Readonly<Record<FileReport["state"], string>> = {
  fresh: "",
  written: "written",
  stale: "is out of date (run without --check)",
  missing: "is missing (run without --check)",
  foreign: "is not a generated file, so it is not overwritten (rename it)",
  failed: "cannot be written",
};

function reportLines(report: PluginReport, plugin: NamedFolder, context: CommandContext): readonly string[] {
  const { style } = context.output;
  const mark = isGood(report) ? style.green("good") : style.red("bad ");
  const lines = [`${mark} ${style.bold(printable(report.plugin))}  ${style.dim(printable(shownFolder(context, plugin)))}`];
  for (const problem of report.problems ?? []) lines.push(`  ${style.red("error")} ${printable(problem)}`);
  for (const { file, state, reason } of report.files) {
    if (state !== "fresh") lines.push(`  ${file} ${STATES[state]}${reason === undefined ? "" : `: ${printable(reason)}`}`);
  }
  return lines;
}
