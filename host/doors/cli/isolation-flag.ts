/** `--isolation`: where plugins run in this run, in place of what `bascule.json` says. */

import { ISOLATION_KINDS, type IsolationConfig, type IsolationKind } from "../../../manifests/mod.ts";
import { isolationOf } from "../../host/open-sandbox.ts";
import { openProject } from "../../project/project-file.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";

export const ISOLATION_OPTION: OptionSpec = {
  name: "isolation",
  value: ISOLATION_KINDS.join("|"),
  about: "Run plugins in threads, or in a process that has nothing to steal (`doctor` shows how it is confined)",
};

/** @throws {CliError} if the flag names no kind of isolation. */
export function isolationOfRun(options: Options): { readonly isolation?: { readonly by: IsolationKind } } {
  const wanted = options.value("isolation");
  if (wanted === undefined) return {};
  const by = ISOLATION_KINDS.find((kind) => kind === wanted);
  if (by === undefined) throw usageError(`There is no isolation "${wanted}"`, [`Give one of ${ISOLATION_KINDS.join(", ")}`]);
  return { isolation: { by } };
}

/** What holds for plugins that a command runs by itself: the flag, else `bascule.json`. */
export async function isolationOfProject({
  platform,
  project,
  options,
}: Pick<CommandContext, "platform" | "project" | "options">): Promise<IsolationConfig> {
  const { config } = await openProject(platform, project.configFile ?? false);
  return isolationOf(isolationOfRun(options).isolation, () => config().isolation);
}
