/** `bascule init`: creates a working plugin from a template. */

import { checkPluginName } from "../../../../manifests/mod.ts";
import type { Files } from "../../../platform/platform.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { firstRoot, ignoredText, ignoreState, isFreshFolder, startProject } from "../fresh-project.ts";
import { parentOf, pathFrom } from "../paths.ts";
import { nameTable, stepLines } from "../table.ts";
import { schemaFrom } from "../schema-path.ts";
import { BUILTIN_PREFIX, STARTERS } from "../shipped-plugins.ts";
import { shippedTemplateFiles, shippedTemplates } from "../shipped-templates.ts";
import { templateFiles, templateTool } from "../template.ts";
import { openTrusted } from "../trust.ts";

export const initCommand: Command = {
  name: "init",
  summary: "Start a project, or create a working plugin from a template",
  usage: "init [name]",
  details: [
    `Without a name, in a folder without plugins: copies the plugins ${STARTERS.join(" and ")}, which ship with bascule, to try it.`,
    "Creates the plugin in the project's first plugin folder: plugins/, unless bascule.json names another.",
    "With --template, copies one of the templates for common kinds of plugin; `--template=list` lists them. Their tools are written in TypeScript only: `bascule dev` writes them into the manifest.",
  ],
  examples: ["init", "init demo", "init weather --template=http-api", "init --template=list"],
  positionals: { min: 0, max: 1 },
  options: [{ name: "template", value: "name", about: "Template to copy: text, read-files, http-api, …" }],
  run: init,
};

async function init(context: CommandContext): Promise<number> {
  const { platform, project, output, positionals, options } = context;
  const { files, environment } = platform;
  const [name = ""] = positionals;
  const template = options.value("template");
  if (template === "list") return await listTemplates(context);
  if (positionals.length === 0 && template === undefined && (await startProject(context, true))) return await showStarters(context);
  if (positionals.length === 0)
    throw usageError("Expected the name of the plugin", [
      `Example: ${output.program} init demo`,
      `${output.program} add ${BUILTIN_PREFIX} lists the plugins that ship`,
    ]);
  const wrong = checkPluginName(name);
  if (wrong !== undefined) throw usageError(wrong, [`Example: ${output.program} init ${suggestName(name)}`]);

  const trusted = await openTrusted(context);
  const isFresh = await isFreshFolder(context, trusted);
  const root = await firstRoot(context);
  const folder = `${root}/${name}`;
  const shown = pathFrom(environment.cwd, folder);
  if ((await files.lstat(folder)) !== undefined) {
    throw new CliError("exists", `"${shown}" already exists`, {
      exitCode: EXIT.failed,
      hints: ["Choose another name, or remove it first"],
    });
  }
  const sample = await sampleFile(files, project.root, pathFrom(project.root, folder));
  const schema = await schemaFrom(files, folder, project.root);
  const given = { plugin: name, program: output.program, ...(schema === undefined ? {} : { schema }) };
  const texts = template === undefined ? templateFiles({ ...given, sample }) : await shippedTemplateFiles(platform, template, given);
  await writeAll(files, folder, texts);
  const ignored = await ignoreState(files, project.root);
  if (isFresh) await trusted.trust.agreeToAll(true);

  const { style, program } = output;
  const tool = template === undefined ? templateTool(name) : undefined;
  output.line(`${style.green("Wrote")} ${style.bold(`${shown}/`)}`);
  for (const line of nameTable(
    [...texts.keys()].map((path): readonly [string, string] => [path, ABOUT[path] ?? ""]),
    style,
    { columns: output.room },
  ))
    output.line(line);
  if (ignored) output.line(ignoredText(context));
  output.line(`\n${style.bold("Next")}`);
  const steps: readonly (readonly [string, string])[] = [
    [`${program} dev`, "serve it and reload it on every edit"],
    ...(tool === undefined
      ? ([
          [`${program} test ${name}`, "in another terminal: run its cases and tests"],
          [`cat ${shown}/README.md`, "grants and calls to try"],
        ] as const)
      : ([
          [`${program} call ${tool} path=${sample}`, "in another terminal: denied, because nothing is granted yet"],
          [`${program} grant ${name} --allow-read=.`, "let it read this folder, then call it again"],
        ] as const)),
  ];
  for (const line of stepLines(steps, output)) output.line(line);
  output.document({
    ok: true,
    plugin: name,
    directory: folder,
    files: [...texts.keys()],
    ...(tool !== undefined && { tool }),
    next: steps.map(([command]) => command),
  });
  return EXIT.ok;
}

/** Shows a call that works at once, and one that needs a grant. */
async function showStarters(context: CommandContext): Promise<number> {
  const { output, project } = context;
  const { style, program } = output;
  const sample = pathFrom(project.root, `${await firstRoot(context)}/words/README.md`);
  const steps: readonly (readonly [string, string])[] = [
    [`${program} call calculate expression="sqrt(2) * 10"`, "a tool that needs no grant"],
    [`${program} call word_count path=${sample}`, "denied, because nothing is granted yet"],
    [`${program} grant words --allow-read=.`, "let words read this folder, then call it again"],
    [`${program} init demo`, "write your own plugin"],
    [`${program} dev`, "serve the plugins, and reload them on every edit"],
    [`${program} add ${BUILTIN_PREFIX}`, "see which plugins ship besides these"],
  ];
  output.line(`\n${style.bold("Next")}`);
  for (const line of stepLines(steps, output)) output.line(line);
  output.document({ ok: true, plugins: STARTERS, next: steps.map(([command]) => command) });
  return EXIT.ok;
}

async function listTemplates({ platform, output }: CommandContext): Promise<number> {
  const templates = await shippedTemplates(platform);
  for (const line of nameTable(
    templates.map(({ name, description }) => [name, description] as const),
    output.style,
    { indent: "", columns: output.room },
  ))
    output.line(line);
  output.document({ ok: true, templates });
  return EXIT.ok;
}

const ABOUT: Readonly<Record<string, string>> = {
  "manifest.json": "name, version, tools and requested permissions",
  "main.ts": "the tool: an exported function",
  "bascule.d.ts": "types of arguments and results, generated from the manifest",
  "bascule-globals.d.ts": "types of the sandbox's globals, generated from the manifest",
  "tsconfig.json": "limits editors to the sandbox's types",
  "main.test.ts": "tests of the code, which `test` and `deno test` run",
  "cases/peek.json": "expected results of the tool",
  "README.md": "how to try it",
};

async function writeAll(files: Files, folder: string, texts: ReadonlyMap<string, string>): Promise<void> {
  // Write the manifest last: until it exists, a watching host does not see a half-written plugin.
  const entries = [...texts].sort(([left], [right]) => Number(left === "manifest.json") - Number(right === "manifest.json"));
  for (const [path, text] of entries) {
    await files.makeDirectory(parentOf(`${folder}/${path}`));
    await files.writeAtomic(`${folder}/${path}`, text);
  }
}

/** Returns an existing file to try the tool on: the project's README, or the new plugin's. */
async function sampleFile(files: Files, root: string, plugin: string): Promise<string> {
  return (await files.stat(`${root}/README.md`))?.kind === "file" ? "README.md" : `${plugin}/README.md`;
}

/** Derives a valid plugin name from the input: `My Plugin` becomes `my-plugin`. */
function suggestName(written: string): string {
  const name = written
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^[^a-z]+|-+$/gu, "")
    .slice(0, 63);
  return checkPluginName(name) === undefined ? name : "my-plugin";
}
