/** Endpoints for a user who reads a plugin: the files of its versions, what differs between them, and its log (SPEC I5, H10). */

import { Type } from "@sinclair/typebox";
import type { Host } from "../../host/host-interface.ts";
import type { Platform } from "../../platform/platform.ts";
import type { LogLine, SourceChange, SourceFile, SourceVersion } from "../views.ts";
import { type Endpoint, json, jsonOf, textIn } from "./endpoint.ts";
import type { PluginTests } from "./plugin-tests.ts";
import { REPLAY_VERSIONS, type Replays } from "./replays.ts";
import { RequestProblem } from "./problem.ts";
import { closed, listed, OBJECT, oneOf, some, TEXT, TEXTS, TIME } from "./schema-parts.ts";

/** Dependencies of these endpoints. */
export interface SourceApi {
  readonly host: Pick<Host, "sources" | "logLines">;
  readonly tests: PluginTests;
  readonly replays: Replays;
  readonly platform: Pick<Platform, "slices">;
}

const DIGEST = Type.String({ minLength: 64, maxLength: 64, description: "Hash of a version" });
const RUN = some({
  ...{ plugin: TEXT, digest: TEXT, at: TIME, ms: Type.Integer() },
  ...{ passed: Type.Integer(), failed: Type.Integer(), ignored: Type.Integer() },
  files: Type.Array(OBJECT),
  isCut: Type.Boolean({ description: "Whether not all tests ran, or are shown" }),
});
const FILE = { path: TEXT, bytes: Type.Integer() };

export const SOURCE_ENDPOINTS: readonly Endpoint<SourceApi>[] = [
  {
    method: "get",
    path: "/v1/plugins/{name}/versions",
    id: "listVersions",
    summary: "List the versions of a plugin whose files can be read: serving, in its folder, kept for a rollback",
    scope: "admin",
    answers: {
      200: {
        about: "The serving version first, then the folder's, then those kept",
        schema: listed("versions", some({ digest: TEXT, version: Type.Optional(TEXT), state: oneOf(["serving", "folder", "kept"]) })),
      },
    },
    run: async ({ params }, { host }) =>
      json({ versions: await found<readonly SourceVersion[]>(host.sources.versions(params["name"] ?? "")) }),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/files",
    id: "listPluginFiles",
    summary: "List the files of a plugin's version",
    scope: "admin",
    query: closed({ digest: Type.Optional(DIGEST) }),
    answers: { 200: { about: "The files that its hash covers, the manifest first", schema: listed("files", some(FILE)) } },
    run: async ({ params, query }, { host, platform }) =>
      jsonOf(
        { files: await found<readonly SourceFile[]>(host.sources.files(params["name"] ?? "", textIn(query, "digest"))) },
        platform.slices,
      ),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/file",
    id: "getPluginFile",
    summary: "Read one file of a plugin's version",
    scope: "admin",
    query: closed({ path: Type.String({ minLength: 1, maxLength: 4_096 }), digest: Type.Optional(DIGEST) }),
    answers: {
      200: {
        about: "The file; the first 256 KB of a longer one, and no text for a file that is not text",
        schema: some({ ...FILE, text: Type.Optional(TEXT) }),
      },
    },
    run: async ({ params, query }, { host, platform }) =>
      jsonOf(
        await found<SourceFile>(
          host.sources.text(params["name"] ?? "", textIn(query, "path") ?? "", textIn(query, "digest")),
          "File not found in that version",
        ),
        platform.slices,
      ),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/diff",
    id: "diffVersions",
    summary: "Compare the files of two versions of a plugin",
    scope: "admin",
    query: closed({ from: DIGEST, to: DIGEST }),
    answers: {
      200: {
        about: "The files that differ, the manifest first",
        schema: listed(
          "changes",
          some({
            path: TEXT,
            kind: oneOf(["added", "removed", "changed"]),
            before: Type.Optional(Type.Integer({ description: "Bytes" })),
            after: Type.Optional(Type.Integer({ description: "Bytes" })),
            diff: Type.Optional(Type.String({ description: "Unified diff" })),
          }),
        ),
      },
    },
    async run({ params, query }, { host, platform }) {
      const [from, to] = [textIn(query, "from") ?? "", textIn(query, "to") ?? ""];
      return jsonOf({ changes: await found<readonly SourceChange[]>(host.sources.diff(params["name"] ?? "", from, to)) }, platform.slices);
    },
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/log",
    id: "pluginLog",
    summary: "Get the last log lines about a plugin, since the server started",
    scope: "admin",
    answers: {
      200: {
        about: "At most 200 lines, the oldest first; `isGuest` marks the plugin's own text",
        schema: listed(
          "lines",
          some({ time: TIME, level: TEXT, text: TEXT, isGuest: Type.Boolean(), tool: Type.Optional(TEXT), callId: Type.Optional(TEXT) }),
        ),
      },
    },
    run: ({ params }, { host }) => json({ lines: host.logLines(params["name"] ?? "") satisfies readonly LogLine[] }),
  },
  {
    method: "get",
    path: "/v1/plugins/{name}/tests",
    id: "lastTests",
    summary: "Get the outcome of a plugin's last test run since the server started",
    scope: "admin",
    answers: { 200: { about: "The outcome; `run` is absent before the first run", schema: some({ run: Type.Optional(RUN) }) } },
    run: ({ params }, { tests }) => json({ run: tests.last(params["name"] ?? "") }),
  },
  {
    method: "post",
    path: "/v1/plugins/{name}/tests",
    id: "runTests",
    summary: "Run a plugin's tests on copies of it, in an empty workspace and without its grants",
    about: "Ends after two minutes, or when the client disconnects.",
    scope: "admin",
    body: closed({}),
    answers: {
      200: { about: "The outcome", schema: RUN },
      409: { about: "The plugin's folder holds another version than the one that serves" },
    },
    run: async ({ params, signal }, { tests, platform }) => jsonOf(await tests.run(params["name"] ?? "", signal), platform.slices),
  },
  {
    method: "get",
    path: "/v1/recordings",
    id: "listRecordings",
    summary: "List the calls that are recorded and can be replayed",
    scope: "admin",
    answers: { 200: { about: "Ids of calls, the oldest first; at most 200 are kept", schema: some({ callIds: TEXTS }) } },
    run: async (_request, { replays }) => json({ callIds: await replays.recorded() }),
  },
  {
    method: "post",
    path: "/v1/calls/{callId}/replay",
    id: "replayCall",
    summary: "Replay a recorded call with the recorded answers, and compare: nothing outside is read or written",
    about: "Ends after two minutes, or when the client disconnects.",
    scope: "admin",
    body: closed({ version: Type.Optional(oneOf(REPLAY_VERSIONS, "Code that runs. Default `recorded`")) }),
    answers: {
      200: {
        about: "Whether result and operations are the same, and the differences as text",
        schema: some({ kind: oneOf(["same", "different"]), version: oneOf(REPLAY_VERSIONS), digest: TEXT, lines: TEXTS }),
      },
      404: { about: "The call was not recorded" },
      409: { about: "The recording or the version cannot be used" },
    },
    async run({ params, body, signal }, { replays, platform }) {
      const version = REPLAY_VERSIONS.find((name) => name === body["version"]) ?? "recorded";
      return jsonOf(await replays.run(params["callId"] ?? "", version, signal), platform.slices);
    },
  },
];

async function found<T>(search: Promise<T | undefined>, problem = "Plugin or version not found"): Promise<T> {
  const value = await search;
  if (value === undefined) throw new RequestProblem("not_found", problem);
  return value;
}
