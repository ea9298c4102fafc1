/** `bascule add` of an MCP bundle: previews the bundle, asks for its options, and adds it as an MCP server (SPEC M10). */

import { isBundle } from "../../plugins/bundles/bundle-files.ts";
import type { BundlePreview } from "../../plugins/bundles/bundles.ts";
import type { Host } from "../../host/host-interface.ts";
import { type BundleOption, type BundleValue, isJsonArray, parseProject, relativeBelow } from "../../../manifests/mod.ts";
import type { OptionSpec } from "./arguments.ts";
import { confirmAct } from "./ask.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { bundlePreviewLines } from "./bundle-text.ts";
import { EXIT } from "./exit-codes.ts";
import { openLocalHost } from "./local-host.ts";
import { absolutePath } from "./paths.ts";
import { reloadRunning } from "./reload-running.ts";
import { printable } from "../../primitives/text.ts";

const UNCONFINED: OptionSpec = {
  name: "unconfined",
  about: "MCP bundles: run the program with all your rights, without confirmation (--yes does not include this)",
};
const NAME: OptionSpec = { name: "name", value: "server", about: "MCP bundles: name of the server in this project" };
const SET: OptionSpec = { name: "set", value: "key=value", about: "MCP bundles: value of an option (repeatable)" };
const SECRET: OptionSpec = {
  name: "secret",
  value: "key=NAME",
  about: 'MCP bundles: secret value of an option, read from the variable NAME or the entry NAME in "secrets" of bascule.json',
};

/** Options of `add` for bundles. */
export const BUNDLE_OPTIONS: readonly OptionSpec[] = [UNCONFINED, NAME, SET, SECRET];

/** Adds the bundle at a path. @param path absolute @returns the exit code; undefined if the path is not a bundle */
export async function addBundle(context: CommandContext, path: string): Promise<number | undefined> {
  const { platform, output, options } = context;
  if (!(await isBundle(platform.files, path))) return undefined;
  const wanted = options.value(NAME.name);
  const request = wanted === undefined ? {} : { server: wanted };
  const preview = await withServers(context, (host) => host.inspectBundle(path, request));
  for (const line of bundlePreviewLines(preview, output)) output.line(line);
  if (!(await isConsented(context, preview))) {
    output.line("Nothing was added");
    output.document({ ok: false, added: false, bundle: preview });
    return EXIT.denied;
  }
  const config = await valuesFor(context, preview);
  const project = await withProjectFile(context);
  const installed = await withServers({ ...context, project }, async (host) => {
    // Inspect again in this host: if the file has changed since, installing by the shown digest fails.
    await host.inspectBundle(path, request);
    return await host.installBundle(preview.digest, { ...request, config });
  });
  await reloadRunning({ platform, project });
  output.line(
    `${output.style.green("Added")} ${printable(preview.name)} ${printable(installed.version)} as the MCP server ${installed.server}`,
  );
  output.line(`  ${output.program} mcp-servers shows its tools; their definitions are pinned when the server first connects`);
  output.document({ ok: true, added: true, bundle: preview, installed });
  return EXIT.ok;
}

/** Removes a bundle. @returns the exit code; undefined if no bundle has the name, or a plugin has it too (then `mcp__<name>` means the bundle) */
export async function removeBundle(context: CommandContext): Promise<number | undefined> {
  const { platform, project, output, positionals } = context;
  const [written = ""] = positionals;
  const server = written.replace(/^mcp__/u, "");
  const listed = project.configFile === undefined ? undefined : parseProject(await platform.files.readText(project.configFile));
  const isListed =
    listed?.ok === true && Object.hasOwn(listed.value.mcpServers, server) && listed.value.mcpServers[server]?.bundle !== undefined;
  if (!isListed) return undefined;
  const isPlugin = await withServers(context, (host) => Promise.resolve(host.plugins().some(({ name }) => name === written)));
  if (isPlugin) return undefined;
  if (!(await confirmAct(context, `Delete the bundle of the MCP server ${server}, and its files?`))) {
    output.line("Nothing was removed");
    output.document({ ok: false, removed: false });
    return EXIT.denied;
  }
  await withServers(context, (host) => host.removeBundle(server));
  await reloadRunning({ platform, project });
  output.line(`${output.style.green("Removed")} the MCP server ${server}`);
  output.document({ ok: true, removed: true, server });
  return EXIT.ok;
}

/** Runs `use` with a host that starts no MCP servers. */
async function withServers<T>(context: CommandContext, use: (host: Host) => Promise<T>): Promise<T> {
  const local = await openLocalHost(context, {}, { mcp: false });
  try {
    return await use(local.host);
  } finally {
    await local.close();
  }
}

/** Asks whether the bundle's native code may run. `--yes` does not cover it: that flag is for plugins, which the sandbox confines. */
async function isConsented({ platform, options, output, signal }: CommandContext, { replaces }: BundlePreview): Promise<boolean> {
  if (options.has(UNCONFINED.name)) return true;
  if (!platform.terminal.interactive || output.json)
    throw usageError("A bundle's program runs with all your rights, and no terminal is attached to confirm it on", [
      `Give --${UNCONFINED.name} to add it without confirmation; --yes is not enough`,
    ]);
  const question = replaces ? "Run this version with all your rights?" : "Run it with all your rights?";
  const answer = await platform.terminal.ask(`${output.style.bold(question)} [y/N] `, signal);
  if (answer === undefined) platform.terminal.error("\n");
  return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
}

/** Returns the option values from the flags. On a terminal, asks for required values that are missing. */
async function valuesFor(
  { options, platform, project, output, signal }: CommandContext,
  preview: BundlePreview,
): Promise<Record<string, BundleValue>> {
  const values = new Map<string, BundleValue>();
  for (const [key, text] of pairs(options.all(SECRET.name), SECRET)) values.set(key, { secret: text });
  for (const [key, text] of pairs(options.all(SET.name), SET)) {
    const option = Object.hasOwn(preview.options, key) ? preview.options[key] : undefined;
    const value =
      option === undefined ? text : readValue(option, text, (path) => portablePath(path, platform.environment.cwd, project.root));
    const before = values.get(key);
    values.set(key, option?.multiple === true && typeof value === "string" ? [...(isJsonArray(before) ? before : []), value] : value);
  }
  const isKept = preview.replaces !== undefined;
  for (const [key, option] of Object.entries(preview.options)) {
    if (values.has(key) || !option.required || isKept || !isUnset(option) || !platform.terminal.interactive || output.json) continue;
    const what = option.sensitive ? "name of the variable that holds it" : option.type;
    const answer = await platform.terminal.ask(`${printable(option.title)} (${printable(option.description)}; ${what}): `, signal);
    if (answer === undefined || answer.trim() === "") continue;
    const path = (text: string): string => portablePath(text, platform.environment.cwd, project.root);
    values.set(key, option.sensitive ? { secret: answer.trim() } : readValue(option, answer.trim(), path));
  }
  return Object.fromEntries(values);
}

function isUnset({ default: fallback }: BundleOption): boolean {
  return fallback === undefined || fallback === "" || (Array.isArray(fallback) && fallback.length === 0);
}

function pairs(given: readonly (string | true)[], { name }: OptionSpec): readonly (readonly [string, string])[] {
  return given.map((text) => {
    const [, key, value] = /^([^=]+)=([^]*)$/u.exec(String(text)) ?? [];
    if (key === undefined || value === undefined)
      throw usageError(`Missing key in "--${name}=${String(text)}"`, [`Example: --${name}=key=value`]);
    return [key, value];
  });
}

/** Converts a value to the option's type. An invalid number or boolean stays text; installing refuses it with a message. */
function readValue({ type }: BundleOption, text: string, toPath: (text: string) => string): BundleValue {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return type === "directory" || type === "file" ? toPath(text) : text;
}

/** Returns a path relative to the project if it is inside, so that `bascule.json` works on other machines. Otherwise absolute. */
function portablePath(text: string, cwd: string, root: string): string {
  const path = absolutePath(text, cwd);
  if (path === root) return ".";
  const below = relativeBelow(path, root);
  return below === undefined ? path : `./${below}`;
}

/** Creates an empty `bascule.json` if the project has none, because servers are listed there. */
async function withProjectFile({ project, platform }: CommandContext): Promise<CommandContext["project"]> {
  if (project.configFile !== undefined) return project;
  const configFile = `${project.root}/bascule.json`;
  await platform.files.writeAtomic(configFile, "{}\n");
  return { ...project, configFile };
}
