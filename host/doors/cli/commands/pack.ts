/** `bascule pack`: makes a self-contained plugin of a plugin, with one module. */

import { type Manifest, parseManifest, problemToText } from "../../../../manifests/mod.ts";
import { type PackedPlugin, packPlugin } from "../../../plugins/packing/pack-plugin.ts";
import { decodeManifest } from "../../../plugins/folder/compile.ts";
import { MANIFEST_FILE, walkFolder } from "../../../plugins/folder/walk.ts";
import { readBytes } from "../../../testing/test-copy.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { findPlugins, type NamedFolder } from "../find-plugins.ts";
import { EXIT } from "../exit-codes.ts";
import { absolutePath, parentOf, pathFrom, shellWord } from "../paths.ts";
import { count, printable } from "../../../primitives/text.ts";

export const packCommand: Command = {
  name: "pack",
  summary: "Make one module of a plugin, in a folder that needs nothing else",
  usage: "pack <plugin>",
  words: ["plugin"],
  details: [
    "`main.js` gets the plugin's modules and what they import from vendor/; everything that is not code is copied beside it.",
    "`main.js.map` says where it came from: errors name the author's file, line and column. Tests and types stay behind, cases do not.",
    "What the sandbox does not read itself is compiled: JSX and decorators (`compilerOptions` in deno.json say how), `using` everywhere.",
    "The same plugin gives the same bytes, and so the same digest. Needs esbuild.",
  ],
  examples: ["pack words", "pack plugins/words --out=/srv/plugins/words"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "out", value: "folder", about: "Where to put it; packed/<name> otherwise" }],
  run: pack,
};

async function pack(context: CommandContext): Promise<number> {
  const { platform, positionals, options, output } = context;
  const { cwd } = platform.environment;
  const [plugin] = await findPlugins(context, positionals);
  const { files, manifest } = await readPlugin(context, plugin);
  const folder = absolutePath(options.value("out") ?? `packed/${manifest.name}`, cwd);
  if (`${folder}/`.startsWith(`${plugin.directory}/`) || `${plugin.directory}/`.startsWith(`${folder}/`))
    throw usageError(`Cannot pack "${printable(plugin.name)}" into its own folder`, ["Name another one with --out"]);

  const outcome = await packPlugin({ bundler: platform.bundler, files, manifest });
  if (!outcome.ok) throw new CliError("pack", printable(outcome.message), { hints: outcome.advice });
  await refuseOthers(context, folder, outcome);
  for (const [path, bytes] of outcome.files) {
    await platform.files.makeDirectory(parentOf(`${folder}/${path}`));
    await platform.files.writeAtomic(`${folder}/${path}`, bytes);
  }

  for (const note of outcome.notes) output.note(note);
  if (outcome.leftOut.length > 0)
    output.note(`Not in it, because no code of the plugin needs it: ${outcome.leftOut.map(printable).join(", ")}`);
  const shown = shellWord(pathFrom(cwd, folder));
  const { style } = output;
  output.line(`Packed: ${style.bold(shown)}  ${count(outcome.files.size, "file")}, ${style.dim(outcome.digest.slice(0, 12))}`);
  output.line(`  ${output.program} test ${shown}`);
  const { digest, leftOut, notes } = outcome;
  output.document({ ok: true, plugin: manifest.name, folder, digest, files: [...outcome.files.keys()], leftOut, notes });
  return EXIT.ok;
}

/** Its bytes at one moment, and the manifest among them. */
async function readPlugin(
  { platform }: CommandContext,
  { name, directory }: NamedFolder,
): Promise<{ readonly files: ReadonlyMap<string, Uint8Array>; readonly manifest: Manifest }> {
  const files = await readBytes(platform, directory);
  const text = decodeManifest(files?.get(MANIFEST_FILE) ?? new Uint8Array());
  const parsed = files === undefined || text === undefined ? undefined : parseManifest(text, { files: new Set(files.keys()) });
  if (files !== undefined && parsed?.ok === true) return { files, manifest: parsed.value };
  const hints = parsed?.ok === false ? parsed.problems.map((problem) => printable(problemToText(problem))) : [];
  throw new CliError("manifest", `Cannot read the plugin "${printable(name)}"`, { hints: [...hints, `bascule check ${directory}`] });
}

/** What somebody else put there would be part of the plugin, and of its digest. */
async function refuseOthers({ platform: { files } }: CommandContext, folder: string, packed: PackedPlugin): Promise<void> {
  if ((await files.stat(folder)) === undefined) return;
  const walk = await walkFolder(files, folder);
  const there = walk.kind === "found" ? walk.files.map(({ path }) => path) : (await files.list(folder)).map(({ name }) => name);
  const other = there.find((path) => walk.kind !== "found" || !packed.files.has(path));
  if (other === undefined) return;
  throw usageError(`"${folder}" holds "${printable(other)}", which the packed plugin does not have`, [
    "Remove it, or name another folder with --out",
  ]);
}
