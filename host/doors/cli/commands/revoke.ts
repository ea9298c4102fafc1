/** `bascule revoke`: removes grants of a plugin. */

import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { didYouMean } from "../did-you-mean.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { PERMISSION_OPTIONS } from "../permission-flags.ts";
import { permissionsFromFlags } from "../read-permission-flags.ts";
import { permissionText } from "../permission-text.ts";
import { printable } from "../../../primitives/text.ts";

export const revokeCommand: Command = {
  name: "revoke",
  summary: "Revoke grants of a plugin",
  usage: "revoke <plugin> [--allow-read=<path> …]",
  words: ["plugin"],
  details: [
    "Without flags, revokes all grants. A flag without a value revokes the whole kind, a flag with a value the items as they were granted.",
  ],
  examples: ["revoke words", "revoke notes --allow-write", "revoke words --allow-read=docs"],
  positionals: { min: 1, max: 1 },
  options: PERMISSION_OPTIONS,
  run: (context) => withHost(context, (host) => revoke(context, host)),
};

async function revoke(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options } = context;
  const [plugin = ""] = positionals;
  const taken = permissionsFromFlags(options, platform.environment);
  const everything = Object.keys(taken).length === 0;
  const changed = await host.operations.revoke(plugin, everything ? undefined : taken);
  const { grants } = await host.operations.grants();
  const left = grants.filter((grant) => grant.plugin === plugin);
  if (changed === 0) {
    const held = left.map((grant) => `Granted: ${permissionText(grant.permissions, platform.environment.cwd)}`);
    const names = grants.map((grant) => grant.plugin);
    throw notFoundError(
      `Plugin "${plugin}" has no ${everything ? "grants" : "such grant"}`,
      held.length > 0 ? held : [didYouMean(plugin, names, `${output.program} grants lists all grants`)],
    );
  }
  const now = left.map((grant) => permissionText(grant.permissions, platform.environment.cwd)).join(", ");
  output.line(`Revoked: ${printable(plugin)} may now ${now === "" ? "do nothing that needs a grant" : now}`);
  output.document({ ok: true, changed, grants: left });
  return 0;
}
