/** `bascule update`: adds plugins again from where they were added (SPEC I2). */

import { openLock } from "../../../plugins/consent/lock.ts";
import type { PluginOrigin } from "../../../plugins/consent/lock-text.ts";
import { openPlaces } from "../../../project/places.ts";
import { printable } from "../../../primitives/text.ts";
import { didYouMean } from "../did-you-mean.ts";
import { YES_OPTION } from "../ask.ts";
import { CliError, notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withHost } from "../host-access.ts";
import { withProgress } from "../long-work.ts";
import { absolutePath } from "../paths.ts";
import { addFrom } from "./add.ts";

export const updateCommand: Command = {
  name: "update",
  summary: "Update plugins from where they were added",
  usage: "update [plugin]",
  words: ["plugin"],
  details: [
    "Fetches the branch or tag of the repository that the plugin was added from, or reads the archive of the same name in the current folder. Shows what changed and asks, as `add` does.",
    "Without a name, updates all plugins that were added from a repository.",
    "bascule.lock keeps where a plugin was added from. A folder of your own is updated by editing it.",
  ],
  examples: ["update notes", "update --yes"],
  positionals: { min: 0, max: 1 },
  options: [YES_OPTION],
  run: update,
};

async function update(context: CommandContext): Promise<number> {
  const { platform, project, positionals, output } = context;
  const places = await openPlaces(platform, { config: project.configFile ?? false });
  const lock = await openLock(platform, places.lockFile);
  const all = [...lock.entries().values()];
  const [name] = positionals;
  const found = all.find((entry) => entry.name === name);
  if (name !== undefined && found === undefined) throw unknownPlugin(name, all, output.program);
  const wanted = found === undefined ? all.filter(({ origin }) => origin.kind === "git") : [found];
  if (wanted.length === 0) output.line("No plugin was added from a repository");
  if (wanted.length === 0) output.document({ ok: true, updated: [] });
  if (output.json && wanted.length > 1) throw usageError("Name one plugin with --json, which prints one document");
  const sources: string[] = [];
  for (const entry of wanted) sources.push(await sourceOf(entry, context));
  return await withHost(
    context,
    async (host) => {
      let code: number = EXIT.ok;
      for (const source of sources) {
        const {
          name: plugin,
          version,
          digest,
          replaces,
        } = await withProgress(context, "Fetching", () => host.operations.inspect(source, context.signal));
        if (replaces?.digest !== digest) code = Math.max(code, await addFrom(context, host, source));
        else {
          output.line(`${printable(plugin)} ${printable(version)} is up to date`);
          output.document({ ok: true, added: false, plugin, version });
        }
      }
      return code;
    },
    { consent: "strict" },
  );
}

/** @throws {CliError} if there is nothing to fetch or read again */
async function sourceOf(
  { name, origin }: { readonly name: string; readonly origin: PluginOrigin },
  { platform, output }: CommandContext,
): Promise<string> {
  if (origin.kind === "git") return origin.from;
  const { program } = output;
  if (origin.kind === "folder")
    throw new CliError("no_source", `"${name}" is a folder of your own`, { hints: [`Edit it, or ${program} add <folder|archive|url>`] });
  const path = absolutePath(origin.from, platform.environment.cwd);
  if ((await platform.files.stat(path)) !== undefined) return path;
  throw notFoundError(`"${name}" was added from the archive "${origin.from}", which is not in this folder`, [
    `${program} add <path of the new archive>`,
  ]);
}

function unknownPlugin(name: string, all: readonly { readonly name: string }[], program: string): CliError {
  const names = all.map((entry) => entry.name);
  return notFoundError(`"${name}" is not in bascule.lock`, [didYouMean(name, names, `${program} add <folder|archive|url> adds it`)]);
}
