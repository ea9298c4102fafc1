/** `bascule grant`: lets a plugin do what it asks for, or a part of it. */

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
  summary: "Let a plugin read, write, connect …",
  usage: "grant <plugin> --allow-read=<path> …",
  words: ["plugin"],
  details: [
    "A plugin never gets more than its manifest asks for. Several items are separated by commas.",
    "What is denied stays denied, whatever else is allowed.",
    "Grants are kept in .bascule/grants.json and hold for the plugin in its present folder; for one that was added from an archive or a repository, for its present bytes.",
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
    throw usageError(`Say what plugin "${plugin.name}" may do`, [await whatItAsksFor(plugin, context, host)]);
  }
  const granted = await host.operations.grant(name, permissions);
  const { plugin } = await host.operations.info(granted.plugin);
  output.line(`Granted: ${printable(granted.plugin)} may ${permissionText(granted.permissions, cwd)}`);
  for (const kind of notAskedFor(permissions, plugin.requested)) {
    output.note(`  ${output.style.yellow("note")} its manifest does not ask for ${kind}, so that part has no effect`);
  }
  output.document({ ok: true, grant: granted });
  return 0;
}

async function whatItAsksFor(plugin: PluginView, context: CommandContext, host: HostAccess): Promise<string> {
  const { workspace } = await host.operations.status();
  const wanted = Object.keys(plugin.missing).length > 0 ? plugin.missing : plugin.requested;
  const command = grantAdvice(plugin.name, wanted, { program: context.output.program, cwd: context.platform.environment.cwd, workspace });
  return command === undefined ? "It asks for nothing" : `What it asks for: ${command}`;
}

function notAskedFor(granted: Permissions, requested: Permissions): readonly string[] {
  return Object.keys(granted).filter((kind) => !Object.hasOwn(requested, kind));
}
