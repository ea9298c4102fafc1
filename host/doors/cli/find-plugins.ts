/** Finds the plugin folders that a command names. */

import { discover, pathOf } from "../../plugins/folder/discover.ts";
import { type ManifestRead, readManifest } from "../../plugins/types/read-manifest.ts";
import { wordMeant } from "./did-you-mean.ts";
import { notFoundError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { absolutePath, nameOf, pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";

/** A folder with a manifest, valid or not. */
export interface NamedFolder {
  /** Name from the manifest, or else the folder's name. */
  readonly name: string;
  /** Path as found. */
  readonly path: string;
  /** Real path, with links resolved. */
  readonly directory: string;
  readonly manifest: Exclude<ManifestRead, undefined>;
}

/**
 * Finds the plugins with these names (name in the manifest, or path of the folder), or all plugins of the project.
 *
 * @throws {CliError} if a plugin does not exist, or the project has none
 */
export async function findPlugins(context: CommandContext, names: readonly string[]): Promise<readonly [NamedFolder, ...NamedFolder[]]> {
  const found = names.length === 0 ? await allPlugins(context) : await namedPlugins(context, names);
  const [first, ...rest] = found;
  if (first !== undefined) return [first, ...rest];
  throw notFoundError("No plugins found", [`${context.output.program} init <name> creates one`]);
}

async function namedPlugins(context: CommandContext, names: readonly string[]): Promise<readonly NamedFolder[]> {
  const { platform, output } = context;
  const all = await allPlugins(context);
  const found = new Map<string, NamedFolder>();
  for (const name of names) {
    const meant = all.find((plugin) => plugin.name === name) ?? (await pluginAt(context, absolutePath(name, platform.environment.cwd)));
    if (meant === undefined) {
      throw notFoundError(`Unknown plugin "${name}"`, [adviceOn(name, all, output.program)]);
    }
    found.set(meant.directory, meant);
  }
  return [...found.values()];
}

function adviceOn(name: string, all: readonly NamedFolder[], program: string): string {
  const names = all.map((plugin) => plugin.name);
  return names.length === 0 ? `${program} init <name> creates one` : wordMeant(name, names);
}

async function allPlugins(context: CommandContext): Promise<readonly NamedFolder[]> {
  const { platform, project, output } = context;
  const roots = await pluginRoots(platform, project);
  const there: string[] = [];
  for (const root of roots) if ((await platform.files.stat(root))?.kind === "directory") there.push(root);
  const { folders, notices } = await discover(platform.files, there);
  for (const notice of notices) output.note(notice);
  const plugins: NamedFolder[] = [];
  for (const { place, ignored } of folders) {
    const plugin = ignored === undefined ? await pluginAt(context, pathOf(place)) : undefined;
    if (plugin !== undefined) plugins.push(plugin);
  }
  return plugins;
}

/** Reads the plugin at a path. @returns undefined if the path is not a folder with a manifest */
async function pluginAt({ platform }: CommandContext, path: string): Promise<NamedFolder | undefined> {
  if ((await platform.files.stat(path))?.kind !== "directory") return undefined;
  const directory = await platform.files.realPath(path);
  const manifest = await readManifest(platform, directory);
  if (manifest === undefined) return undefined;
  return { name: manifest.ok ? manifest.manifest.name : nameOf(path), path, directory, manifest };
}

/** Returns the folder relative to the working directory. */
export function shownFolder({ platform }: CommandContext, { path }: NamedFolder): string {
  return pathFrom(platform.environment.cwd, path);
}
