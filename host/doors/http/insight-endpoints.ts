/** Endpoints for a user who watches a host: charts, permission map, clients, and the policy with what an edit would change (SPEC I5, P6). */

import { type TSchema, Type } from "@sinclair/typebox";
import type { PermissionMap } from "../views.ts";
import { HISTORY_RANGE_NAMES } from "../../audit/telemetry/call-history.ts";
import type { ConnectedClients } from "./connected-clients.ts";
import { type Endpoint, json, jsonOf, textIn } from "./endpoint.ts";
import type { MetricsHistory } from "./metrics-history.ts";
import type { PolicyFile } from "./policy-file.ts";
import { closed, listed, NAME, OBJECT, oneOf, some, TEXT, TEXTS, TIME } from "./schema-parts.ts";
import type { Platform } from "../../platform/platform.ts";

/** Dependencies of these endpoints. */
export interface InsightApi {
  readonly history: MetricsHistory;
  readonly clients: ConnectedClients;
  readonly policyFile: PolicyFile;
  readonly permissionMap: () => Promise<PermissionMap>;
  readonly platform: Pick<Platform, "slices">;
}

const COUNTS: TSchema = Type.Array(Type.Integer());
const VALUES: TSchema = Type.Array(Type.Unsafe<number | null>({ type: ["number", "null"] }));
const MAX_POLICY_LENGTH = 1024 * 1024;
const POLICY_TEXT: TSchema = Type.String({ maxLength: MAX_POLICY_LENGTH, description: "The whole bascule.json" });
const DIGEST: TSchema = Type.String({ minLength: 64, maxLength: 64, description: "SHA-256 of the text that was edited" });

export const INSIGHT_ENDPOINTS: readonly Endpoint<InsightApi>[] = [
  {
    method: "get",
    path: "/v1/metrics/history",
    id: "metricsHistory",
    summary: "Get calls, durations and load over time: calls from the journal, load since the server started",
    scope: "admin",
    query: closed({
      range: Type.Optional(oneOf(HISTORY_RANGE_NAMES, "Default `1h`")),
      plugin: Type.Optional(NAME),
    }),
    answers: {
      200: {
        about: "Values per step, the oldest first; durations in milliseconds",
        schema: some({
          range: TEXT,
          from: TIME,
          stepMs: Type.Integer(),
          ...{ calls: COUNTS, failed: COUNTS, denied: COUNTS, p50: VALUES, p95: VALUES, p99: VALUES },
          ...{ memoryBytes: VALUES, busy: VALUES, queued: VALUES, confirmations: VALUES },
          overall: OBJECT,
          plugins: Type.Array(
            some({ plugin: TEXT, calls: Type.Integer(), failed: Type.Integer(), denied: Type.Integer(), series: COUNTS }),
          ),
          damage: Type.Integer({ description: "Parts of the journal that cannot be read" }),
        }),
      },
    },
    async run({ query }, { history }) {
      const range = HISTORY_RANGE_NAMES.find((name) => name === textIn(query, "range")) ?? "1h";
      return json(await history.read(range, textIn(query, "plugin")));
    },
  },
  {
    method: "get",
    path: "/v1/permissions",
    id: "permissionMap",
    summary: "Get who can read, write and reach what: the effective decision for each plugin and resource",
    scope: "admin",
    answers: {
      200: {
        about: "Plugins, resources, and a cell for each request, grant or access",
        schema: some({
          plugins: TEXTS,
          resources: Type.Array(some({ kind: TEXT, text: TEXT, own: Type.Optional(TEXT) })),
          cells: Type.Array(OBJECT),
          left: Type.Integer({ description: "Resources that are not shown" }),
        }),
      },
    },
    run: async (_request, { permissionMap, platform }) => jsonOf(await permissionMap(), platform.slices),
  },
  {
    method: "get",
    path: "/v1/clients",
    id: "listClients",
    summary: "List sessions of all doors with their clients and calls, since the server started",
    scope: "admin",
    answers: { 200: { about: "Open sessions first, the newest first", schema: listed("sessions", OBJECT) } },
    run: (_request, { clients }) => json({ sessions: clients.list() }),
  },
  {
    method: "get",
    path: "/v1/policy",
    id: "getPolicy",
    summary: "Get bascule.json as it is on disk",
    scope: "admin",
    answers: {
      200: {
        about: "The file; without members if the project has none",
        schema: some({ path: Type.Optional(TEXT), text: Type.Optional(TEXT), digest: Type.Optional(TEXT) }),
      },
    },
    run: async (_request, { policyFile }) => json((await policyFile.read()) ?? {}),
  },
  {
    method: "post",
    path: "/v1/policy/check",
    id: "checkPolicy",
    summary: "Compare the decisions of an edited bascule.json with those in force, over all tools and the calls of the last week",
    about: "Changes nothing. The edit counts as trusted.",
    scope: "admin",
    body: closed({ text: POLICY_TEXT }),
    answers: {
      200: {
        about: "What would change, the most used first",
        schema: some({
          changes: Type.Array(OBJECT),
          left: Type.Integer(),
          calls: Type.Integer(),
          changedCalls: Type.Integer(),
          notCompared: Type.Integer(),
          since: TIME,
        }),
      },
      400: { about: "The text is not valid; `errors` says where" },
    },
    run: async ({ body }, { policyFile, platform }) => jsonOf(await policyFile.check(textIn(body, "text") ?? ""), platform.slices),
  },
  {
    method: "post",
    path: "/v1/policy",
    id: "savePolicy",
    summary: "Save an edited bascule.json, if the file is still the one that was edited",
    about:
      "Only `policy`, `confirmation` and `roles` may differ. What the edit requests beyond the folder's trust waits for `bascule trust`; `withheld` lists it.",
    scope: "admin",
    body: closed({ text: POLICY_TEXT, digest: DIGEST }),
    answers: {
      200: { about: "The file is saved", schema: some({ digest: TEXT, withheld: Type.Array(some({ name: TEXT, about: TEXT })) }) },
      400: { about: "The text is not valid, or changes another member" },
      409: { about: "The file was changed meanwhile; `now` is the file" },
    },
    async run({ body }, { policyFile }) {
      return json(await policyFile.save({ text: textIn(body, "text") ?? "", digest: textIn(body, "digest") ?? "" }));
    },
  },
];
