/** Finds the project of a command. */

import type { ClientPlatform } from "../../platform/platform.ts";
import { notFoundError } from "./cli-error.ts";
import { absolutePath, parentOf } from "./paths.ts";

/** Paths of the project, absolute. */
export interface Project {
  /** The folder with `bascule.json`, or the working directory. */
  readonly root: string;
  /** Path of `bascule.json`, if it exists. */
  readonly configFile?: string;
  /** Path of `.bascule`, which holds grants and the socket. Not for version control. */
  readonly stateDirectory: string;
}

const CONFIG_NAME = "bascule.json";

/**
 * Finds the project: the folder of `--config`, else the nearest folder upwards with a `bascule.json`, else the
 * working directory (SPEC P1).
 *
 * @throws {CliError} if the file of `config` does not exist
 */
export async function findProject(platform: ClientPlatform, config: string | undefined): Promise<Project> {
  const { cwd } = platform.environment;
  const configFile = config === undefined ? await nearestConfig(platform, cwd) : await namedConfig(platform, absolutePath(config, cwd));
  const root = configFile === undefined ? cwd : parentOf(configFile);
  const stateDirectory = root === "/" ? "/.bascule" : `${root}/.bascule`;
  return configFile === undefined ? { root, stateDirectory } : { root, configFile, stateDirectory };
}

async function nearestConfig(platform: ClientPlatform, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = parentOf(folder)) {
    const file = folder === "/" ? `/${CONFIG_NAME}` : `${folder}/${CONFIG_NAME}`;
    if ((await platform.files.stat(file))?.kind === "file") return file;
    if (parentOf(folder) === folder) return undefined;
  }
}

/** Returns the nearest parent folder with a `.bascule` folder, for a project without `bascule.json`; otherwise undefined. */
export async function usedAbove(platform: ClientPlatform, { root, configFile }: Project): Promise<string | undefined> {
  if (configFile !== undefined) return undefined;
  for (let folder = parentOf(root), below = root; folder !== below; below = folder, folder = parentOf(folder)) {
    if ((await platform.files.stat(folder === "/" ? "/.bascule" : `${folder}/.bascule`))?.kind === "directory") return folder;
  }
  return undefined;
}

async function namedConfig(platform: ClientPlatform, file: string): Promise<string> {
  if ((await platform.files.stat(file))?.kind !== "file")
    throw notFoundError(`File "${file}" not found (from --config)`, ["Give the path of a bascule.json"]);
  return file;
}
