/** The permissions bridge: what a guest may know about its own rights (SPEC PA7). */

import { type AccessQuery, evaluateAccess, isJsonObject, type JsonObject, type JsonValue, normalizePath } from "../../manifests/mod.ts";
import { answer, failure } from "./answer.ts";
import type { Bridge, OperationHandler } from "./bridge.ts";

/** Deno's names; ours beyond Deno's are not for guests to ask. */
const DENO_KINDS = ["read", "write", "net", "env", "sys", "run", "ffi", "import"] as const;

/** Takes Deno's descriptor, answers `{ state, partial }`. Asking is not an act: nothing is recorded. */
const query: OperationHandler = async (args, _bytes, context) => {
  const name = isJsonObject(args) ? own(args, "name") : undefined;
  const kind = DENO_KINDS.find((known) => known === name);
  if (!isJsonObject(args) || kind === undefined) {
    return failure("TypeError", `The provided value ${JSON.stringify(name ?? null).slice(0, 100)} is not a valid permission name`);
  }
  const asked = toQuery(kind, args, context.cwd);
  if ("error" in asked) return failure(asked.error, asked.message);
  const { state, partial = false, decidedBy } = evaluateAccess(context.grant.layers, asked);
  return answer({ state: decidedBy.ignored === true ? "denied" : state, partial });
};

export const permissionsBridge: Bridge = { name: "permissions", operations: { "permissions.query": query } };

type Unaskable = { readonly error: string; readonly message: string };

function toQuery(kind: (typeof DENO_KINDS)[number], descriptor: JsonObject, cwd: string): AccessQuery | Unaskable {
  const field = FIELDS[kind];
  const value = own(descriptor, field);
  if (value === undefined || value === null) return { kind };
  if (typeof value !== "string") return { error: "TypeError", message: `Field "${field}" of a permission descriptor is no string` };
  if (kind === "read" || kind === "write") {
    const path = normalizePath(value, cwd);
    return path === undefined ? { error: "TypeError", message: `Invalid path ${JSON.stringify(value).slice(0, 100)}` } : { kind, path };
  }
  return kind === "net" ? toNetQuery(value) : { kind, name: value };
}

const FIELDS = {
  read: "path",
  write: "path",
  net: "host",
  env: "variable",
  sys: "kind",
  run: "command",
  ffi: "path",
  import: "host",
} as const;

function toNetQuery(text: string): AccessQuery | Unaskable {
  if (text.includes("://"))
    return { error: "URIError", message: `invalid value '${text.slice(0, 100)}': URLs are not supported, only domains and IPs` };
  // A name or bracketed IPv6 address with a port, or all of it is the host.
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*):([0-9]{1,5})$/.exec(text) ?? [];
  return port === undefined ? { kind: "net", host } : { kind: "net", host, port: Number(port) };
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
