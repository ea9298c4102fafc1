/** Where the project's plugins are. */

import type { Platform } from "../../platform/platform.ts";
import { absolutePath } from "./paths.ts";
import type { Project } from "./project.ts";
import { openTrusted } from "./trust.ts";

/**
 * The plugin roots of `bascule.json` that count here, absolute; `plugins/` beside it, or in the working directory, without one.
 *
 * @throws {ProjectConfigError} if the file is wrong.
 */
export async function pluginRoots(platform: Platform, project: Project): Promise<readonly string[]> {
  const { config } = await openTrusted({ platform, project });
  return config().plugins.map((root) => absolutePath(root, project.root));
}
