/** `bascule add builtin:<name>`: copies a plugin that ships with bascule into the project (SPEC DI1). */

import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { firstRoot, ignoredText, ignoreState } from "./fresh-project.ts";
import { withHost } from "./host-access.ts";
import { pathFrom } from "./paths.ts";
import { grantLines } from "./plugin-text.ts";
import { placeShipped, shippedLines, shippedPlugin, shippedPlugins } from "./shipped-plugins.ts";

/** Adds the plugin, without a grant. Its code came with bascule, so there is nothing to confirm. An empty name lists them. */
export async function addShipped(context: CommandContext, name: string): Promise<number> {
  const { platform, project, output } = context;
  if (name === "") return await listShipped(context);
  const { version, tools } = await shippedPlugin(platform, name, output.program);
  const root = await firstRoot(context);
  const folder = `${root}/${name}`;
  const { cwd } = platform.environment;
  // A host watches only folders that exist when it starts.
  await platform.files.makeDirectory(root);
  return await withHost(context, async (host) => {
    const other = (await host.operations.list()).find((plugin) => plugin.name === name)?.directory;
    if (other !== undefined || (await platform.files.lstat(folder)) !== undefined)
      throw new CliError("exists", `"${pathFrom(cwd, other ?? folder)}" already exists`, {
        exitCode: EXIT.failed,
        hints: [`${output.program} remove ${name} deletes it with its grants; then add it again`],
      });
    const plugin = await placeShipped(context, host, { name, folder });
    const { workspace } = await host.operations.status();
    output.line(`${output.style.green("Added")} ${name} ${version} to ${pathFrom(cwd, folder)}: ${tools.join(", ")}`);
    for (const line of grantLines(plugin, output, { cwd, workspace })) output.line(`  ${line}`);
    if (await ignoreState(platform.files, project.root)) output.line(ignoredText(context));
    output.document({ ok: true, added: true, installed: { name, version, directory: folder, tools } });
    return EXIT.ok;
  });
}

async function listShipped({ platform, output }: CommandContext): Promise<number> {
  const plugins = await shippedPlugins(platform);
  output.line(output.style.bold(`${output.program} add <name> copies one of these into the project`));
  for (const line of shippedLines(plugins, output)) output.line(line);
  output.document({ ok: true, plugins });
  return EXIT.ok;
}
