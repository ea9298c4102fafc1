/** Endpoints for plugins: what they ask for, hold and use, which versions serve, how they are set (SPEC I2, C3, H6, G1). For people. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { PluginUse } from "../../plugins/learn/used.ts";
import type { Operations, PluginView } from "../operations.ts";
import type { CallApi } from "./call-endpoints.ts";
import { type Endpoint, json, jsonOf, jsonOfList, textIn } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { inWords, SETTINGS, USED } from "./person-schemas.ts";
import { closed, listed, NAME, OBJECT, PLUGIN, some } from "./schemas.ts";

/** What these endpoints work with. */
export interface PluginApi {
  readonly operations: Operations;
  readonly platform: CallApi["platform"];
  /** Reads the whole record; undefined if there is no such plugin. */
  readonly used: (plugin: string) => Promise<PluginUse | undefined>;
}

const DIGEST: TSchema = Type.String({ minLength: 8, maxLength: 64, description: "Of the version that was shown" });

export const PLUGIN_ENDPOINTS: readonly Endpoint<PluginApi>[] = [
  {
    method: "get",
    path: "/v1/plugins",
    id: "listPlugins",
    summary: "Every plugin, loaded or not, with what it asks for and what it was granted",
    scope: "admin",
    answers: { 200: { about: "The plugins", schema: listed("plugins", PLUGIN) } },
    run: async (_request, { operations, platform }) => jsonOfList("plugins", await operations.list(), withWords, platform.slices),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}",
    id: "getPlugin",
    summary: "A plugin, or a tool with its plugin",
    scope: "admin",
    answers: { 200: { about: "It", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.info(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/reload",
    id: "reloadPlugins",
    summary: "Look for changes now",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "How many are served differently", schema: some({ reloaded: Type.Integer() }) } },
    run: async (_request, { operations }) => json({ reloaded: await operations.reload() }),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/accept",
    id: "acceptPlugin",
    summary: "Let the version serve that waits for a person, or have the limits that it asks for, if it is still the one that was shown",
    scope: "admin",
    body: closed({ digest: DIGEST }),
    answers: { 200: { about: "What became of it: accepted, changed meanwhile, or it does not run", schema: OBJECT } },
    run: async ({ params, body }, { operations }) => json(await operations.accept(params["name"] ?? "", textIn(body, "digest") ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/rollback",
    id: "rollBackPlugin",
    summary: "Go back to the version that was good before",
    scope: "admin",
    body: closed({}),
    answers: { 200: { about: "The version that serves now", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.rollback(params["name"] ?? "")),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/used",
    id: "getUsed",
    summary: "What a plugin really used, by the record, and what it asks for or holds without using it",
    scope: "admin",
    answers: { 200: { about: "The narrowest permissions that it needed", schema: USED } },
    async run({ params }, { used, platform }) {
      const found = await used(params["name"] ?? "");
      if (found !== undefined) return jsonOf(found, platform.slices);
      throw new RequestProblem("not_found", "There is no such plugin whose manifest can be read");
    },
  },
  {
    method: "post",
    path: "/v1/plugins/inspect",
    id: "inspectPlugin",
    summary: "Look at a plugin that could be added: nothing of it runs",
    scope: "admin",
    body: closed({
      source: Type.String({ minLength: 1, maxLength: 8_192, description: "An absolute path of the server's, or a repository's URL" }),
    }),
    answers: { 200: { about: "What it asks for, and the digest that adds it", schema: OBJECT } },
    run: async ({ body, signal }, { operations }) => json(await operations.inspect(textIn(body, "source") ?? "", signal)),
  },
  {
    method: "post",
    path: "/v1/plugins",
    id: "addPlugin",
    summary: "Add the plugin that was looked at, and nothing else",
    scope: "admin",
    body: closed({ digest: DIGEST }),
    answers: { 201: { about: "Where it is now", schema: OBJECT } },
    run: async ({ body }, { operations }) => json(await operations.install(textIn(body, "digest") ?? ""), 201),
  },
  {
    method: "delete",
    path: "/v1/plugins/{name}",
    id: "removePlugin",
    summary: "Take a plugin out of service, delete its folder, and forget what was granted to it",
    scope: "admin",
    answers: { 200: { about: "What is gone", schema: OBJECT } },
    run: async ({ params }, { operations }) => json(await operations.remove(params["name"] ?? "")),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/settings",
    id: "getSettings",
    summary: "What a plugin is set to",
    scope: "admin",
    answers: { 200: { about: "Its settings", schema: SETTINGS } },
    run: async ({ params }, { operations }) => json(await operations.settings(params["name"] ?? "")),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/settings",
    id: "changeSetting",
    summary: "Set one of a plugin's settings, or with no text let its default hold again",
    scope: "admin",
    body: closed({ key: NAME, text: Type.Optional(Type.String({ maxLength: 65_536 })) }),
    answers: { 200: { about: "Its settings now", schema: SETTINGS } },
    async run({ params, body }, { operations }) {
      const text = textIn(body, "text");
      return json(await operations.settings(params["name"] ?? "", { key: textIn(body, "key") ?? "", ...(text !== undefined && { text }) }));
    },
  },
];

/** The version that waits with its changes in words, too. */
function withWords({ held, ...plugin }: PluginView): object {
  if (held === undefined) return plugin;
  return { ...plugin, held: { ...held, words: inWords(held.changes) } };
}
