/** Finds problems in plugins without calling their tools. */

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

/** Result for one plugin folder. */
export interface PluginCheck {
  readonly view: PluginView;
  readonly status: PluginStatus;
  /** True if the plugin does not load, or has a tool that cannot run here. */
  readonly isBad: boolean;
}

export interface CheckOptions {
  readonly isolation: IsolationConfig;
  /** Limits above the defaults that the user accepted. */
  readonly acceptedLimits: AcceptedLimits;
  /** Returns why the tool cannot run in this project, in the words of `list`; undefined if it can. */
  readonly unavailable: (tool: RegisteredTool) => string | undefined;
}

/**
 * Loads every plugin below the roots as a host does, in a separate sandbox. Covers manifests, the files that they name,
 * dependencies, syntax, exports, and errors of top-level code.
 *
 * @param roots absolute paths of existing folders
 */
export async function checkPlugins(
  roots: readonly string[],
  platform: Platform,
  { isolation, acceptedLimits, unavailable }: CheckOptions,
): Promise<readonly PluginCheck[]> {
  const sandbox = openSandbox(platform, isolation, { onDefect: (message) => platform.log.write("error", message) });
  const registry = createRegistry({ newId: platform.random.uuidv7 });
  const directory = createPluginDirectory({
    roots,
    platform,
    sandbox,
    // The registry only collects tools: none is called here.
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
