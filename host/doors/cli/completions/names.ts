/** Names of plugins and tools for a shell that completes a word: soon, or none. No code of a plugin is run for it. */

import { callablesOf } from "../../../../manifests/mod.ts";
import { connectToHost } from "../../socket/socket-client.ts";
import type { CommandContext } from "../command.ts";
import { CliError } from "../cli-error.ts";
import { findPlugins } from "../find-plugins.ts";

/** A person waits at the prompt; a host that is busy is not waited for. */
const HOST_MS = 500;
/** What no shell takes apart. Names from elsewhere, as an MCP server's, can be anything. */
const PLAIN = /^[\w.-]+$/u;

/** Whose names. */
export interface Named {
  readonly name: string;
  readonly tools: readonly string[];
}

export async function namesFor(
  context: CommandContext,
  wanted: { readonly plugins: boolean; readonly tools: boolean },
): Promise<readonly string[]> {
  const all = (await fromHost(context)) ?? (await fromFolders(context));
  const names = all.flatMap(({ name, tools }) => [...(wanted.plugins ? [name] : []), ...(wanted.tools ? tools : [])]);
  return [...new Set(names)].filter((name) => PLAIN.test(name)).toSorted();
}

/** Undefined if no host runs, or it does not answer in time. */
async function fromHost({ platform, project }: CommandContext): Promise<readonly Named[] | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const stop = platform.clock.after(HOST_MS, () => resolve(undefined));
  const remote = await Promise.race([connectToHost(platform, project.stateDirectory), late]);
  try {
    const views = await Promise.race([remote?.operations.list(), late]);
    return views
      ?.filter(({ state }) => state !== "ignored")
      .map(({ name, directory, tools }) => ({
        // The built-in tools stand in the list like a plugin, and are none.
        name: directory === undefined ? "" : name,
        tools: tools.map((tool) => tool.name),
      }));
  } finally {
    stop();
    remote?.close();
  }
}

async function fromFolders(context: CommandContext): Promise<readonly Named[]> {
  try {
    const found = await findPlugins(context, []);
    return found.map(({ name, manifest }) => ({ name, tools: manifest.ok ? callablesOf(manifest.manifest).map((tool) => tool.name) : [] }));
  } catch (error) {
    // There are no plugins, or bascule.json is wrong, which every other command says.
    if (error instanceof CliError) return [];
    throw error;
  }
}
