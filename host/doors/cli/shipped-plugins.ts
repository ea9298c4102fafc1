/**
 * Plugins that ship with bascule, in `plugins/` of this package (SPEC DI1). A project gets copies of those that the user chooses; they
 * belong to the user from then on.
 */

import type { Permissions } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { PluginView } from "../operations.ts";
import { didYouMean } from "./did-you-mean.ts";
import { CliError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import type { HostAccess } from "./host-access.ts";
import type { Output } from "./output.ts";
import { parentOf } from "./paths.ts";
import { kindsText } from "./permission-text.ts";
import { schemaFrom } from "./schema-path.ts";
import { pathsIn, shippedManifest } from "./shipped-files.ts";
import { nameTable } from "./table.ts";

/** Precedes the name of a plugin that ships, as in `builtin:words`. */
export const BUILTIN_PREFIX = "builtin:";

/** Plugins of a fresh project: one that needs no grant, and one that shows how grants work. */
export const STARTERS: readonly string[] = ["math", "words"];

/** A plugin that ships. */
export interface ShippedPlugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly requested: Permissions;
  readonly tools: readonly string[];
}

type Access = Pick<Platform, "files" | "environment">;

const MANIFEST = "manifest.json";
const SCHEMA_LINE = /^(\s*"\$schema":\s*)"[^"]*"(,?)\n/mu;

/** Returns every plugin that ships, sorted by name. */
export async function shippedPlugins(access: Access): Promise<readonly ShippedPlugin[]> {
  const { files } = access;
  const plugins: ShippedPlugin[] = [];
  for (const { name, kind } of await files.list(rootOf(access))) {
    if (kind !== "directory") continue;
    const { version, description, permissions, tools } = shippedManifest(await files.readText(`${rootOf(access)}/${name}/${MANIFEST}`));
    plugins.push({ name, version, description, requested: permissions, tools: tools.map((tool) => tool.name) });
  }
  return plugins.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Formats a table of plugins: name, kinds of access that each requests, and description. */
export function shippedLines(plugins: readonly ShippedPlugin[], { style, room }: Pick<Output, "style" | "room">): readonly string[] {
  const rows = plugins.map(({ name, description, requested }): readonly [string, string] => [
    `${BUILTIN_PREFIX}${name}`,
    `${description}${Object.keys(requested).length === 0 ? "" : ` (asks to ${kindsText(requested)})`}`,
  ]);
  return nameTable(rows, style, { columns: room });
}

/** @throws {CliError} if no plugin of this name ships */
export async function shippedPlugin(access: Access, name: string, program: string): Promise<ShippedPlugin> {
  const known = await shippedPlugins(access);
  const found = known.find((plugin) => plugin.name === name);
  if (found !== undefined) return found;
  const names = known.map((plugin) => plugin.name);
  throw new CliError("unknown_builtin", `No plugin "${name}" ships with bascule`, {
    exitCode: EXIT.notFound,
    hints: [didYouMean(name, names, `${program} add ${BUILTIN_PREFIX} lists them`, (near) => BUILTIN_PREFIX + near)],
  });
}

/** Returns advice if a plugin that ships has a tool of this name. */
export async function shippedMeant(access: Access, tool: string, program: string): Promise<readonly string[]> {
  const owners = (await shippedPlugins(access)).filter(({ name, tools }) => tools.some((own) => own === tool || `${name}.${own}` === tool));
  return owners.map(({ name }) => `${name}, which ships with bascule, has it: ${program} add ${BUILTIN_PREFIX}${name}`);
}

/**
 * Copies a plugin that ships to a folder that does not exist, and loads it. It gets no grants. Its limits above the defaults are accepted, as
 * those of every plugin that is added.
 */
export async function placeShipped(
  context: Pick<CommandContext, "platform" | "project" | "output">,
  { operations }: Pick<HostAccess, "operations">,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<PluginView> {
  // Grants of a former plugin of this name, whose folder is gone, are not for this one.
  await operations.revoke(name);
  await copyShipped(context, name, folder);
  await operations.reload();
  const { plugin } = await operations.info(name);
  if (plugin.digest === undefined || !plugin.limits.some(({ by }) => by === "consent")) return plugin;
  await operations.accept(name, plugin.digest);
  return (await operations.info(name)).plugin;
}

/** Commands in the README begin with the program as it was started. */
async function copyShipped(
  { platform, project, output }: Pick<CommandContext, "platform" | "project" | "output">,
  name: string,
  folder: string,
): Promise<void> {
  const { files } = platform;
  const from = `${rootOf(platform)}/${name}`;
  const schema = await schemaFrom(files, folder, project.root);
  const paths = await pathsIn(files, from);
  // Write the manifest last: until it exists, a watching host does not see a half-written plugin.
  for (const path of paths.toSorted((left, right) => Number(left === MANIFEST) - Number(right === MANIFEST))) {
    await files.makeDirectory(parentOf(`${folder}/${path}`));
    const bytes = await files.readBytes(`${from}/${path}`);
    await files.writeAtomic(`${folder}/${path}`, edited(path, bytes, { program: output.program, schema }));
  }
}

function edited(
  path: string,
  bytes: Uint8Array,
  { program, schema }: { readonly program: string; readonly schema: string | undefined },
): Uint8Array | string {
  if (path !== MANIFEST && path !== "README.md") return bytes;
  const text = new TextDecoder().decode(bytes);
  if (path === "README.md") return text.replaceAll(/\bbascule (?=[a-z])/gu, () => `${program} `);
  return text.replace(SCHEMA_LINE, (_line, key: string, comma: string) =>
    schema === undefined ? "" : `${key}${JSON.stringify(schema)}${comma}\n`,
  );
}

function rootOf({ environment }: Pick<Access, "environment">): string {
  return `${environment.packageFolder()}/plugins`;
}
