/** `bascule grants`: lists the grants of every plugin. */

import { problemToText } from "../../../../manifests/mod.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { nameTable } from "../table.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { pathFrom } from "../paths.ts";
import { permissionText } from "../permission-text.ts";
import { printable } from "../../../primitives/text.ts";

export const grantsCommand: Command = {
  name: "grants",
  summary: "List granted permissions",
  usage: "grants",
  positionals: { min: 0, max: 0 },
  options: [],
  run: (context) => withHost(context, (host) => grants(context, host)),
};

async function grants(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform } = context;
  const { cwd } = platform.environment;
  const list = await host.operations.grants();
  if (list.problems.length > 0) {
    throw new CliError("grants_file", `Cannot read "${pathFrom(cwd, list.file)}", so nothing is granted`, {
      hints: list.problems.map(problemToText),
    });
  }
  const rows = list.grants.map((grant): readonly [string, string] => {
    const unused = grant.inUse ? "" : output.style.dim(`  (unused: plugin not found in ${printable(pathFrom(cwd, grant.directory))})`);
    return [printable(grant.plugin), `may ${permissionText(grant.permissions, cwd)}${unused}`];
  });
  for (const row of nameTable(rows, output.style, { indent: "", columns: output.room })) output.line(row);
  if (rows.length === 0) output.line(`No grants. ${output.program} list shows what plugins request`);
  output.document({ ok: true, ...list });
  return 0;
}
