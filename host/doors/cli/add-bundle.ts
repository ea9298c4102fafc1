/** `bascule add` of an MCP bundle: shows what it would start, asks for what it needs, and lists it as an MCP server (SPEC M10). */

import { isBundle } from "../../plugins/bundles/bundle-files.ts";
import type { BundlePreview } from "../../plugins/bundles/bundles.ts";
import type { Host } from "../../host/host-interface.ts";
import { isJsonArray, type BundleOption, type BundleValue, parseProject } from "../../../manifests/mod.ts";
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
  about: "Of a bundle: run its program with all that you may do, without a question (--yes does not say so)",
};
const NAME: OptionSpec = { name: "name", value: "server", about: "Of a bundle: what its server is called here" };
const SET: OptionSpec = { name: "set", value: "key=value", about: "Of a bundle: a value that it asks for; again for one more" };
const SECRET: OptionSpec = {
  name: "secret",
  value: "key=NAME",
  about: 'Of a bundle: a value that is a secret, which is the variable NAME or what "secrets" of bascule.json says',
};

/** Options of `add` that are about bundles. */
export const BUNDLE_OPTIONS: readonly OptionSpec[] = [UNCONFINED, NAME, SET, SECRET];

/** Undefined if there is no bundle at the path. @param path absolute */
export async function addBundle(context: CommandContext, path: string): Promise<number | undefined> {
  const { platform, output, options } = context;
  if (!(await isBundle(platform.files, path))) return undefined;
  const wanted = options.value(NAME.name);
  const wish = wanted === undefined ? {} : { server: wanted };
  const preview = await withServers(context, (host) => host.inspectBundle(path, wish));
  for (const line of bundlePreviewLines(preview, output)) output.line(line);
  if (!(await isConsented(context, preview))) {
    output.line("Nothing was added");
    output.document({ ok: false, added: false, bundle: preview });
    return EXIT.denied;
  }
  const config = await valuesFor(context, preview);
  const project = await withProjectFile(context);
  const installed = await withServers({ ...context, project }, async (host) => {
    // Of a file that is another one by now, the digest is not known.
    await host.inspectBundle(path, wish);
    return await host.installBundle(preview.digest, { ...wish, config });
  });
  await reloadRunning({ platform, project });
  output.line(
    `${output.style.green("Added")} ${printable(preview.name)} ${printable(installed.version)} as the MCP server ${installed.server}`,
  );
  output.line(`  ${output.program} mcp-servers shows its tools, and pins what they say when it is first started`);
  output.document({ ok: true, added: true, bundle: preview, installed });
  return EXIT.ok;
}

/** Undefined if there is no bundle of that name, or a plugin has it too: its server is then called `mcp__<name>`. */
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

/** A host that starts no server. */
async function withServers<T>(context: CommandContext, use: (host: Host) => Promise<T>): Promise<T> {
  const local = await openLocalHost(context, {}, { mcp: false });
  try {
    return await use(local.host);
  } finally {
    await local.close();
  }
}

/** Native code of somebody's: a `--yes` for plugins, which are held by the sandbox, is no yes to that. */
async function isConsented({ platform, options, output, signal }: CommandContext, { replaces }: BundlePreview): Promise<boolean> {
  if (options.has(UNCONFINED.name)) return true;
  if (!platform.terminal.interactive || output.json)
    throw usageError("A bundle's program runs with all that you may do, and there is nobody to ask whether it may", [
      `Give --${UNCONFINED.name} to add it without a question; --yes is not enough`,
    ]);
  const question = replaces ? "Run this version with all that you may do?" : "Run it with all that you may do?";
  const answer = await platform.terminal.ask(`${output.style.bold(question)} [y/N] `, signal);
  if (answer === undefined) platform.terminal.error("\n");
  return answer !== undefined && /^\s*y(es)?\s*$/iu.test(answer);
}

/** What was given, and what is asked for where there is somebody to ask. */
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
    const what = option.sensitive ? "the name of the variable that holds it" : option.type;
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
      throw usageError(`"--${name}=${String(text)}" has no key`, [`Like this: --${name}=key=value`]);
    return [key, value];
  });
}

/** What is no number or flag where one is wanted stays a text, and is refused with the rest. */
function readValue({ type }: BundleOption, text: string, toPath: (text: string) => string): BundleValue {
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return type === "directory" || type === "file" ? toPath(text) : text;
}

/** What is inside the project is there on every machine. */
function portablePath(text: string, cwd: string, root: string): string {
  const path = absolutePath(text, cwd);
  if (path === root) return ".";
  return path.startsWith(`${root}/`) ? `./${path.slice(root.length + 1)}` : path;
}

/** Servers are listed in `bascule.json`; without one it is made. */
async function withProjectFile({ project, platform }: CommandContext): Promise<CommandContext["project"]> {
  if (project.configFile !== undefined) return project;
  const configFile = `${project.root}/bascule.json`;
  await platform.files.writeAtomic(configFile, "{}\n");
  return { ...project, configFile };
}
