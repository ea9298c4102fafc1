/** Which project a command is about. */

import type { Platform } from "../../platform/platform.ts";
import { notFoundError } from "./cli-error.ts";
import { absolutePath, parentOf } from "./paths.ts";

/** The project's places, absolute. */
export interface Project {
  /** The folder with `bascule.json`, or the working directory. */
  readonly root: string;
  /** `bascule.json`, if there is one. */
  readonly configFile?: string;
  /** `.bascule`: grants, socket; not for git. */
  readonly stateDirectory: string;
}

const CONFIG_NAME = "bascule.json";

/**
 * Finds the project: the folder of `--config`, else the nearest folder upwards that has a `bascule.json`, else the
 * working directory (SPEC P1).
 *
 * @throws {CliError} if `config` names no file.
 */
export async function findProject(platform: Platform, config: string | undefined): Promise<Project> {
  const { cwd } = platform.environment;
  const configFile = config === undefined ? await nearestConfig(platform, cwd) : await namedConfig(platform, absolutePath(config, cwd));
  const root = configFile === undefined ? cwd : parentOf(configFile);
  const stateDirectory = root === "/" ? "/.bascule" : `${root}/.bascule`;
  return configFile === undefined ? { root, stateDirectory } : { root, configFile, stateDirectory };
}

async function nearestConfig(platform: Platform, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = parentOf(folder)) {
    const file = folder === "/" ? `/${CONFIG_NAME}` : `${folder}/${CONFIG_NAME}`;
    if ((await platform.files.stat(file))?.kind === "file") return file;
    if (parentOf(folder) === folder) return undefined;
  }
}

/** The nearest folder above in which somebody used bascule, where no `bascule.json` says that what lies in it belongs to it. */
export async function usedAbove(platform: Platform, { root, configFile }: Project): Promise<string | undefined> {
  if (configFile !== undefined) return undefined;
  for (let folder = parentOf(root), below = root; folder !== below; below = folder, folder = parentOf(folder)) {
    if ((await platform.files.stat(folder === "/" ? "/.bascule" : `${folder}/.bascule`))?.kind === "directory") return folder;
  }
  return undefined;
}

async function namedConfig(platform: Platform, file: string): Promise<string> {
  if ((await platform.files.stat(file))?.kind !== "file") throw notFoundError(`Cannot find the file "${file}" that --config names`);
  return file;
}
