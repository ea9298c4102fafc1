/** `bascule vendor`: bundles the packages that plugins import into their `vendor/` folders. */

import { isJsonObject, type JsonObject, parseManifest, problemToText } from "../../../../manifests/mod.ts";
import type { Files } from "../../../platform/platform.ts";
import { withImports } from "../../../plugins/vendoring/manifest-imports.ts";
import { addDenoImports } from "../../../plugins/vendoring/deno-imports.ts";
import { parsePackageSpecifier } from "../../../plugins/vendoring/package-specifier.ts";
import { readSources } from "../../../plugins/vendoring/read-sources.ts";
import { type OnVendorStep, vendorPlugin, type VendorOutcome } from "../../../plugins/vendoring/vendor-plugin.ts";
import { tryJson } from "../../../primitives/json/json-text.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins, type NamedFolder, shownFolder } from "../find-plugins.ts";
import { withProgress } from "../long-work.ts";
import { count, printable } from "../../../primitives/text.ts";

export const vendorCommand: Command = {
  name: "vendor",
  summary: "Bundle the packages that plugins import into vendor/",
  usage: "vendor [plugin...]",
  words: ["plugin"],
  details: [
    'Reads what the plugin\'s code imports: `npm:` and `jsr:` specifiers, and names that manifest.json, deno.json, deno.jsonc or package.json list (of the plugin or a parent folder), with their import maps. Adds the names to `"imports"` in manifest.json.',
    "Packages are taken from `node_modules` and from Deno's cache; others are downloaded with npm, or else with Deno, without running their scripts. Nothing is downloaded when a plugin loads.",
    "Of each package the default build, the browser build or the node build is bundled: the first that loads in the sandbox, with its exports read. `vendor/vendor.json` records the choice and the hashes: a plugin with different files does not load.",
    "Packages that are vendored already keep their bytes until their version changes, or with `--update`. If a package does not load, nothing is written.",
    "Without a plugin, processes every plugin. Adds the imports to the plugin's `deno.json`, so that Deno runs the same bytes. Needs esbuild.",
  ],
  examples: ["vendor", "vendor demo", "vendor demo --add npm:left-pad@^1.3 --add assert=jsr:@std/assert@1", "vendor demo --update"],
  options: [
    { name: "add", value: "[name=]package", about: 'Add the package to "imports"; needs exactly one plugin (repeatable)' },
    { name: "update", about: "Bundle all packages again, in the newest versions that their ranges allow" },
  ],
  run: vendor,
};

interface PluginReport {
  readonly plugin: string;
  readonly directory: string;
  readonly outcome: VendorOutcome;
}

async function vendor(context: CommandContext): Promise<number> {
  const { positionals, options, output } = context;
  const added = options.all("add").map((text) => readAdded(String(text)));
  const plugins = await findPlugins(context, positionals);
  if (added.length > 0 && (positionals.length !== 1 || plugins.length !== 1))
    throw usageError("--add needs exactly one plugin", [`Example: ${output.program} vendor demo --add npm:left-pad@^1.3`]);
  const reports: PluginReport[] = [];
  await withProgress(context, "Vendoring", async (tell) => {
    for (const plugin of plugins) {
      const report = await vendorOne(context, plugin, {
        added,
        onStep: (step) => tell({ ...step, message: `${plugin.name}: ${step.message}` }),
      });
      if (report === undefined && positionals.length === 0) continue;
      if (report === undefined) output.line(`${printable(plugin.name)} imports no packages`);
      else reports.push(report);
    }
  });
  for (const report of reports) for (const line of reportLines(report, context)) output.line(line);
  const ok = reports.every(({ outcome }) => outcome.ok);
  if (reports.length === 0 && positionals.length === 0) output.line("No plugin imports packages");
  output.document({ ok, plugins: reports.map(({ outcome, ...about }) => ({ ...about, ...outcome })) });
  return ok ? EXIT.ok : EXIT.failed;
}

function readAdded(text: string): readonly [name: string, target: string] {
  const [, written, target = ""] = /^(?:([^=\s:]+)=)?((?:npm|jsr):.+)$/.exec(text) ?? [];
  const specifier = parsePackageSpecifier(target);
  if (specifier === undefined) throw usageError(`Invalid package "${text}"`, ["Example: --add npm:left-pad@^1.3"]);
  return [written ?? `${specifier.name}${specifier.subpath ?? ""}`, target];
}

/** Bundles the packages of one plugin. @returns undefined for a plugin without packages */
async function vendorOne(
  context: CommandContext,
  plugin: NamedFolder,
  { added, onStep }: { readonly added: readonly (readonly [string, string])[]; readonly onStep: OnVendorStep },
): Promise<PluginReport | undefined> {
  const { platform, options } = context;
  const { name, directory } = plugin;
  const path = `${directory}/manifest.json`;
  const text = await platform.files.readText(path);
  const parsed = parseManifest(text, {});
  const failed = (message: string): PluginReport => ({ plugin: name, directory, outcome: { ok: false, message, advice: [] } });
  if (!parsed.ok) return failed(parsed.problems.map(problemToText).join("\n"));
  const asked = Object.fromEntries(added);
  const imports = { ...parsed.value.imports, ...asked };
  const sources = await readSources(platform, directory);
  const outcome = await vendorPlugin({ platform, plugin: name, directory, imports, sources, update: options.has("update"), onStep });
  if (outcome.ok && Object.keys(outcome.packages).length === 0 && outcome.notes.length === 0 && Object.keys(outcome.added).length === 0)
    return undefined;
  if (outcome.ok) {
    const more = { ...asked, ...outcome.added };
    if (Object.keys(more).length > 0) await platform.files.writeAtomic(path, withImports(await platform.files.readText(path), more));
    await addDenoImports(platform.files, directory, await vendoredNames(platform.files, directory, { ...parsed.value.imports, ...asked }));
  }
  return { plugin: name, directory, outcome };
}

/** Names that only the manifest explains, with their files: Deno finds the others by the author's own lists. */
async function vendoredNames(
  files: Files,
  directory: string,
  imports: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const vendored = readJson(await files.readText(`${directory}/vendor/vendor.json`))?.["imports"];
  const paths: JsonObject = isJsonObject(vendored) ? vendored : {};
  return new Map(
    Object.entries(imports).map(([name, target]) => {
      const path = paths[target];
      return [name, typeof path === "string" ? path : target];
    }),
  );
}

function readJson(text: string): JsonObject | undefined {
  const document = tryJson(text);
  return isJsonObject(document) ? document : undefined;
}

function reportLines({ plugin, directory, outcome }: PluginReport, context: CommandContext): readonly string[] {
  const { style } = context.output;
  const title = `${style.bold(printable(plugin))}  ${style.dim(printable(shownFolder(context, { name: plugin, path: directory, directory, manifest: { ok: false, problems: [] } })))}`;
  if (!outcome.ok)
    return [
      `${style.red("bad ")} ${title}`,
      ...outcome.message.split("\n").map((line) => `  ${printable(line)}`),
      ...outcome.advice.map((line) => `  ${style.dim("try")} ${printable(line)}`),
    ];
  const packages = Object.entries(outcome.packages).map(
    ([name, { version, license, build }]) =>
      `  ${printable(name)} ${style.dim(printable([version, license, build === "default" ? "" : `${build ?? ""} build`].filter(Boolean).join(", ")))}`,
  );
  const notes = outcome.notes.map((note) => `  ${style.yellow("note")} ${printable(note)}`);
  return [`${style.green("good")} ${title}`, ...packages, `  ${style.dim(`${count(outcome.files.length, "file")} in vendor/`)}`, ...notes];
}
