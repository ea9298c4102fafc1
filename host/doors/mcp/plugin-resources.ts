/** `bascule://plugins`: which plugins there are, what each asks for, which kinds of access it was granted, and what is wrong with it. */

import { checkPluginName } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { type PluginStatus, realDirectoryOf } from "../../plugins/folder/mod.ts";
import type { McpClient } from "./client.ts";
import { jsonResource, type McpResources } from "./resources.ts";

/** Its list, and what its members' URIs begin with. */
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
    // A version that no person accepted has no words for a model, and asks for nothing yet.
    const serving = state === "loaded" || lastGood ? manifest : undefined;
    const tools = [...(await client.tools())].filter(([, { plugin }]) => plugin === name);
    return {
      name,
      state,
      ...numbersOf(version),
      ...(digest !== undefined && { digest }),
      ...(serving && { description: serving.description }),
      // Only what this client may see.
      tools: tools.map(([publicName]) => publicName),
      requested: serving?.permissions ?? {},
      // Only the kinds: grants name folders of the user's home, and a client may hold a token that is no admin's (SPEC I4).
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
      { uri: PLUGINS_URI, name: "plugins", title: "Plugins", description: "Every plugin with its state", mimeType: "application/json" },
      ...named().map(({ name }) => ({
        uri: pluginUri(name),
        name: `plugin ${name}`,
        description: "What it asks for and was granted, and what is wrong with it",
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

/** The numbers alone: what may follow them is a text of the author's that needs no consent. */
function numbersOf(version: string | undefined): { readonly version?: string } {
  const [numbers] = /^[0-9.]+/.exec(version ?? "") ?? [];
  return numbers === undefined ? {} : { version: numbers };
}

/** Of one plugin. */
export function pluginUri(name: string): string {
  return `${PLUGINS_URI}/${name}`;
}
