/** Everything that can be wrong with plugins, found without calling them. */

import type { IsolationConfig } from "../../../manifests/mod.ts";
import { toPluginView } from "../plugin-view.ts";
import type { PluginProblem, PluginView } from "../operations.ts";
import { openSandbox } from "../../host/open-sandbox.ts";
import type { Platform } from "../../platform/platform.ts";
import type { AcceptedLimits } from "../../policy/tool-limits.ts";
import { createPluginDirectory, OPEN_GATE } from "../../plugins/folder/reload.ts";
import { createRegistry } from "../../tools/registry.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import type { PluginStatus } from "../../plugins/folder/status.ts";

/** One folder's verdict, and its status for whoever wants to change it. */
export interface PluginCheck {
  readonly view: PluginView;
  readonly status: PluginStatus;
  /** It does not load, or has a tool that no call can run here. */
  readonly isBad: boolean;
}

export interface CheckOptions {
  readonly isolation: IsolationConfig;
  /** What a person accepted above the default limits. */
  readonly acceptedLimits: AcceptedLimits;
  /** Why no call of the tool can run in this project, as `list` says it; undefined if one can. */
  readonly unavailable: (tool: RegisteredTool) => string | undefined;
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
  { isolation, acceptedLimits, unavailable }: CheckOptions,
): Promise<readonly PluginCheck[]> {
  const sandbox = openSandbox(platform, isolation, (message) => platform.log.write("error", message));
  const registry = createRegistry({ newId: platform.random.uuidv7 });
  const directory = createPluginDirectory({
    roots,
    platform,
    sandbox,
    // No tool that is loaded here is called.
    registry,
    emit: () => {},
    log: platform.log,
    bases: (_plugin, folder) => ({ base: folder, plugin: folder }),
    gate: { ...OPEN_GATE, acceptedLimits },
  });
  try {
    const statuses = await directory.scan();
    const { tools } = registry.snapshot();
    return await Promise.all(
      statuses.map(async (status) => {
        const view = await toPluginView(status, { files: platform.files, tools: [], granted: {} });
        const own = status.state === "loaded" ? tools.filter(({ plugin }) => plugin === status.name) : [];
        const problems = own.flatMap((tool): readonly PluginProblem[] => {
          const reason = unavailable(tool);
          return reason === undefined
            ? []
            : [{ severity: "error", pointer: "", message: `Tool "${tool.name}" cannot be called: ${reason}` }];
        });
        const isBad = status.state === "failed" || status.state === "ignored" || problems.length > 0;
        return { status, isBad, view: { ...view, problems: [...view.problems, ...problems] } };
      }),
    );
  } finally {
    await directory.close();
    await sandbox.close();
  }
}
