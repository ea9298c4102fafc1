/** `bascule vendor`: bundles the packages that plugins import into their `vendor/` folders. */

import { isJsonObject, type JsonValue, parseManifest, problemToText } from "../../../../manifests/mod.ts";
import type { Files } from "../../../platform/platform.ts";
import { parsePackageSpecifier } from "../../../plugins/vendoring/package-specifier.ts";
import { readSources } from "../../../plugins/vendoring/read-sources.ts";
import { vendorPlugin, type VendorOutcome } from "../../../plugins/vendoring/vendor-plugin.ts";
import { tryJson } from "../../../primitives/json/json-text.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins, type NamedFolder, shownFolder } from "../find-plugins.ts";
import { count, printable } from "../../../primitives/text.ts";

export const vendorCommand: Command = {
  name: "vendor",
  summary: "Bundle the packages that plugins import into vendor/",
  usage: "vendor [plugin...]",
  words: ["plugin"],
  details: [
    '`"imports"` in manifest.json lists the packages as in deno.json: `"jmespath": "npm:jmespath@^0.16"`, `"@std/csv": "jsr:@std/csv@1"`.',
    "Reads packages from `node_modules` (of the plugin or a parent folder), and jsr packages also from Deno's cache. Nothing is downloaded when a plugin loads.",
    "Each package becomes one ES module. `vendor/vendor.json` holds the hashes: a plugin with different files does not load.",
    "If a package does not load in the sandbox, nothing is written.",
    "Without a plugin, processes every plugin that imports packages. Adds the imports to `deno.json`, so that Deno runs the same bytes. Needs esbuild.",
  ],
  examples: ["vendor", "vendor demo", "vendor demo --add npm:left-pad@^1.3 --add assert=jsr:@std/assert@1"],
  options: [{ name: "add", value: "[name=]package", about: 'Add the package to "imports" first; needs exactly one plugin (repeatable)' }],
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
  if (added.length > 0 && (positionals.length !== 1 || plugins.length !== 1)) throw usageError("--add needs exactly one plugin");
  const reports: PluginReport[] = [];
  for (const plugin of plugins) {
    const report = await vendorOne(context, plugin, added);
    if (report === undefined && positionals.length === 0) continue;
    if (report === undefined) output.line(`${printable(plugin.name)} imports no packages (list them under "imports" in manifest.json)`);
    else reports.push(report);
  }
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
  added: readonly (readonly [string, string])[],
): Promise<PluginReport | undefined> {
  const { platform } = context;
  const { name, directory } = plugin;
  if (added.length > 0) await addImports(platform.files, `${directory}/manifest.json`, added);
  const parsed = parseManifest(await platform.files.readText(`${directory}/manifest.json`), {});
  const failed = (message: string): PluginReport => ({ plugin: name, directory, outcome: { ok: false, message, advice: [] } });
  if (!parsed.ok) return failed(parsed.problems.map(problemToText).join("\n"));
  const { imports } = parsed.value;
  if (Object.values(imports).every((target) => target.startsWith("./"))) return undefined;
  const sources = await readSources(platform, directory);
  const outcome = await vendorPlugin({ platform, directory, imports, sources });
  if (outcome.ok) await writeDenoImports(platform.files, directory, imports);
  return { plugin: name, directory, outcome };
}

/** Adds imports to the manifest. Other members keep their values; the file is reformatted. @throws {CliError} if it is not a JSON object */
async function addImports(files: Files, path: string, added: readonly (readonly [string, string])[]): Promise<void> {
  const document = readJson(await files.readText(path));
  if (document === undefined) throw new CliError("manifest", `"${path}" is not JSON`, { exitCode: EXIT.failed, hints: [] });
  const imports = document["imports"];
  const changed = {
    ...document,
    imports: { ...(imports !== undefined && isJsonObject(imports) && imports), ...Object.fromEntries(added) },
  };
  await files.writeAtomic(path, `${JSON.stringify(changed, undefined, 2)}\n`);
}

/** Adds the imports to `deno.json`, so that Deno runs the same bytes. Names that it maps already are not changed. */
async function writeDenoImports(files: Files, directory: string, imports: Readonly<Record<string, string>>): Promise<void> {
  const path = `${directory}/deno.json`;
  const document = (await files.stat(path)) === undefined ? {} : readJson(await files.readText(path));
  const vendored = readJson(await files.readText(`${directory}/vendor/vendor.json`))?.["imports"];
  if (document === undefined || vendored === undefined || !isJsonObject(vendored)) return;
  const own = document["imports"];
  const merged: Record<string, JsonValue> = { ...(own !== undefined && isJsonObject(own) && own) };
  for (const [name, target] of Object.entries(imports)) merged[name] ??= vendored[target] ?? target;
  const text = `${JSON.stringify({ ...document, imports: merged }, undefined, 2)}\n`;
  await files.writeAtomic(path, text);
}

function readJson(text: string): { readonly [key: string]: JsonValue } | undefined {
  const document = tryJson(text);
  return document !== undefined && isJsonObject(document) ? document : undefined;
}

function reportLines({ plugin, directory, outcome }: PluginReport, context: CommandContext): readonly string[] {
  const { style } = context.output;
  const title = `${style.bold(printable(plugin))}  ${style.dim(printable(shownFolder(context, { name: plugin, path: directory, directory, manifest: { ok: false, problems: [] } })))}`;
  if (!outcome.ok)
    return [
      `${style.red("bad ")} ${title}`,
      `  ${printable(outcome.message)}`,
      ...outcome.advice.map((line) => `  ${style.dim("try")} ${printable(line)}`),
    ];
  const packages = Object.entries(outcome.packages).map(
    ([name, { version, license }]) => `  ${printable(name)} ${style.dim(printable([version, license].filter(Boolean).join(", ")))}`,
  );
  const without =
    outcome.missing.length === 0
      ? []
      : [
          `  ${style.yellow("note")} not available in the sandbox: ${outcome.missing.map(printable).join(", ")} (code that uses them throws when called)`,
        ];
  return [
    `${style.green("good")} ${title}`,
    ...packages,
    `  ${style.dim(`${count(outcome.written.length, "file")} in vendor/`)}`,
    ...without,
  ];
}
