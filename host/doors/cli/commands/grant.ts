/** `bascule grant`: grants a plugin the permissions that it requests, or a part of them. */

import type { Permissions } from "../../../../manifests/mod.ts";
import { confirmAct, showPages, YES_OPTION } from "../ask.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { grantAdvice } from "../grant-advice.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { grantedByFlags, permissionsFromFlags } from "../read-permission-flags.ts";
import { PERMISSION_OPTIONS } from "../permission-flags.ts";
import { permissionText, reasonsOf } from "../permission-text.ts";
import { nameTable } from "../table.ts";
import { printable } from "../../../primitives/text.ts";

export const grantCommand: Command = {
  name: "grant",
  summary: "Grant permissions to a plugin",
  usage: "grant <plugin> [--allow-read=<path> …]",
  words: ["plugin"],
  details: [
    "Without flags, shows what the plugin requests, and asks whether to grant it.",
    "A plugin never gets more than its manifest requests. Separate several items with commas.",
    "Deny takes precedence over allow.",
    "Grants are kept in .bascule/grants.json. They apply to the plugin in its current folder; for a plugin added from an archive or a repository, to its current bytes.",
  ],
  examples: [
    "grant words",
    "grant words --allow-read=.",
    "grant notes --allow-read=notes --allow-write=notes",
    "grant words --allow-read=. --deny-read=secrets",
  ],
  positionals: { min: 1, max: 1 },
  options: [...PERMISSION_OPTIONS, YES_OPTION],
  run: (context) => withHost(context, (host) => grant(context, host)),
};

async function grant(context: CommandContext, host: HostAccess): Promise<number> {
  const { platform, positionals, options } = context;
  const [name = ""] = positionals;
  const permissions = permissionsFromFlags(options, platform.environment);
  return Object.keys(permissions).length > 0 ? await store(name, permissions, context, host) : await grantRequested(name, context, host);
}

async function store(name: string, permissions: Permissions, { output, platform }: CommandContext, host: HostAccess): Promise<number> {
  const { cwd } = platform.environment;
  const granted = await host.operations.grant(name, permissions);
  const { plugin } = await host.operations.info(granted.plugin);
  const unused = Object.keys(permissions).filter((kind) => !Object.hasOwn(plugin.requested, kind));
  const isUnused = unused.length === Object.keys(permissions).length;
  const may = `${printable(granted.plugin)} may ${permissionText(granted.permissions, cwd)}`;
  if (!isUnused) output.line(`Granted: ${may}`);
  for (const kind of unused)
    output.note(`${output.style.yellow("unused")} ${printable(granted.plugin)} does not request ${kind}, so this grant has no effect`);
  output.document({ ok: true, grant: granted, unused });
  return 0;
}

/** Shows what the plugin requests and does not hold, and asks whether to grant it. */
async function grantRequested(name: string, context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, options } = context;
  const { environment, terminal } = platform;
  const { plugin } = await host.operations.info(name);
  const { workspace } = await host.operations.status();
  const place = { ...environment, workspace };
  const wanted = grantedByFlags(plugin.missing, place);
  const kinds = Object.keys(wanted);
  if (kinds.length > 0 && !options.has(YES_OPTION.name) && (!terminal.interactive || output.json)) {
    const command = grantAdvice(plugin.name, plugin.missing, { ...place, program: output.program });
    throw usageError(`Missing permission flags for plugin "${plugin.name}"`, [`To grant what it requests: ${command ?? ""}`]);
  }
  if (kinds.length === 0) {
    const isAsking = Object.keys(plugin.requested).length > 0;
    output.line(`${printable(plugin.name)} ${isAsking ? "holds everything that it requests" : "requests no permissions"}`);
    output.document({ ok: true, unused: [] });
    return EXIT.ok;
  }
  const reasons = new Map<string, string>(reasonsOf(plugin.missing));
  const rows = kinds.map((kind): readonly [string, string] => [
    permissionText({ [kind]: wanted[kind as keyof Permissions] }, environment.cwd), // A key of the permissions.
    reasons.get(kind) ?? "",
  ]);
  await showPages(context, [`${output.style.bold(printable(plugin.name))} requests:`, ...nameTable(rows, output.style, output)]);
  if (!(await confirmAct(context, `Grant it to ${printable(plugin.name)}?`))) {
    output.line("Not granted");
    return EXIT.denied;
  }
  return await store(plugin.name, wanted, context, host);
}
