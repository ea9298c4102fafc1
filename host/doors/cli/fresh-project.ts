/** A project that begins here: which folder counts as fresh, and the plugins that it starts with (SPEC DI1). */

import { orUndefined } from "../../platform/or-undefined.ts";
import type { Files } from "../../platform/platform.ts";
import type { TrustedProject } from "../../project/trust/project-trust.ts";
import type { CommandContext } from "./command.ts";
import { withHost } from "./host-access.ts";
import { absolutePath, parentOf, pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";
import { placeShipped, STARTERS } from "./shipped-plugins.ts";
import { openTrusted } from "./trust.ts";

const IGNORE_LINE = ".bascule/";
const OTHERS_WRITE = 0o002;

/**
 * Copies the first plugins into a project that has no plugin folder and no `bascule.json`, and prints what was written.
 *
 * Returns false, and does nothing, if the project has begun already.
 *
 * @param isAsked true if the user asks for it: then it may have a `bascule.json` or an empty plugin folder
 */
export async function startProject(context: CommandContext, isAsked: boolean): Promise<boolean> {
  const { platform, project, output } = context;
  const { files, environment } = platform;
  const root = await firstRoot(context);
  if (project.configFile !== undefined && !isAsked) return false;
  if ((await files.lstat(root)) !== undefined && !(isAsked && (await files.list(root)).length === 0)) return false;
  const trusted = await openTrusted(context);
  const isFresh = await isFreshFolder(context, trusted);
  // A host watches only folders that exist when it starts.
  await files.makeDirectory(root);
  await withHost(context, async (host) => {
    for (const name of STARTERS) await placeShipped(context, host, { name, folder: `${root}/${name}` });
  });
  if (isFresh) await trusted.trust.agreeToAll(true);
  const { style } = output;
  const shown = pathFrom(environment.cwd, root);
  output.line(`${style.green("Wrote")} ${STARTERS.map((name) => style.bold(`${shown}/${name}/`)).join(" and ")}`);
  if (await ignoreState(files, project.root)) output.line(ignoredText(context));
  return true;
}

/** Returns the folder that new plugins are written to. */
export async function firstRoot({ platform, project }: Pick<CommandContext, "platform" | "project">): Promise<string> {
  const [root = `${project.root}/plugins`] = await pluginRoots(platform, project);
  return root;
}

/** Line to print after `.gitignore` was changed. */
export function ignoredText({ output }: Pick<CommandContext, "output">): string {
  return `${output.style.green("Added")} ${IGNORE_LINE} to .gitignore: grants apply to this machine only`;
}

/**
 * Returns true if the user starts the project here and files cannot come from others: no plugins, no trust requests, no version control
 * with a remote, no folder that other users can write to. Later trust requests are then the user's own (SPEC P1).
 */
export async function isFreshFolder(
  { platform: { files }, project: { root, configFile } }: Pick<CommandContext, "platform" | "project">,
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
export async function ignoreState(files: Files, root: string): Promise<boolean> {
  const path = `${root}/.gitignore`;
  const before = (await files.stat(path)) === undefined ? "" : await files.readText(path);
  const lines = before.split(/\r?\n/u).map((line) => line.trim());
  if ([".bascule/", ".bascule", "/.bascule/", "/.bascule"].some((line) => lines.includes(line))) return false;
  await files.writeAtomic(path, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${IGNORE_LINE}\n`);
  return true;
}
