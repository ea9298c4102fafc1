/** Reads `bascule.json` (SPEC P1, P2). */

import { compact, deepFreeze, DocumentReader, type Fields } from "../text/document.ts";
import { isJsonObject, type JsonValue } from "../text/json.ts";
import { readLimits } from "../plugin/limit-request.ts";
import { checkPluginName, checkToolName, printable } from "../text/names.ts";
import { parseJson } from "../text/parse-json.ts";
import { readMcpServers } from "../mcp/parse-mcp-servers.ts";
import { readLayer, readPermissionTypes, readRoles } from "./parse-policy-layer.ts";
import { readPermissions } from "../permissions/permission-field.ts";
import { REQUIRED_RECORDS } from "./policy-layer.ts";
import { readProjectTools } from "./parse-project-tools.ts";
import { readQuotas } from "./parse-quota.ts";
import { checkProtectedName, DEFAULT_PROTECTED } from "../permissions/protected-names.ts";
import { readSecrets } from "./parse-secrets.ts";
import { DEFAULT_SERVER, readCluster, readRemotes, readServer } from "./parse-server.ts";
import type { Parsed } from "../text/problem.ts";
import {
  type AuditConfig,
  CONFIRM_MODES,
  type ConfirmationConfig,
  ISOLATION_KINDS,
  type IsolationConfig,
  type PolicyConfig,
  type PolicyRule,
  type ProjectConfig,
  RECORD_MODES,
  type QuotaScope,
  type RuleEffect,
  type UndoConfig,
} from "./project.ts";
import { ROUTES } from "./route.ts";
import { SIDE_EFFECT_CLASSES } from "../permissions/side-effect.ts";

/** Maximum size of a project file, in bytes of UTF-8, and its maximum nesting depth. */
export const PROJECT_BOUNDS: { readonly maxBytes: number; readonly maxDepth: number } = Object.freeze({
  maxBytes: 1024 * 1024,
  maxDepth: 64,
});

/** Field names of a project file. */
export const PROJECT_FIELDS: readonly string[] = [
  "$schema",
  "plugins",
  "workspace",
  "policy",
  "confirmation",
  "trusted",
  "isolation",
  "mcpServers",
  "remotes",
  "cluster",
  "tools",
  "roles",
  "secrets",
  "audit",
  "undo",
  "server",
];
const EFFECT_FIELDS = ["allow", "route", "limits", "confirm", "grants", "quota", "dryRun"];
const SELECTORS = ["tool", "plugin", "category", "group", "pattern"] as const;
const DEFAULT_TIMEOUT_MS = 300_000;
const MAX_UNDO_BYTES = 2 ** 40;
const MAX_UNDO_DAYS = 3_650;
const MAX_TIMEOUT_MS = 7 * 24 * 3_600_000;

/** The configuration of a project without `bascule.json`. */
export const DEFAULT_PROJECT: ProjectConfig = deepFreeze({
  plugins: ["plugins"],
  policy: { default: { allow: true }, rules: [], layers: [], groups: {}, permissionTypes: {}, protected: DEFAULT_PROTECTED },
  confirmation: {
    default: {},
    perTool: {},
    trustedWorkspaces: [],
    trustedWorkspaceOverrides: {},
    timeoutMs: DEFAULT_TIMEOUT_MS,
    preview: true,
  },
  trusted: [],
  isolation: { by: "thread", alone: [] },
  mcpServers: {},
  remotes: {},
  cluster: { members: {}, callers: {} },
  tools: [],
  roles: {},
  secrets: {},
  audit: { store: true, redact: [], record: "none", required: "effects" },
  undo: { maxBytes: 256 * 1024 * 1024, maxDays: 7 },
  server: DEFAULT_SERVER,
});

/**
 * Returns a project's configuration with every default filled in and frozen, or every problem in it.
 *
 * Sections that other readers parse (`remotes`, `tools`, …) are passed through if they are objects.
 */
export function parseProject(text: string): Parsed<ProjectConfig> {
  const located = parseJson(text, PROJECT_BOUNDS);
  if (!located.ok) return located;
  const reader = new DocumentReader(located.value);
  reader.refuseHiddenText();
  const fields = reader.fields(located.value.value, "", { what: "Project", known: PROJECT_FIELDS });
  const project = fields === undefined ? DEFAULT_PROJECT : readProject(reader, fields);
  return reader.finish(() => deepFreeze(project));
}

function readProject(reader: DocumentReader, fields: Fields): ProjectConfig {
  fields.text("$schema");
  return compact({
    plugins: fields.texts("plugins", checkFolder) ?? DEFAULT_PROJECT.plugins,
    workspace: fields.text("workspace", checkFolder),
    policy: readPolicy(reader, fields),
    confirmation: readConfirmation(reader, fields),
    trusted: fields.list("trusted", (item, pointer) => readTrusted(reader, item, pointer)) ?? [],
    isolation: readIsolation(reader, fields),
    mcpServers: readMcpServers(reader, fields),
    remotes: readRemotes(reader, fields),
    cluster: readCluster(reader, fields),
    tools: readProjectTools(reader, fields),
    roles: readRoles(reader, fields) ?? {},
    secrets: readSecrets(reader, fields),
    audit: readAudit(reader, fields),
    undo: readUndo(reader, fields),
    server: readServer(reader, fields),
  });
}

function readPolicy(reader: DocumentReader, parent: Fields): PolicyConfig {
  const known = ["default", "rules", "layers", "groups", "permissionTypes", "protected"];
  const fields = parent.has("policy") ? reader.fields(parent.get("policy"), parent.at("policy"), { what: "Policy", known }) : undefined;
  if (fields === undefined) return DEFAULT_PROJECT.policy;
  const common = fields.has("default")
    ? reader.fields(fields.get("default"), fields.at("default"), { what: "Default rule", known: EFFECT_FIELDS })
    : undefined;
  return {
    default: { allow: true, ...(common && readEffect(reader, common, "tool")) },
    rules: fields.list("rules", (item, pointer) => readRule(reader, item, pointer), 1_024) ?? [],
    layers: fields.list("layers", (item, pointer) => readLayer(reader, item, pointer)) ?? [],
    groups: fields.record("groups", (item, pointer, name) => readGroup(reader, item, pointer, name)) ?? {},
    permissionTypes: readPermissionTypes(reader, fields) ?? {},
    protected: fields.texts("protected", checkProtectedName) ?? DEFAULT_PROTECTED,
  };
}

function readRule(reader: DocumentReader, value: JsonValue, pointer: string): PolicyRule | undefined {
  const fields = reader.fields(value, pointer, { what: "Rule", known: [...SELECTORS, ...EFFECT_FIELDS] });
  if (fields === undefined) return undefined;
  const chosen = SELECTORS.filter((selector) => fields.has(selector));
  if (chosen.length !== 1) {
    const shown = chosen.length === 0 ? "none" : chosen.map((selector) => `"${selector}"`).join(", ");
    reader.refuse(pointer, `Rule has ${shown} of its selectors instead of exactly one`, `write one of ${SELECTORS.join(", ")}`);
  }
  const selector = compact({
    tool: fields.text("tool", checkToolSelector),
    plugin: fields.text("plugin", checkPluginName),
    category: fields.text("category"),
    group: fields.text("group"),
    pattern: fields.text("pattern", checkPattern),
  });
  return { ...selector, ...readEffect(reader, fields, fields.has("plugin") ? "plugin" : "tool") };
}

/** `counted` is the default scope of a quota: whatever the rule selects. */
function readEffect(reader: DocumentReader, fields: Fields, counted: QuotaScope): RuleEffect {
  return compact({
    allow: fields.flag("allow"),
    route: fields.choice("route", ROUTES),
    limits: readLimits(reader, fields, "limits"),
    confirm: fields.choice("confirm", CONFIRM_MODES),
    grants: readPermissions(reader, fields, "grants"),
    quota: readQuotas(reader, fields, "quota", counted),
    dryRun: fields.flag("dryRun"),
  });
}

function readGroup(reader: DocumentReader, value: JsonValue, pointer: string, name: string): readonly string[] | undefined {
  if (/^group:(?:read|write|code|data|web|math|all)$/.test(name))
    reader.refuse(pointer, `Group "${name}" is predefined`, "choose another name", "key");
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  reader.refuse(pointer, `Group "${printable(name)}" is not a list of tool names`, 'write a list such as ["words.grep", "notes.*"]');
  return undefined;
}

function readAudit(reader: DocumentReader, parent: Fields): AuditConfig {
  const fields = parent.has("audit")
    ? reader.fields(parent.get("audit"), parent.at("audit"), { what: "Audit", known: ["store", "redact", "record", "required"] })
    : undefined;
  const required = fields?.choice("required", REQUIRED_RECORDS) ?? "effects";
  if (fields?.get("store") === false && required === "all")
    reader.refuse(fields.at("required"), '"required" is "all", but with "store" false nothing is stored', 'leave "store" out');
  return {
    store: fields?.flag("store") ?? true,
    redact: fields?.texts("redact") ?? [],
    record: fields?.choice("record", RECORD_MODES) ?? "none",
    required,
  };
}

function readUndo(reader: DocumentReader, parent: Fields): UndoConfig {
  const known = ["keep", "maxBytes", "maxDays"];
  const fields = parent.has("undo") ? reader.fields(parent.get("undo"), parent.at("undo"), { what: "Undo", known }) : undefined;
  return compact({
    keep: fields?.flag("keep"),
    maxBytes: fields?.count("maxBytes", MAX_UNDO_BYTES) ?? DEFAULT_PROJECT.undo.maxBytes,
    maxDays: fields?.count("maxDays", MAX_UNDO_DAYS) ?? DEFAULT_PROJECT.undo.maxDays,
  });
}

function readConfirmation(reader: DocumentReader, parent: Fields): ConfirmationConfig {
  const known = ["default", "perTool", "trustedWorkspaces", "trustedWorkspaceOverrides", "timeoutMs", "preview"];
  const fields = parent.has("confirmation")
    ? reader.fields(parent.get("confirmation"), parent.at("confirmation"), { what: "Confirmation", known })
    : undefined;
  if (fields === undefined) return DEFAULT_PROJECT.confirmation;
  const classes = fields.has("default")
    ? reader.fields(fields.get("default"), fields.at("default"), { what: "Confirmation default", known: SIDE_EFFECT_CLASSES })
    : undefined;
  const byClass = SIDE_EFFECT_CLASSES.map((name) => [name, classes?.choice(name, CONFIRM_MODES)] as const);
  return {
    default: compact(Object.fromEntries(byClass)),
    perTool: readModes(reader, fields, "perTool"),
    trustedWorkspaces: fields.texts("trustedWorkspaces", checkFolder) ?? [],
    trustedWorkspaceOverrides: readModes(reader, fields, "trustedWorkspaceOverrides"),
    timeoutMs: fields.count("timeoutMs", MAX_TIMEOUT_MS) ?? DEFAULT_TIMEOUT_MS,
    preview: fields.flag("preview") ?? true,
  };
}

function readModes(reader: DocumentReader, parent: Fields, key: string): ConfirmationConfig["perTool"] {
  const modes = parent.record(key, (value, pointer) => {
    const mode = CONFIRM_MODES.find((known) => known === value);
    if (mode === undefined) reader.refuse(pointer, "Unknown confirmation mode", `write one of ${CONFIRM_MODES.join(", ")}`);
    return mode;
  });
  return modes ?? {};
}

function readTrusted(reader: DocumentReader, value: JsonValue, pointer: string): ProjectConfig["trusted"][number] | undefined {
  if (typeof value === "string") return readTrusted(reader, { name: value }, pointer);
  const known = ["name", "unconfined", "digest"];
  const fields = reader.fields(value, pointer, { what: "Trusted plugin", known, required: ["name"] });
  const name = fields?.text("name", checkTrustedName);
  const digest = fields?.text("digest", checkDigest);
  return name === undefined ? undefined : compact({ name, unconfined: fields?.flag("unconfined") ?? false, digest });
}

/** Reads `"process"`, a list of plugins that need a process of their own, or an object with both. */
function readIsolation(reader: DocumentReader, parent: Fields): IsolationConfig {
  const value = parent.get("isolation");
  const { by, alone } = DEFAULT_PROJECT.isolation;
  if (Array.isArray(value)) return { by, alone: parent.texts("isolation", checkPluginName) ?? alone };
  if (!isJsonObject(value)) return { by: parent.choice("isolation", ISOLATION_KINDS) ?? by, alone };
  const fields = reader.fields(value, parent.at("isolation"), { what: "Isolation", known: ["by", "alone"] });
  return { by: fields?.choice("by", ISOLATION_KINDS) ?? by, alone: fields?.texts("alone", checkPluginName) ?? alone };
}

/** Accepts the name of a plugin, or of a tool of this file. */
function checkTrustedName(name: string): string | undefined {
  return checkToolName(name) === undefined ? undefined : checkPluginName(name);
}

function checkDigest(digest: string): string | undefined {
  return /^[0-9a-f]{64}$/.test(digest) ? undefined : 'Is not a hash; write the 64 hexadecimal digits that "bascule info" shows';
}

function checkFolder(path: string): string | undefined {
  return path.length <= 4_096 && !path.includes("\0") ? undefined : "Is not a path; write a folder, relative to this file or absolute";
}

function checkToolSelector(name: string): string | undefined {
  return /^[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)?$/.test(name)
    ? undefined
    : `"${printable(name)}" is not a tool name; write "tool" or "plugin.tool", or use "pattern"`;
}

function checkPattern(pattern: string): string | undefined {
  return pattern.length <= 256 && /^[\w.*?-]+$/.test(pattern)
    ? undefined
    : `Pattern "${printable(pattern)}" is not a glob over tool names; write one such as "notes.*"`;
}
