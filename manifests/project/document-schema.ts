/**
 * TypeBox schemas of bascule's documents, proven against the hand-written interfaces (SPEC S4, M2).
 *
 * Editors use the generated schema for completion. The readers validate; TypeBox's own check is not used (FACTS, engine). This
 * file is not part of `mod.ts`, because loading TypeBox would add a fifth to the host's cold start.
 */

import { Type, type Static, type TSchema } from "@sinclair/typebox";

import type { EffectFile, ManifestFile, ProjectFile, QuotaFile, ServerFile, SkillFile, ToolFile } from "./document-files.ts";
import type { JsonObject } from "../text/json.ts";
import { LIMIT_NAMES } from "../plugin/limit-request.ts";
import { LIMIT_CEILINGS, type LimitRequest } from "../plugin/limits.ts";
import { QUOTA_BOUNDS } from "./parse-quota.ts";
import { SERVER_CEILINGS } from "./parse-server.ts";
import { CONFIRM_MODES, ISOLATION_KINDS, QUOTA_SCOPES, RECORD_MODES, type SecretSource } from "./project.ts";
import { ROUTES } from "./route.ts";
import {
  closed,
  describe,
  listOf,
  oneOf,
  permissionsSchema,
  PERMISSIONS,
  recordOf,
  SCHEMA,
  jsonSchemaSchema,
} from "../schema/schema-parts.ts";
import { type RemoteConfig, TOKEN_SCOPES } from "./server.ts";
import { SIDE_EFFECTS } from "../permissions/side-effect.ts";
import { CALLERS, type Requirement } from "../plugin/tool.ts";

/** A TypeBox schema of exactly the values of `T`, created by `schemaOf`. */
export type SchemaOf<T> = TSchema & { readonly static: T };

/**
 * Proves that a TypeBox schema and an interface describe the same values: a member that only one of them has, or that has another
 * type, does not compile.
 */
export function schemaOf<T>(): <S extends TSchema>(schema: IsSame<Static<S>, T> extends true ? S : never) => SchemaOf<T> {
  // The parameter's type checked assignability in both directions.
  return (schema) => schema as unknown as SchemaOf<T>;
}

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const PLUGIN_NAME = Type.String({ pattern: "^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$", maxLength: 63 });
const TOOL_NAME = Type.String({ pattern: "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$" });
const MODULE_PATH = Type.String({ pattern: "^(?!/)(?!(?:.*/)?\\.\\.(?:/|$))[^\\\\:]+\\.(?:ts|js|mjs)$" });
const JSON_OBJECT = Type.Unsafe<JsonObject>({ type: "object" });
const LIMITS = schemaOf<LimitRequest>()(
  Type.Unsafe<LimitRequest>(
    closed(
      Object.fromEntries(LIMIT_NAMES.map((name) => [name, Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_CEILINGS[name] }))])),
    ),
  ),
);

const REQUIREMENT = schemaOf<Requirement>()(
  closed({ capability: oneOf(["read", "write", "net", "run"]), arg: Type.String({ minLength: 1 }) }),
);

/** One tool of a manifest. */
export const ToolSchema: SchemaOf<ToolFile> = schemaOf<ToolFile>()(
  closed({
    name: TOOL_NAME,
    title: Type.Optional(Type.String({ minLength: 1, description: "Display name" })),
    description: Type.String({ minLength: 1, description: "Description that a model reads to decide whether to call the tool" }),
    module: Type.Optional(describe(MODULE_PATH, 'File that exports the function; default: the plugin\'s "main"')),
    export: Type.Optional(
      Type.String({ pattern: "^[A-Za-z_$][A-Za-z0-9_$-]*$", description: "Name of the exported function; default: the tool's name" }),
    ),
    category: Type.Optional(
      Type.String({ pattern: "^[a-z][a-z0-9_-]*$", examples: ["web", "data", "code", "math", "system", "archive", "llm"] }),
    ),
    tags: Type.Optional(listOf(Type.String({ minLength: 1, maxLength: 64 }))),
    inputSchema: describe(SCHEMA, "Schema of the arguments, which are an object"),
    outputSchema: Type.Optional(describe(SCHEMA, "Schema of the result, which is checked if present")),
    sideEffects: listOf(oneOf(SIDE_EFFECTS), { description: "Effects that the tool may have; [] means none" }),
    destructive: Type.Optional(Type.Boolean({ description: "Always requires a confirmation" })),
    determinism: Type.Optional(oneOf(["deterministic", "nondeterministic"])),
    idempotent: Type.Optional(
      Type.Boolean({
        description: "A second run with the same context.idempotencyKey has no further effect: a cluster may run a call again",
      }),
    ),
    permissions: Type.Optional(describe(PERMISSIONS, "Subset of the plugin's permissions; absent kinds mean none")),
    native: Type.Optional(
      Type.Boolean({ description: "Does not work in the sandbox: the tool must be trusted and run on the host route" }),
    ),
    requires: Type.Optional(listOf(REQUIREMENT, { description: "Arguments that name a file or host, checked before the tool runs" })),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_CEILINGS.wallMs })),
    callers: Type.Optional(listOf(oneOf(CALLERS))),
    visibility: Type.Optional(closed({ roles: Type.Optional(listOf(Type.String())), notRoles: Type.Optional(listOf(Type.String())) })),
    annotations: Type.Optional(
      closed({
        title: Type.Optional(Type.String()),
        readOnlyHint: Type.Optional(Type.Boolean()),
        destructiveHint: Type.Optional(Type.Boolean()),
        idempotentHint: Type.Optional(Type.Boolean()),
        openWorldHint: Type.Optional(Type.Boolean()),
      }),
    ),
  }),
);

/** One skill of a manifest. */
export const SkillSchema: SchemaOf<SkillFile> = schemaOf<SkillFile>()(
  closed({
    name: TOOL_NAME,
    description: Type.String({ minLength: 1 }),
    tools: listOf(Type.String({ description: "tool or plugin.tool" })),
    module: Type.Optional(MODULE_PATH),
    export: Type.Optional(Type.String()),
    inputSchema: SCHEMA,
    outputSchema: Type.Optional(SCHEMA),
    tags: Type.Optional(listOf(Type.String({ minLength: 1, maxLength: 64 }))),
  }),
);

/** `manifest.json`. */
export const ManifestSchema: SchemaOf<ManifestFile> = schemaOf<ManifestFile>()(
  closed({
    $schema: Type.Optional(Type.String()),
    schemaVersion: Type.Literal("1.0"),
    name: describe(PLUGIN_NAME, "Lower-case letters and digits, with single _ or - between them"),
    version: Type.String({ minLength: 1, description: "A semver version", examples: ["1.0.0"] }),
    description: Type.String({ minLength: 1 }),
    enabled: Type.Optional(Type.Boolean({ description: "false: listed, but not callable" })),
    main: Type.Optional(describe(MODULE_PATH, 'The plugin\'s module; default "main.ts"')),
    dependencies: Type.Optional(recordOf(Type.String({ description: "A semver range" }), { description: "Other plugins by name" })),
    settingsSchema: Type.Optional(describe(SCHEMA, "Schema of the plugin's settings, which are an object")),
    permissions: Type.Optional(describe(PERMISSIONS, "Permissions that the plugin requests; it has none until they are granted")),
    tools: Type.Optional(listOf(ToolSchema)),
    skills: Type.Optional(listOf(SkillSchema)),
    toolsFrom: Type.Optional(oneOf(["code"])),
    state: Type.Optional(oneOf(["call", "session"])),
    limits: Type.Optional(LIMITS),
    imports: Type.Optional(recordOf(Type.String(), { description: "Import names of the plugin's code, with files inside the plugin" })),
    author: Type.Optional(Type.String()),
    license: Type.Optional(Type.String()),
    homepage: Type.Optional(Type.String()),
    keywords: Type.Optional(listOf(Type.String())),
    notes: Type.Optional(listOf(Type.String())),
  }),
);

const QUOTA = schemaOf<QuotaFile>()(
  closed({
    calls: Type.Optional(Type.Integer({ minimum: 1 })),
    cpuMs: Type.Optional(Type.Integer({ minimum: 1 })),
    bytesRead: Type.Optional(Type.Integer({ minimum: 1 })),
    bytesWritten: Type.Optional(Type.Integer({ minimum: 1 })),
    requests: Type.Optional(Type.Integer({ minimum: 1 })),
    hostCalls: Type.Optional(Type.Integer({ minimum: 1 })),
    per: Type.Optional(oneOf(QUOTA_SCOPES)),
    windowMs: Type.Optional(Type.Integer({ minimum: QUOTA_BOUNDS.leastWindowMs, maximum: QUOTA_BOUNDS.mostWindowMs })),
  }),
);

const EFFECT = {
  allow: Type.Optional(Type.Boolean()),
  route: Type.Optional(oneOf(ROUTES)),
  limits: Type.Optional(LIMITS),
  confirm: Type.Optional(oneOf(CONFIRM_MODES)),
  grants: Type.Optional(PERMISSIONS),
  quota: Type.Optional(Type.Union([QUOTA, listOf(QUOTA)])),
  dryRun: Type.Optional(Type.Boolean()),
};
const SELECTOR = {
  tool: Type.Optional(Type.String()),
  plugin: Type.Optional(PLUGIN_NAME),
  category: Type.Optional(Type.String()),
  group: Type.Optional(Type.String()),
  pattern: Type.Optional(Type.String()),
};

const TEXTS = Type.Optional(listOf(Type.String()));
const LAYER = closed({
  name: Type.String(),
  level: oneOf(["global", "role", "delegation"] as const),
  role: Type.Optional(Type.String()),
  allow: TEXTS,
  deny: TEXTS,
  permissions: Type.Optional(PERMISSIONS),
});
const ROLE = closed({ webAccess: Type.Optional(Type.Boolean()), allowedCategories: TEXTS, allowedTools: TEXTS, forbiddenTools: TEXTS });
const PERMISSION_TYPE = closed({ requiresApproval: Type.Optional(Type.Boolean()), allowedPaths: TEXTS });

const REMOTE = schemaOf<RemoteConfig>()(
  closed({
    url: Type.String({ description: "URL of another bascule host, or of the NATS server of a cluster" }),
    cluster: Type.Optional(Type.String({ description: "Name of the cluster" })),
    token: Type.Optional(Type.String({ description: "Name of the secret that contains the bearer token" })),
    tools: Type.Optional(listOf(Type.String(), { description: "Names or patterns; default: all" })),
    addresses: Type.Optional(listOf(Type.String(), { description: "Allowed addresses that are not public" })),
    plaintext: Type.Optional(Type.Boolean()),
  }),
);

const SERVER = schemaOf<ServerFile>()(
  closed({
    host: Type.Optional(Type.String()),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
    tokens: Type.Optional(
      listOf(
        closed({
          name: Type.String(),
          sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 hash of the token, in hexadecimal" }),
          scopes: Type.Optional(listOf(oneOf(TOKEN_SCOPES))),
          role: Type.Optional(Type.String({ description: "Role of every session that the token opens" })),
        }),
      ),
    ),
    allowedHosts: Type.Optional(listOf(Type.String())),
    allowedOrigins: Type.Optional(listOf(Type.String())),
    limits: Type.Optional(
      closed({
        bodyBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: SERVER_CEILINGS.bodyBytes })),
        requests: Type.Optional(Type.Integer({ minimum: 1, maximum: SERVER_CEILINGS.requests })),
        sessions: Type.Optional(Type.Integer({ minimum: 1, maximum: SERVER_CEILINGS.sessions })),
        streams: Type.Optional(Type.Integer({ minimum: 1, maximum: SERVER_CEILINGS.streams })),
      }),
    ),
  }),
);

/** `bascule.json`. */
export const ProjectSchema: SchemaOf<ProjectFile> = schemaOf<ProjectFile>()(
  closed({
    $schema: Type.Optional(Type.String()),
    plugins: Type.Optional(listOf(Type.String())),
    workspace: Type.Optional(Type.String()),
    policy: Type.Optional(
      closed({
        default: Type.Optional(schemaOf<EffectFile>()(closed(EFFECT))),
        rules: Type.Optional(listOf(closed({ ...SELECTOR, ...EFFECT }))),
        layers: Type.Optional(listOf(LAYER)),
        groups: Type.Optional(recordOf(listOf(Type.String()))),
        permissionTypes: Type.Optional(
          closed({
            network: Type.Optional(PERMISSION_TYPE),
            filesystem: Type.Optional(PERMISSION_TYPE),
            shell: Type.Optional(PERMISSION_TYPE),
            compute: Type.Optional(PERMISSION_TYPE),
          }),
        ),
      }),
    ),
    confirmation: Type.Optional(
      closed({
        default: Type.Optional(
          closed({
            none: Type.Optional(oneOf(CONFIRM_MODES)),
            read: Type.Optional(oneOf(CONFIRM_MODES)),
            write: Type.Optional(oneOf(CONFIRM_MODES)),
            network: Type.Optional(oneOf(CONFIRM_MODES)),
            execute: Type.Optional(oneOf(CONFIRM_MODES)),
          }),
        ),
        perTool: Type.Optional(recordOf(oneOf(CONFIRM_MODES))),
        trustedWorkspaces: Type.Optional(listOf(Type.String())),
        trustedWorkspaceOverrides: Type.Optional(recordOf(oneOf(CONFIRM_MODES))),
        timeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
        preview: Type.Optional(Type.Boolean()),
      }),
    ),
    trusted: Type.Optional(listOf(Type.Union([PLUGIN_NAME, closed({ name: PLUGIN_NAME, unconfined: Type.Optional(Type.Boolean()) })]))),
    isolation: Type.Optional(
      Type.Union([
        oneOf(ISOLATION_KINDS),
        listOf(PLUGIN_NAME),
        closed({ by: Type.Optional(oneOf(ISOLATION_KINDS)), alone: Type.Optional(listOf(PLUGIN_NAME)) }),
      ]),
    ),
    mcpServers: Type.Optional(JSON_OBJECT),
    remotes: Type.Optional(recordOf(REMOTE, { description: "Hosts for calls of the route remote" })),
    cluster: Type.Optional(
      closed({
        members: Type.Optional(recordOf(Type.String(), { description: "Public keys of the hosts whose results are accepted" })),
        callers: Type.Optional(recordOf(Type.String(), { description: "Public keys of the hosts whose calls are run" })),
      }),
    ),
    tools: Type.Optional(listOf(JSON_OBJECT)),
    roles: Type.Optional(recordOf(ROLE)),
    secrets: Type.Optional(
      recordOf(
        schemaOf<SecretSource>()(
          closed({
            env: Type.Optional(Type.String({ description: "Variable of the host's environment" })),
            file: Type.Optional(Type.String({ description: "Path of a file, relative to this one" })),
            hosts: Type.Optional(listOf(Type.String(), { description: "Hosts that may receive the value" })),
          }),
        ),
        { description: "Secrets by reference; their values are never stored here" },
      ),
    ),
    audit: Type.Optional(closed({ store: Type.Optional(Type.Boolean()), redact: TEXTS, record: Type.Optional(oneOf(RECORD_MODES)) })),
    undo: Type.Optional(
      closed({
        keep: Type.Optional(Type.Boolean()),
        maxBytes: Type.Optional(Type.Integer({ minimum: 1 })),
        maxDays: Type.Optional(Type.Integer({ minimum: 1 })),
      }),
    ),
    server: Type.Optional(SERVER),
  }),
);

/** Returns the content of `manifests/manifest.schema.json`: the manifest as a Draft 7 schema for editors. */
export function manifestJsonSchema(): JsonObject {
  const document = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "bascule plugin manifest",
    ...ManifestSchema,
    anyOf: [{ required: ["tools"] }, { required: ["skills"] }],
    definitions: { permissions: permissionsSchema(), schema: jsonSchemaSchema() },
  };
  // The detour through text removes TypeBox's symbols.
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}
