/** Finds the plugin folders of a project. */

import type { Platform } from "../../platform/platform.ts";
import { absolutePath } from "./paths.ts";
import type { Project } from "./project.ts";
import { openTrusted } from "./trust.ts";

/**
 * Returns the trusted plugin roots of `bascule.json` as absolute paths. Default: `plugins/` next to the file, or in the working directory.
 *
 * @throws {ProjectConfigError} if the file is invalid
 */
export async function pluginRoots(platform: Platform, project: Project): Promise<readonly string[]> {
  const { config } = await openTrusted({ platform, project });
  return config().plugins.map((root) => absolutePath(root, project.root));
}
