/**
 * Protocol of the socket: one JSON object per line; `id` matches answers to requests. The answers are in `frames.ts`.
 *
 * ```
 * → {"id":1,"op":"call","params":{"tool":"grep","args":{…},"interactive":true}}
 * ← {"id":1,"event":"progress","value":…}
 * ← {"id":1,"event":"yield","value":…}
 * ← {"id":1,"event":"confirm","request":{"requestId":"…",…}}
 * → {"id":1,"op":"answer","requestId":"…","answer":true}
 * ← {"id":1,"ok":true,"result":…}   or   {"id":1,"ok":false,"error":{"code":"…","message":"…"}}
 * → {"id":1,"op":"cancel"}
 * ```
 *
 * The arguments of a call can also be sent as JSON text in `argsText`, which the host parses. The answer to a line that is not a
 * request has `"id":null` and the code `invalid_request`.
 */

import type { JsonObject, JsonValue, PermissionKind, Permissions } from "../../manifests/mod.ts";
import { isJsonObject, LIMIT_CEILINGS, PERMISSION_KINDS, parsePermissions, problemToText } from "../../manifests/mod.ts";
import { JsonArgumentText } from "../call/argument-text.ts";
import { ANSWER_SCOPES, type ConfirmationAnswer, MAX_REASON_LENGTH } from "../confirmations/pending.ts";
import { defined } from "../primitives/defined.ts";
import type { JsonText } from "../primitives/json/json-text.ts";
import { readText } from "../primitives/json/read-slices.ts";
import type { Slices } from "../platform/platform.ts";
import type { KeptRangeOptions } from "../dispatch/results/kept-results.ts";
import type { SettingChange } from "../plugins/settings/plugin-settings.ts";
import type { UndoRequest } from "../effects/undo/undos.ts";
import { MAX_LINE_BYTES } from "./frames.ts";
import { type CallRequest, type RequestContext, SESSION_NAME, type WhyQuestion } from "./operations.ts";

/** Maximum open requests per connection. */
export const MAX_OPEN_REQUESTS = 64;
const MAX_DEPTH = LIMIT_CEILINGS.jsonDepth + 8;
const MAX_NAME_LENGTH = 256;
const MAX_SOURCE_LENGTH = 8_192;
/** Maximum events of the journal that a watching client gets first. */
const MAX_RECENT = 500;
const MAX_TIMEOUT_MS = LIMIT_CEILINGS.wallMs;

/** A message from the client. */
export type Request =
  | { readonly id: number; readonly op: "call"; readonly call: CallRequest; readonly interactive: boolean }
  | { readonly id: number; readonly op: "status" | "list" | "grants" | "pending" | "undoable" | "waiting" | "reload" }
  | { readonly id: number; readonly op: "watch"; readonly recent: number }
  | { readonly id: number; readonly op: "info"; readonly name: string }
  | { readonly id: number; readonly op: "grant"; readonly plugin: string; readonly permissions: Permissions }
  | { readonly id: number; readonly op: "revoke"; readonly plugin: string; readonly taken: Permissions | undefined }
  | { readonly id: number; readonly op: "read_result"; readonly handle: string; readonly range: KeptRangeOptions }
  | { readonly id: number; readonly op: "settings"; readonly plugin: string; readonly change: SettingChange | undefined }
  | { readonly id: number; readonly op: "why"; readonly question: WhyQuestion }
  | { readonly id: number; readonly op: "resolve"; readonly requestId: string; readonly given: ConfirmationAnswer }
  | { readonly id: number; readonly op: "result" | "cancelWaiting"; readonly callId: string }
  | { readonly id: number; readonly op: "commit"; readonly callId: string; readonly hash: string | undefined }
  | { readonly id: number; readonly op: "undo"; readonly callId: string; readonly wish: UndoRequest }
  | { readonly id: number; readonly op: "accept"; readonly plugin: string; readonly digest: string }
  | { readonly id: number; readonly op: "inspect"; readonly source: string }
  | { readonly id: number; readonly op: "install"; readonly digest: string }
  | { readonly id: number; readonly op: "rollback"; readonly plugin: string }
  | { readonly id: number; readonly op: "remove"; readonly plugin: string; readonly data: boolean }
  | { readonly id: number; readonly op: "answer"; readonly requestId: string; readonly answer: boolean | undefined }
  | { readonly id: number; readonly op: "cancel" };

/** A request, or the reason why the line is not one. `id` is null if the line has no readable id. */
type RequestRead =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly id: number | null; readonly message: string };

/** Parses a line from a client; a large line is parsed in slices. */
export function parseLine(line: string, slices: Slices): JsonText | Promise<JsonText> {
  return readText(line, { maxBytes: MAX_LINE_BYTES, maxDepth: MAX_DEPTH }, slices);
}

/** Reads a client's request. All of it is checked here; later code never sees the raw line. */
export function readRequest(json: JsonText): RequestRead {
  if (!json.ok) return { ok: false, id: null, message: "Expected one JSON object on each line" };
  const frame = json.value;
  if (!isJsonObject(frame)) return { ok: false, id: null, message: "Expected one JSON object on each line" };
  const { id, op, params } = frame;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0)
    return { ok: false, id: null, message: 'Expected "id" to be a whole number from 0' };
  if (params !== undefined && !isJsonObject(params)) return { ok: false, id, message: 'Expected "params" to be an object' };
  const request = readOperation(id, op, params ?? {}, frame);
  return typeof request === "string" ? { ok: false, id, message: request } : { ok: true, request };
}

function readOperation(id: number, op: JsonValue | undefined, params: JsonObject, frame: JsonObject): Request | string {
  switch (op) {
    case "call":
      return readCall(id, params);
    case "status":
    case "list":
    case "grants":
    case "pending":
    case "undoable":
    case "waiting":
    case "reload":
      return { id, op };
    case "watch": {
      const { recent = 0 } = params;
      const isGood = typeof recent === "number" && Number.isInteger(recent) && recent >= 0 && recent <= MAX_RECENT;
      return isGood ? { id, op, recent } : `Expected "recent" to be a whole number from 0 to ${MAX_RECENT}`;
    }
    case "info":
      return isName(params["name"]) ? { id, op, name: params["name"] } : expectedName("name");
    case "grant": {
      if (!isName(params["plugin"])) return expectedName("plugin");
      const permissions = parsePermissions(params["permissions"] ?? null);
      return permissions.ok
        ? { id, op, plugin: params["plugin"], permissions: permissions.value }
        : permissions.problems.map(problemToText).join("; ");
    }
    case "revoke": {
      if (!isName(params["plugin"])) return expectedName("plugin");
      if (params["taken"] === undefined) return { id, op, plugin: params["plugin"], taken: undefined };
      const taken = parsePermissions(params["taken"]);
      return taken.ok ? { id, op, plugin: params["plugin"], taken: taken.value } : taken.problems.map(problemToText).join("; ");
    }
    case "read_result": {
      const { handle, offset, length } = params;
      if (!isName(handle)) return expectedName("handle");
      if (!isCount(offset) || !isCount(length)) return 'Expected "offset" and "length" to be whole numbers from 0';
      return { id, op, handle, range: defined({ offset, length }) };
    }
    case "settings":
      return readSettings(id, params);
    case "why":
      return readWhy(id, params);
    case "resolve": {
      const { requestId, approve, hash, reason } = params;
      if (!isName(requestId)) return expectedName("requestId");
      if (!isName(hash)) return expectedName("hash");
      if (typeof approve !== "boolean") return 'Expected "approve" to be true or false';
      const scope = ANSWER_SCOPES.find((known) => known === params["scope"]);
      if (params["scope"] !== undefined && scope === undefined) return `Expected "scope" to be one of ${ANSWER_SCOPES.join(", ")}`;
      if (reason === undefined) return { id, op, requestId, given: { approve, hash, ...defined({ scope }) } };
      const isReason = typeof reason === "string" && reason.length <= MAX_REASON_LENGTH;
      return isReason
        ? { id, op, requestId, given: { approve, hash, reason, ...defined({ scope }) } }
        : `Expected "reason" to be a text of at most ${MAX_REASON_LENGTH} characters`;
    }
    case "result":
    case "cancelWaiting":
      return isName(params["callId"]) ? { id, op, callId: params["callId"] } : expectedName("callId");
    case "commit": {
      const { callId, hash } = params;
      if (!isName(callId)) return expectedName("callId");
      return hash === undefined || isName(hash) ? { id, op, callId, hash } : expectedName("hash");
    }
    case "undo": {
      const { callId, dryRun = false, force = false } = params;
      if (!isName(callId)) return expectedName("callId");
      if (typeof dryRun !== "boolean") return 'Expected "dryRun" to be true or false';
      return typeof force === "boolean" ? { id, op, callId, wish: { dryRun, force } } : 'Expected "force" to be true or false';
    }
    case "accept": {
      const { plugin, digest } = params;
      if (!isName(plugin)) return expectedName("plugin");
      return isName(digest) ? { id, op, plugin, digest } : expectedName("digest");
    }
    case "inspect": {
      const { source } = params;
      const isSource = typeof source === "string" && source !== "" && source.length <= MAX_SOURCE_LENGTH;
      return isSource ? { id, op, source } : `Expected "source" to be a path or a URL of at most ${MAX_SOURCE_LENGTH} characters`;
    }
    case "install":
      return isName(params["digest"]) ? { id, op, digest: params["digest"] } : expectedName("digest");
    case "rollback":
      return isName(params["plugin"]) ? { id, op, plugin: params["plugin"] } : expectedName("plugin");
    case "remove":
      return isName(params["plugin"]) ? { id, op, plugin: params["plugin"], data: params["data"] === true } : expectedName("plugin");
    case "answer": {
      const { requestId, answer } = frame;
      if (!isName(requestId)) return expectedName("requestId");
      return { id, op, requestId, answer: typeof answer === "boolean" ? answer : undefined };
    }
    case "cancel":
      return { id, op };
    default:
      return `Expected "op" to be one of ${OPERATION_NAMES.join(", ")}`;
  }
}

const OPERATION_NAMES = [
  "call",
  "status",
  "list",
  "watch",
  "info",
  "grant",
  "revoke",
  "grants",
  "read_result",
  "settings",
  "why",
  "pending",
  "resolve",
  "result",
  "commit",
  "undo",
  "undoable",
  "waiting",
  "cancelWaiting",
  "accept",
  "inspect",
  "install",
  "rollback",
  "remove",
  "reload",
  "answer",
  "cancel",
];

function readCall(id: number, params: JsonObject): Request | string {
  const { tool, args = {}, argsText, timeoutMs, seed, timeMs, record, dryRun, context, interactive, callGrant } = params;
  if (!isName(tool)) return expectedName("tool");
  if (argsText !== undefined && typeof argsText !== "string") return 'Expected "argsText" to be JSON text';
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))) {
    return `Expected "timeoutMs" to be a number from 1 to ${MAX_TIMEOUT_MS}`;
  }
  // Only the types are checked here: dispatch checks the values.
  if (seed !== undefined && typeof seed !== "string") return 'Expected "seed" to be a string';
  if (timeMs !== undefined && typeof timeMs !== "number") return 'Expected "timeMs" to be a number';
  if (record !== undefined && typeof record !== "boolean") return 'Expected "record" to be true or false';
  if (dryRun !== undefined && typeof dryRun !== "boolean") return 'Expected "dryRun" to be true or false';
  const asked = readContext(context);
  if (typeof asked === "string") return asked;
  const granted = readCallGrant(callGrant);
  if (typeof granted === "string") return granted;
  const call: CallRequest = {
    tool,
    args: argsText === undefined ? args : new JsonArgumentText(argsText),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(seed === undefined ? {} : { seed }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(record === undefined ? {} : { record }),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...asked,
    ...granted,
  };
  return { id, op: "call", call, interactive: interactive === true };
}

function readCallGrant(value: JsonValue | undefined): Pick<CallRequest, "callGrant"> | string {
  if (value === undefined) return {};
  if (!isJsonObject(value) || !isName(value["plugin"])) return 'Expected "callGrant" to be an object with a plugin and permissions';
  const permissions = parsePermissions(value["permissions"] ?? null);
  return permissions.ok
    ? { callGrant: { plugin: value["plugin"], permissions: permissions.value } }
    : permissions.problems.map(problemToText).join("; ");
}

function readSettings(id: number, { plugin, key, text }: JsonObject): Request | string {
  if (!isName(plugin)) return expectedName("plugin");
  if (key === undefined) return { id, op: "settings", plugin, change: undefined };
  if (!isName(key)) return expectedName("key");
  if (text !== undefined && typeof text !== "string") return 'Expected "text" to be a string';
  return { id, op: "settings", plugin, change: { key, ...(text !== undefined && { text }) } };
}

function readWhy(id: number, params: JsonObject): Request | string {
  const { name, act, context } = params;
  if (!isName(name)) return expectedName("name");
  const asked = readContext(context);
  if (typeof asked === "string") return asked;
  if (act === undefined) return { id, op: "why", question: { name, ...asked } };
  if (!isJsonObject(act)) return 'Expected "act" to be an object';
  const kind = PERMISSION_KINDS.find((known): known is PermissionKind => known === act["kind"]);
  if (!kind) return `Expected "act.kind" to be one of ${PERMISSION_KINDS.join(", ")}`;
  const { value } = act;
  if (value !== undefined && typeof value !== "string") return 'Expected "act.value" to be a string';
  return { id, op: "why", question: { name, act: value === undefined ? { kind } : { kind, value }, ...asked } };
}

function readContext(value: JsonValue | undefined): { readonly context?: RequestContext } | string {
  if (value === undefined) return {};
  if (!isJsonObject(value)) return 'Expected "context" to be an object';
  const { role, readOnly = false, noWeb = false, session } = value;
  if (role !== undefined && !isName(role)) return expectedName("context.role");
  if (typeof readOnly !== "boolean" || typeof noWeb !== "boolean")
    return 'Expected "context.readOnly" and "context.noWeb" to be true or false';
  if (session !== undefined && !(typeof session === "string" && SESSION_NAME.test(session)))
    return 'Expected "context.session" to be a name of letters, digits, ".", "_" and "-"';
  return { context: { readOnly, noWeb, ...(role !== undefined && { role }), ...(session !== undefined && { session }) } };
}

function isCount(value: JsonValue | undefined): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0);
}

export function isName(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME_LENGTH;
}

export function expectedName(field: string): string {
  return `Expected "${field}" to be a string of 1 to ${MAX_NAME_LENGTH} characters`;
}
