/** `bascule learn`: proposes permissions from a plugin's recorded acts (SPEC P9). */

import { createGrantStore } from "../../../project/grants/grants.ts";
import { createActCollector } from "../../../audit/acts.ts";
import { learn, type Learned } from "../../../plugins/learn/learn.ts";
import { createMaximum } from "../../../plugins/learn/maximum.ts";
import { withResolved } from "../../../plugins/learn/resolved.ts";
import { unusedItems } from "../../../plugins/learn/unused.ts";
import { type Manifest, type PermissionBases, problemToText } from "../../../../manifests/mod.ts";
import { openPlaces } from "../../../project/places.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins } from "../find-plugins.ts";
import { grantAdvice } from "../grant-advice.ts";
import { integerOption } from "../integer-option.ts";
import { writeLearned } from "../learn-manifest.ts";
import { learnLines } from "../learn-text.ts";
import { collect, readMaximum } from "../learn-sources.ts";
import { PERMISSION_OPTIONS } from "../permission-flags.ts";
import { printable } from "../../../primitives/text.ts";

export const learnCommand: Command = {
  name: "learn",
  summary: "Propose the narrowest permissions that a plugin needs",
  usage: "learn <plugin> [-- call <tool> [key=value … | json]]",
  words: ["plugin", ["call"], "tool", []],
  details: [
    "Uses the plugin's acts in the audit journal, or runs it: one call after --, or its cases with --cases. During such a run the plugin has the maximum permissions instead of its grants. Proposals never exceed the maximum; by default it is what the manifest requests.",
    "If --folder-from or more files of a folder were used, the folder is proposed instead of the files. Refused acts count as needed and are marked.",
  ],
  examples: [
    "learn words",
    "learn words --since=7d",
    "learn words --cases",
    "learn words --allow-read=docs -- call word_count path=docs/README.md",
    "learn words --write",
  ],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [
    { name: "max", value: "file", about: "JSON file with the maximum permissions; permission flags add to them" },
    ...PERMISSION_OPTIONS,
    { name: "cases", about: "Run the plugin's cases that expect success" },
    { name: "since", value: "time", about: "Ignore journal records before this time, or age such as 7d" },
    { name: "folder-from", value: "count", about: "Propose a folder if at least this many of its files were used (default: 4)" },
    { name: "write", about: "Write the permissions into the manifest after a confirmation" },
    { name: "yes", about: "Do not ask for confirmation" },
  ],
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { platform, project, positionals, output, options } = context;
  const [name = "", ...call] = positionals;
  const [plugin] = await findPlugins(context, [name]);
  const manifest = goodManifest(plugin.name, plugin.manifest);
  const places = await openPlaces(platform, { config: project.configFile ?? false, trust: "agreed" });
  const { workspace, folders, root } = places;
  // Acts and grants refer to the folder by its real path.
  const directory = await platform.files.realPath(plugin.directory);
  const bases: PermissionBases = { ...folders, data: `${folders.data}/${plugin.name}`, base: directory, plugin: directory, workspace };
  const maximum = createMaximum((await readMaximum(context)) ?? manifest.permissions, bases);

  const collector = createActCollector({
    plugin: plugin.name,
    requires: (tool) => manifest.tools.find((own) => own.name === tool)?.requires ?? [],
    bases,
    isCopy: (path) => COPY.exec(path)?.[1],
  });
  await collect(context, { call, collector, maximum, manifest, directory, auditFolder: places.auditFolder });
  const recorded = collector.collected();
  const acts = await withResolved(recorded.acts, platform);
  const folderFrom = integerOption(options, "folder-from", 2, Number.MAX_SAFE_INTEGER);
  const learnFrom = (some: typeof acts): Learned => learn(some, { maximum, ...(folderFrom !== undefined && { folderFrom }) });
  const learned = learnFrom(acts);
  const grants = (await createGrantStore(platform, places.grantsFile, places.trust)).list();
  const granted = grants.find((grant) => grant.plugin === plugin.name && grant.directory === directory)?.permissions ?? {};
  const unused = {
    manifest: unusedItems(manifest.permissions, acts, bases),
    grants: unusedItems(granted, acts, { ...bases, base: root }),
  };
  const command = grantAdvice(plugin.name, learned.permissions, { program: output.program, cwd: platform.environment.cwd, workspace });

  const told = { plugin: plugin.name, ...recorded, ...learned, unused, ...(command !== undefined && { command }) };
  for (const line of learnLines(told, output)) output.line(line);
  const ofTool = (tool: string): Learned => learnFrom(acts.filter((act) => act.tool === tool));
  const written =
    options.has("write") && (await writeLearned(context, { manifest, directory, learned, ofTool, acts: recorded.acts.length }));
  output.document({ ok: true, ...told, acts: recorded.acts.length, written });
  return EXIT.ok;
}

/** Matches paths in the temporary copy of the plugin on which a case runs. */
const COPY = /\/bascule-test-[0-9a-f]+\/plugins-\d+\/[^/]+((?:\/.*)?)$/s;

function goodManifest(name: string, read: Awaited<ReturnType<typeof findPlugins>>[number]["manifest"]): Manifest {
  if (read.ok) return read.manifest;
  throw new CliError("manifest", `Invalid manifest of "${printable(name)}"`, {
    hints: read.problems.map((problem) => printable(problemToText(problem))),
  });
}
