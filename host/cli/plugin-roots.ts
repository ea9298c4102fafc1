/** Where the project's plugins are. */

import { parseProject, problemToText } from "../../manifests/mod.ts";
import type { Platform } from "../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import { absolutePath } from "./paths.ts";
import type { Project } from "./project.ts";

const DEFAULT_ROOTS = ["plugins"];

/**
 * The plugin roots of `bascule.json`, absolute; `plugins/` beside it, or in the working directory, without one.
 *
 * @throws {CliError} if the file is wrong, with every problem.
 */
export async function pluginRoots(platform: Platform, project: Project): Promise<readonly string[]> {
  if (project.configFile === undefined) return DEFAULT_ROOTS.map((root) => absolutePath(root, project.root));
  const parsed = parseProject(await platform.files.readText(project.configFile));
  if (!parsed.ok) throw new CliError("config", `The file "${project.configFile}" is wrong`, { hints: parsed.problems.map(problemToText) });
  return parsed.value.plugins.map((root) => absolutePath(root, project.root));
}
