/** Endpoints for the user to manage plugins: permissions and their use, versions, settings (SPEC I2, C3, H6, G1). */

import { type TSchema, Type } from "@sinclair/typebox";
import type { PluginUse } from "../../plugins/learn/used.ts";
import type { Operations, PluginView } from "../operations.ts";
import type { CallApi } from "./call-endpoints.ts";
import { type Endpoint, json, jsonOf, jsonOfList, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { inWords, SETTINGS, USED } from "./person-schemas.ts";
import { closed, listed, NAME, OBJECT, some } from "./schema-parts.ts";
import { PLUGIN } from "./schemas.ts";

/** Dependencies of these endpoints. */
export interface PluginApi {
  readonly operations: Operations;
  readonly platform: CallApi["platform"];
  /** Reads the whole journal. Resolves with undefined if the plugin is unknown. */
  readonly used: (plugin: string) => Promise<PluginUse | undefined>;
}

const DIGEST: TSchema = Type.String({ minLength: 8, maxLength: 64, description: "Hash of the version that was shown" });

export const PLUGIN_ENDPOINTS: readonly Endpoint<PluginApi>[] = [
  {
    method: "get",
    path: "/v1/plugins",
    id: "listPlugins",
    summary: "List all plugins, loaded or not, with their requested and granted permissions",
    scope: "admin",
    answers: { 200: { about: "The plugins", schema: listed("plugins", PLUGIN) } },
    run: async (_request, { operations, platform }) => jsonOfList("plugins", await operations.list(), withWords, platform.slices),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}",
    id: "getPlugin",
    summary: "Get a plugin, or a tool with its plugin",
    scope: "admin",
    answers: { 200: { about: "The plugin or tool", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.info(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/reload",
    id: "reloadPlugins",
    summary: "Check the plugin folders for changes now",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "How many plugins were reloaded", schema: some({ reloaded: Type.Integer() }) } },
    run: async (_request, { operations }) => json({ reloaded: await operations.reload() }),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/accept",
    id: "acceptPlugin",
    summary: "Accept the waiting version of a plugin, or the limits it requests, if it is still the version that was shown",
    scope: "admin",
    body: closed({ digest: DIGEST }),
    answers: { 200: { about: "The outcome: accepted, changed since it was shown, or failed to load", schema: OBJECT } },
    run: async ({ params, body }, { operations }) => json(await operations.accept(params["name"] ?? "", textIn(body, "digest") ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/rollback",
    id: "rollBackPlugin",
    summary: "Roll back to the previous good version",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "The version that now serves", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.rollback(params["name"] ?? "")),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/used",
    id: "getUsed",
    summary: "Get the permissions that a plugin used, by the journal, and those it requests or holds without use",
    scope: "admin",
    answers: { 200: { about: "The narrowest permissions that cover the plugin's use", schema: USED } },
    async run({ params }, { used, platform }) {
      const found = await used(params["name"] ?? "");
      if (found !== undefined) return jsonOf(found, platform.slices);
      throw new RequestProblem("not_found", "Plugin not found, or its manifest cannot be read");
    },
  },
  {
    method: "post",
    path: "/v1/plugins/inspect",
    id: "inspectPlugin",
    summary: "Inspect a plugin before adding it; none of its code runs",
    scope: "admin",
    body: closed({
      source: Type.String({ minLength: 1, maxLength: 8_192, description: "An absolute path on the server, or a repository's URL" }),
    }),
    answers: { 200: { about: "The permissions it requests, and the digest that adds it", schema: OBJECT } },
    run: async ({ body, signal }, { operations }) => json(await operations.inspect(textIn(body, "source") ?? "", signal)),
  },
  {
    method: "post",
    path: "/v1/plugins",
    id: "addPlugin",
    summary: "Add the plugin that was inspected, in exactly that version",
    scope: "admin",
    body: closed({ digest: DIGEST }),
    answers: { 201: { about: "The installed plugin and its folder", schema: OBJECT } },
    run: async ({ body }, { operations }) => json(await operations.install(textIn(body, "digest") ?? ""), 201),
  },
  {
    method: "delete",
    path: "/v1/plugins/{name}",
    id: "removePlugin",
    summary: "Unload a plugin, and delete its folder and grants. Keeps its data (`bascule remove` deletes them)",
    scope: "admin",
    answers: { 200: { about: "The removed plugin", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.remove(params["name"] ?? "")),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/settings",
    id: "getSettings",
    summary: "Get a plugin's settings",
    scope: "admin",
    answers: { 200: { about: "The settings", schema: SETTINGS } },
    run: async ({ params }, { operations }) => json(await operations.settings(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/settings",
    id: "changeSetting",
    summary: "Change a setting of a plugin; without `text`, reset it to its default",
    scope: "admin",
    body: closed({ key: NAME, text: Type.Optional(Type.String({ maxLength: 65_536 })) }),
    answers: { 200: { about: "The settings after the change", schema: SETTINGS } },
    async run({ params, body }, { operations }) {
      const text = textIn(body, "text");
      return json(await operations.settings(params["name"] ?? "", { key: textIn(body, "key") ?? "", ...(text !== undefined && { text }) }));
    },
  },
];

/** Adds the changes of the waiting version as text. */
function withWords({ held, ...plugin }: PluginView): object {
  if (held === undefined) return plugin;
  return { ...plugin, held: { ...held, words: inWords(held.changes) } };
}
