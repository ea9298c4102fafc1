/** `bascule accept`: accepts a new version of a plugin, or the higher limits that a loaded plugin requests (SPEC H6, B3). */

import { LIMIT_NAMES } from "../../../../manifests/mod.ts";
import type { ConsentChange } from "../../../plugins/consent/change.ts";
import type { PluginView } from "../../operations.ts";
import type { HeldVersion } from "../../../plugins/folder/status.ts";
import { didYouMean } from "../did-you-mean.ts";
import { confirmAct, showPages, YES_OPTION } from "../ask.ts";
import { CliError, notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { heldLines, shortDigest } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { yieldLines } from "../plugin-text.ts";
import { printable } from "../../../primitives/text.ts";

export const acceptCommand: Command = {
  name: "accept",
  summary: "Approve a plugin update that requests more permissions, or higher limits",
  usage: "accept [plugin]",
  words: ["plugin"],
  details: [
    "Without a plugin, shows each version that waits, what changed in it, and requested limits above the defaults.",
    "Accepts exactly the version shown, byte for byte. If the files change in the meantime, the plugin waits again.",
    "Accepted versions are kept in bascule.lock. Accepting grants no permissions: see `grant`.",
  ],
  examples: ["accept", "accept notes", "accept notes --digest=3f2a9c0b11de"],
  positionals: { min: 0, max: 1 },
  options: [
    { name: "digest", value: "hex", about: "Accept only the version whose digest starts with this, without confirmation" },
    YES_OPTION,
  ],
  run: (context) => withHost(context, (host) => accept(context, host), { consent: "strict" }),
};

/** A plugin with a version that waits to be accepted, or a loaded version that requests higher limits. */
interface Waiting {
  readonly plugin: PluginView;
  readonly held: HeldVersion;
}

/** Returns what `accept` can accept. The limits of a waiting version are among its changes already. */
function waitingIn(plugin: PluginView): readonly Waiting[] {
  const { held, limits, version, digest } = plugin;
  if (held !== undefined) return [{ plugin, held }];
  const changes = limits.flatMap(({ limit, asked, allowed, by }): readonly ConsentChange[] => {
    const name = LIMIT_NAMES.find((known) => known === limit);
    return by !== "consent" || name === undefined ? [] : [{ kind: "limit", limit: name, from: allowed, to: asked, widens: true }];
  });
  if (changes.length === 0 || version === undefined || digest === undefined) return [];
  return [{ plugin, held: { name: plugin.name, version, digest, changes } }];
}

async function accept(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, positionals, options } = context;
  const plugins = await host.operations.list();
  const waiting = plugins.flatMap(waitingIn);
  const [name] = positionals;
  if (name === undefined) return list(context, waiting);

  const wanted = options.value("digest");
  const named = waiting.filter(({ plugin, held }) => plugin.name === name || held.name === name);
  const found = named.find(({ held }) => wanted !== undefined && held.digest.startsWith(wanted)) ?? named[0];
  if (found === undefined) throw nothingWaits(name, plugins, output.program);
  if (wanted === undefined && named.length > 1)
    throw usageError(
      `${named.length} versions wait under the name "${name}"`,
      named.map(({ held }) => `${output.program} accept ${printable(name)} --digest=${shortDigest(held.digest)}`),
    );
  const { held } = found;
  await showPages(context, shown(found, context));
  if (wanted !== undefined && !(wanted.length >= MIN_DIGEST && held.digest.startsWith(wanted)))
    throw new CliError("changed", `The waiting version is ${shortDigest(held.digest)}, not "${wanted}"`, { exitCode: EXIT.denied });
  if (wanted === undefined && !(await confirmAct(context, "Accept it?"))) {
    output.line("Not accepted");
    output.document({ ok: false, accepted: false, plugin: found.plugin.name, held });
    return EXIT.denied;
  }
  const outcome = await host.operations.accept(found.plugin.name, held.digest);
  if (outcome.kind === "changed")
    throw new CliError("changed", "The plugin changed after it was shown, and waits again", {
      hints: [`${output.program} accept ${found.plugin.name}`],
    });
  if (outcome.kind === "failed") throw new CliError("failed", `Accepted, but the plugin does not load: ${outcome.reason}`);
  output.line(`${output.style.green("Accepted")} ${printable(outcome.plugin)} ${printable(outcome.version)}`);
  const { plugin } = await host.operations.info(outcome.plugin);
  for (const line of yieldLines(plugin.tools, output)) output.line(`  ${line}`);
  output.document({ ok: true, accepted: true, plugin: outcome.plugin, version: outcome.version, digest: outcome.digest, held });
  return EXIT.ok;
}

/** Minimum length of `--digest` in hex digits. A shorter prefix can be matched by a version built for that purpose. */
const MIN_DIGEST = 12;

function list(context: CommandContext, waiting: readonly Waiting[]): number {
  const { output } = context;
  if (waiting.length === 0) output.line("No plugin version waits to be accepted");
  for (const one of waiting) {
    for (const line of shown(one, context)) output.line(line);
    output.line(
      `  ${output.style.bold(`${output.program} accept ${printable(one.plugin.name)} --digest=${shortDigest(one.held.digest)}`)}`,
    );
  }
  output.document({ ok: true, waiting: waiting.map(({ plugin, held }) => ({ plugin: plugin.name, ...held })) });
  return EXIT.ok;
}

function shown({ plugin, held }: Waiting, { output }: CommandContext): readonly string[] {
  const [waits = "", ...rest] = heldLines(held, output.style);
  const serves = `version ${printable(held.version)} ${output.style.dim(`(${shortDigest(held.digest)})`)} requests higher limits:`;
  const first = held === plugin.held ? waits : serves;
  return [`${output.style.bold(printable(plugin.name))} ${first}`, ...rest];
}

function nothingWaits(name: string, plugins: readonly PluginView[], program: string): CliError {
  if (plugins.some((plugin) => plugin.name === name))
    return new CliError("nothing", `Nothing to accept for plugin "${name}": no version waits, and no higher limits are requested`, {
      hints: [`${program} accept shows all that waits`],
    });
  const names = plugins.map((plugin) => plugin.name);
  return notFoundError(`Unknown plugin "${name}"`, [didYouMean(name, names, `${program} list shows all plugins`)]);
}
