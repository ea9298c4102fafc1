/** `--isolation`: overrides the isolation of `bascule.json` for this run. */

import { ISOLATION_KINDS, type IsolationConfig, type IsolationKind } from "../../../manifests/mod.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";

export const ISOLATION_OPTION: OptionSpec = {
  name: "isolation",
  value: ISOLATION_KINDS.join("|"),
  about: "Run plugins in threads, or in a separate process without privileges (`doctor` shows its confinement)",
};

/** Parses the flag. @throws {CliError} if the value is unknown */
export function isolationOfRun(options: Options): { readonly isolation?: { readonly by: IsolationKind } } {
  const wanted = options.value("isolation");
  if (wanted === undefined) return {};
  const by = ISOLATION_KINDS.find((kind) => kind === wanted);
  if (by === undefined) throw usageError(`Unknown isolation "${wanted}"`, [`Choose from ${ISOLATION_KINDS.join(", ")}`]);
  return { isolation: { by } };
}

/** Returns the isolation of plugins that a command runs itself: from the flag, or else from `bascule.json`. */
export async function isolationOfProject({
  platform,
  project,
  options,
}: Pick<CommandContext, "platform" | "project" | "options">): Promise<IsolationConfig> {
  const [{ openProject }, { isolationOf }] = await Promise.all([
    import("../../project/project-file.ts"),
    import("../../host/open-sandbox.ts"),
  ]);
  const { config } = await openProject(platform, project.configFile ?? false);
  return isolationOf(isolationOfRun(options).isolation, () => config().isolation);
}
