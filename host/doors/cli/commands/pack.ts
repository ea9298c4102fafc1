/** `bascule pack`: bundles a plugin and its dependencies into a plugin with one module. */

import { isAtOrBelow, type Manifest, parseManifest, problemToText } from "../../../../manifests/mod.ts";
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
  summary: "Bundle a plugin into a self-contained folder with one module",
  usage: "pack <plugin>",
  words: ["plugin"],
  details: [
    "`main.js` contains the plugin's modules and their imports from vendor/. Other files are copied next to it.",
    "With `main.js.map`, errors name the author's file, line and column. Cases are copied; tests and types are not.",
    "Compiles syntax that the sandbox does not support: JSX and decorators (see `compilerOptions` in deno.json), and `using`.",
    "The output is reproducible: the same plugin gives the same bytes and digest. Needs esbuild.",
  ],
  examples: ["pack words", "pack plugins/words --out=/srv/plugins/words"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "out", value: "folder", about: "Output folder (default: packed/<name>)" }],
  run: pack,
};

async function pack(context: CommandContext): Promise<number> {
  const { platform, positionals, options, output } = context;
  const { cwd } = platform.environment;
  const [plugin] = await findPlugins(context, positionals);
  const { files, manifest } = await readPlugin(context, plugin);
  const folder = absolutePath(options.value("out") ?? `packed/${manifest.name}`, cwd);
  if (isAtOrBelow(folder, plugin.directory) || isAtOrBelow(plugin.directory, folder))
    throw usageError(`Cannot pack "${printable(plugin.name)}" into its own folder`, ["Choose another folder with --out"]);

  const outcome = await packPlugin({ bundler: platform.bundler, files, manifest });
  if (!outcome.ok) throw new CliError("pack", printable(outcome.message), { hints: outcome.advice });
  await refuseOthers(context, folder, outcome);
  for (const [path, bytes] of outcome.files) {
    await platform.files.makeDirectory(parentOf(`${folder}/${path}`));
    await platform.files.writeAtomic(`${folder}/${path}`, bytes);
  }

  for (const note of outcome.notes) output.note(note);
  if (outcome.leftOut.length > 0)
    output.note(`Left out, because the plugin's code does not need it: ${outcome.leftOut.map(printable).join(", ")}`);
  const shown = shellWord(pathFrom(cwd, folder));
  const { style } = output;
  output.line(`Packed: ${style.bold(shown)}  ${count(outcome.files.size, "file")}, ${style.dim(outcome.digest.slice(0, 12))}`);
  output.line(`  ${output.program} test ${shown}`);
  const { digest, leftOut, notes } = outcome;
  output.document({ ok: true, plugin: manifest.name, folder, digest, files: [...outcome.files.keys()], leftOut, notes });
  return EXIT.ok;
}

/** Reads a consistent snapshot of the plugin's files, and parses the manifest in it. */
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

/** Refuses an output folder with other files: they would become part of the plugin and its digest. */
async function refuseOthers({ platform: { files } }: CommandContext, folder: string, packed: PackedPlugin): Promise<void> {
  if ((await files.stat(folder)) === undefined) return;
  const walk = await walkFolder(files, folder);
  const there = walk.kind === "found" ? walk.files.map(({ path }) => path) : (await files.list(folder)).map(({ name }) => name);
  const other = there.find((path) => walk.kind !== "found" || !packed.files.has(path));
  if (other === undefined) return;
  throw usageError(`"${folder}" holds "${printable(other)}", which the packed plugin does not have`, [
    "Remove it, or choose another folder with --out",
  ]);
}
