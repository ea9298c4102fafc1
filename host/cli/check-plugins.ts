/** Everything that can be wrong with plugins, found without calling them. */

import type { IsolationConfig } from "../../manifests/mod.ts";
import { toPluginView } from "../doors/plugin-view.ts";
import type { PluginView } from "../doors/operations.ts";
import { openSandbox } from "../open-sandbox.ts";
import type { Platform } from "../platform/platform.ts";
import type { AcceptedLimits } from "../policy/tool-limits.ts";
import { createPluginDirectory, OPEN_GATE } from "../sources/directory/reload.ts";
import type { PluginStatus } from "../sources/directory/status.ts";

/** One folder's verdict, and its status for whoever wants to change it. */
export interface PluginCheck {
  readonly view: PluginView;
  readonly status: PluginStatus;
}

export interface CheckOptions {
  readonly isolation: IsolationConfig;
  /** What a person accepted above the default limits. */
  readonly acceptedLimits: AcceptedLimits;
}

/**
 * Loads every plugin below the roots as a host would, into a sandbox of its own: manifests, the files that they name,
 * dependencies, syntax, exports, and whatever the top level throws.
 *
 * @param roots absolute paths of folders that exist.
 */
export async function checkPlugins(
  roots: readonly string[],
  platform: Platform,
  { isolation, acceptedLimits }: CheckOptions,
): Promise<readonly PluginCheck[]> {
  const sandbox = openSandbox(platform, isolation, (message) => platform.log.write("error", message));
  const directory = createPluginDirectory({
    roots,
    platform,
    sandbox,
    // Nobody calls what is loaded here.
    registry: { replaceOwner: () => {}, removeOwner: () => {} },
    emit: () => {},
    log: platform.log,
    bases: (_plugin, folder) => ({ base: folder, plugin: folder }),
    gate: { ...OPEN_GATE, acceptedLimits },
  });
  try {
    const statuses = await directory.scan();
    return await Promise.all(
      statuses.map(async (status) => ({ status, view: await toPluginView(status, { files: platform.files, tools: [], granted: {} }) })),
    );
  } finally {
    await directory.close();
    await sandbox.close();
  }
}
