/** `bascule init`: creates a working plugin from a template. */

import { checkPluginName } from "../../../../manifests/mod.ts";
import { orUndefined } from "../../../platform/or-undefined.ts";
import type { Files } from "../../../platform/platform.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { table } from "../help.ts";
import { absolutePath, parentOf, pathFrom } from "../paths.ts";
import { pluginRoots } from "../plugin-roots.ts";
import { schemaFrom } from "../schema-path.ts";
import { templateFiles, templateTool } from "../template.ts";
import type { TrustedProject } from "../../../project/trust/project-trust.ts";
import { openTrusted } from "../trust.ts";

const IGNORE_LINE = ".bascule/";
const OTHERS_WRITE = 0o002;

export const initCommand: Command = {
  name: "init",
  summary: "Create a working plugin from a template",
  usage: "init <name>",
  details: ["Creates the plugin in the project's first plugin folder: plugins/, unless bascule.json names another."],
  examples: ["init demo"],
  positionals: { min: 1, max: 1 },
  options: [],
  run: init,
};

async function init(context: CommandContext): Promise<number> {
  const { platform, project, output, positionals } = context;
  const { files, environment } = platform;
  const [name = ""] = positionals;
  const wrong = checkPluginName(name);
  if (wrong !== undefined) throw usageError(wrong, [`Example: ${output.program} init ${suggestName(name)}`]);

  const trusted = await openTrusted(context);
  const isFresh = await isFreshFolder(context, trusted);
  const [root = `${project.root}/plugins`] = await pluginRoots(platform, project);
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
  const texts = templateFiles({ plugin: name, program: output.program, sample, ...(schema === undefined ? {} : { schema }) });
  await writeAll(files, folder, texts);
  const ignored = await ignoreState(files, project.root);
  if (isFresh) await trusted.trust.agreeToAll(true);

  const { style, program } = output;
  const tool = templateTool(name);
  output.line(`${style.green("Wrote")} ${style.bold(`${shown}/`)}`);
  for (const line of table(
    [...texts.keys()].map((path): readonly [string, string] => [path, ABOUT[path] ?? ""]),
    style,
  ))
    output.line(line);
  if (ignored) output.line(`${style.green("Added")} ${IGNORE_LINE} to .gitignore: grants apply to this machine only`);
  output.line(`\n${style.bold("Next")}`);
  const steps: readonly (readonly [string, string])[] = [
    [`${program} dev`, "serve it and reload it on every edit"],
    [`${program} call ${tool} path=${sample}`, "in another terminal: denied, because nothing is granted yet"],
    [`${program} grant ${name} --allow-read=.`, "let it read this folder, then call it again"],
  ];
  for (const line of table(steps, style)) output.line(line);
  output.document({ ok: true, plugin: name, directory: folder, files: [...texts.keys()], tool, next: steps.map(([command]) => command) });
  return EXIT.ok;
}

const ABOUT: Readonly<Record<string, string>> = {
  "manifest.json": "name, version, tools and requested permissions",
  "main.ts": "the tool: an exported function",
  "bascule.d.ts": "types of arguments and results, generated from the manifest",
  "bascule-globals.d.ts": "types of the sandbox's globals, generated from the manifest",
  "tsconfig.json": "limits editors to the sandbox's types",
  "main.test.ts": "tests of the code, for `bascule test` and `deno test`",
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

/**
 * Returns true if the user starts the project here and files cannot come from others: no plugins, no trust requests, no version control
 * with a remote, no folder that other users can write to. Later trust requests are then the user's own (SPEC P1).
 */
async function isFreshFolder(
  { platform: { files }, project: { root, configFile } }: CommandContext,
  { trust }: TrustedProject,
): Promise<boolean> {
  const plugins = absolutePath("plugins", root);
  if (configFile !== undefined || trust.withheld().length > 0) return false;
  if ((await files.lstat(plugins)) !== undefined && (await files.list(plugins)).length > 0) return false;
  if (((await files.stat(root))?.mode ?? 0) & OTHERS_WRITE) return false;
  for (let folder = root; ; folder = parentOf(folder)) {
    for (const name of [".hg", ".svn", ".jj"]) if ((await files.lstat(absolutePath(name, folder))) !== undefined) return false;
    if (await isFetchedByGit(files, absolutePath(".git", folder))) return false;
    if (parentOf(folder) === folder) return true;
  }
}

/** Returns false for a repository without a remote: its files are the user's own. */
async function isFetchedByGit(files: Files, place: string): Promise<boolean> {
  if ((await files.lstat(place)) === undefined) return false;
  const config = await orUndefined(files.readText(`${place}/config`));
  return config === undefined || /^\s*\[\s*(?:remote|include)/imu.test(config);
}

/** Adds `.bascule/` to `.gitignore`. @returns false if the line exists already */
async function ignoreState(files: Files, root: string): Promise<boolean> {
  const path = `${root}/.gitignore`;
  const before = (await files.stat(path)) === undefined ? "" : await files.readText(path);
  const lines = before.split(/\r?\n/u).map((line) => line.trim());
  if ([".bascule/", ".bascule", "/.bascule/", "/.bascule"].some((line) => lines.includes(line))) return false;
  await files.writeAtomic(path, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${IGNORE_LINE}\n`);
  return true;
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
