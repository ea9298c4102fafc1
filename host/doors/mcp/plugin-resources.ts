/** `bascule://plugins`: the plugins with their requested permissions, granted kinds of access and problems. */

import { checkPluginName } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { type PluginStatus, realDirectoryOf } from "../../plugins/folder/mod.ts";
import type { McpClient } from "./client.ts";
import { jsonResource, type McpResources } from "./resources.ts";

/** URI of the list, and prefix of the plugins' URIs. */
export const PLUGINS_URI = "bascule://plugins";

export function pluginResources(host: Host): McpResources {
  const named = (): readonly (PluginStatus & { readonly name: string })[] =>
    host
      .plugins()
      .flatMap((status) =>
        status.name === undefined || checkPluginName(status.name) !== undefined ? [] : [{ ...status, name: status.name }],
      );

  async function view(status: PluginStatus & { readonly name: string }, client: McpClient): Promise<unknown> {
    const { name, state, version, digest, lastGood, manifest, problems, error, reason } = status;
    // Text and requests of a version that the user has not accepted are not shown to a model.
    const serving = state === "loaded" || lastGood ? manifest : undefined;
    const tools = [...(await client.tools())].filter(([, { plugin }]) => plugin === name);
    return {
      name,
      state,
      ...numbersOf(version),
      ...(digest !== undefined && { digest }),
      ...(serving && { description: serving.description }),
      // Only tools that this client may see.
      tools: tools.map(([publicName]) => publicName),
      requested: serving?.permissions ?? {},
      // Only the kinds: grants name folders of the user's home, and the client may lack the admin scope (SPEC I4).
      granted: Object.keys(host.grants.find(name, realDirectoryOf(status), digest ?? "") ?? {}),
      problems: [
        ...problems.map(({ message }) => message),
        ...(error === undefined ? [] : [error.message]),
        ...(reason === undefined ? [] : [reason]),
      ],
    };
  }

  return {
    prefix: PLUGINS_URI,
    list: () => [
      { uri: PLUGINS_URI, name: "plugins", title: "Plugins", description: "All plugins with their state", mimeType: "application/json" },
      ...named().map(({ name }) => ({
        uri: pluginUri(name),
        name: `plugin ${name}`,
        description: "Requested and granted permissions, and problems",
        mimeType: "application/json",
      })),
    ],
    templates: () => [{ uriTemplate: `${PLUGINS_URI}/{name}`, name: "plugin", title: "A plugin", mimeType: "application/json" }],
    async read(uri, client) {
      if (uri === PLUGINS_URI)
        return jsonResource(uri, {
          plugins: named().map(({ name, state, version }) => ({ name, state, ...numbersOf(version) })),
        });
      const status = named().find(({ name }) => pluginUri(name) === uri);
      return status && jsonResource(uri, await view(status, client));
    },
    complete: (_template, argument, value) =>
      argument === "name"
        ? named()
            .map(({ name }) => name)
            .filter((name) => name.startsWith(value))
        : [],
  };
}

/** Returns only the numbers of a version: the rest is text of the author that the user did not accept. */
function numbersOf(version: string | undefined): { readonly version?: string } {
  const [numbers] = /^[0-9.]+/.exec(version ?? "") ?? [];
  return numbers === undefined ? {} : { version: numbers };
}

/** Returns the URI of a plugin. */
export function pluginUri(name: string): string {
  return `${PLUGINS_URI}/${name}`;
}
