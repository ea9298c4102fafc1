/** `bascule grant`: grants a plugin the permissions that it requests, or a part of them. */

import type { Permissions } from "../../../../manifests/mod.ts";
import type { PluginView } from "../../operations.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { grantAdvice } from "../grant-advice.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { PERMISSION_OPTIONS, permissionsFromFlags } from "../permission-flags.ts";
import { permissionText } from "../permission-text.ts";
import { printable } from "../../../primitives/text.ts";

export const grantCommand: Command = {
  name: "grant",
  summary: "Grant permissions to a plugin",
  usage: "grant <plugin> --allow-read=<path> …",
  words: ["plugin"],
  details: [
    "A plugin never gets more than its manifest requests. Separate several items with commas.",
    "Deny takes precedence over allow.",
    "Grants are kept in .bascule/grants.json. They apply to the plugin in its current folder; for a plugin added from an archive or a repository, to its current bytes.",
  ],
  examples: [
    "grant words --allow-read=.",
    "grant notes --allow-read=notes --allow-write=notes",
    "grant words --allow-read=. --deny-read=secrets",
  ],
  positionals: { min: 1, max: 1 },
  options: PERMISSION_OPTIONS,
  run: (context) => withHost(context, (host) => grant(context, host)),
};

async function grant(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options } = context;
  const { cwd } = platform.environment;
  const [name = ""] = positionals;
  const permissions = permissionsFromFlags(options, platform.environment);
  if (Object.keys(permissions).length === 0) {
    const { plugin } = await host.operations.info(name);
    throw usageError(`Missing permission flags for plugin "${plugin.name}"`, [await whatItAsksFor(plugin, context, host)]);
  }
  const granted = await host.operations.grant(name, permissions);
  const { plugin } = await host.operations.info(granted.plugin);
  output.line(`Granted: ${printable(granted.plugin)} may ${permissionText(granted.permissions, cwd)}`);
  for (const kind of notAskedFor(permissions, plugin.requested)) {
    output.note(`  ${output.style.yellow("note")} the manifest does not request ${kind}, so this grant has no effect`);
  }
  output.document({ ok: true, grant: granted });
  return 0;
}

async function whatItAsksFor(plugin: PluginView, context: CommandContext, host: HostAccess): Promise<string> {
  const { workspace } = await host.operations.status();
  const wanted = Object.keys(plugin.missing).length > 0 ? plugin.missing : plugin.requested;
  const command = grantAdvice(plugin.name, wanted, { program: context.output.program, cwd: context.platform.environment.cwd, workspace });
  return command === undefined ? "The plugin requests no permissions" : `To grant what it requests: ${command}`;
}

function notAskedFor(granted: Permissions, requested: Permissions): readonly string[] {
  return Object.keys(granted).filter((kind) => !Object.hasOwn(requested, kind));
}
