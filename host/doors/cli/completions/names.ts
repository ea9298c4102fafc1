/** Finds the names of plugins and tools for shell completion. Gives up after a short time, and runs no plugin code. */

import { callablesOf } from "../../../../manifests/mod.ts";
import { connectToHost } from "../../socket/socket-client.ts";
import type { CommandContext } from "../command.ts";
import { CliError } from "../cli-error.ts";
import { findPlugins } from "../find-plugins.ts";

/** Time to wait for a running host, in milliseconds. The user is waiting at the prompt. */
const HOST_MS = 500;
/** Matches names that need no quoting in any shell. Names from MCP servers can contain anything. */
const PLAIN = /^[\w.-]+$/u;

/** A plugin with its tools. */
interface Named {
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

/** Asks the running host. @returns undefined if no host runs, or it does not answer in time */
async function fromHost({ platform, project }: CommandContext): Promise<readonly Named[] | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const stop = platform.clock.after(HOST_MS, () => resolve(undefined));
  const remote = await Promise.race([connectToHost(platform, project.stateDirectory), late]);
  try {
    const views = await Promise.race([remote?.operations.list(), late]);
    return views
      ?.filter(({ state }) => state !== "ignored")
      .map(({ name, directory, tools }) => ({
        // The list contains the built-in tools as an entry without a directory, which is not a plugin.
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
    // No plugins found, or bascule.json is invalid. Other commands report that; completion returns nothing.
    if (error instanceof CliError) return [];
    throw error;
  }
}
