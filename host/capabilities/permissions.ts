/** The permissions bridge: what a guest may learn about its own permissions (SPEC PA7). */

import {
  type AccessQuery,
  type DenoKind,
  evaluateAccess,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseAccessQuery,
  type PermissionLayer,
  withoutRevoked,
} from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { answer, failure } from "./answer.ts";
import type { Bridge, BridgeContext } from "./bridge.ts";
import { toAct } from "./checked.ts";

/** The descriptor's field for each kind. Guests cannot query kinds beyond Deno's. */
const FIELDS: Readonly<Record<DenoKind, string>> = {
  read: "path",
  write: "path",
  net: "host",
  env: "variable",
  sys: "kind",
  run: "command",
  ffi: "path",
  import: "host",
};

/** A host name has at most 253 characters, plus a port; parsing a million characters would take a second. */
const MAX_HOST_LENGTH = 512;

/** Far more than a program revokes on purpose, and few enough to compare with every item. */
const MAX_REVOKED = 256;

/**
 * Answers Deno's descriptor, with the program's own revocations under `revoked`, as `{ state, partial }`; with `revoked: true` if only a
 * revocation keeps it from being granted.
 *
 * A query is not an act, so nothing is recorded.
 */
export function answerPermissionQuery(args: JsonValue, { grant, cwd }: Pick<BridgeContext, "grant" | "cwd">): HostAnswer {
  const asked = readDescriptor(args, cwd);
  if (!asked.ok) return failure(asked.error, asked.message);
  const revoked = readRevoked(args, cwd);
  if (revoked === undefined) return failure("RangeError", `A program can revoke at most ${MAX_REVOKED} permissions`);
  return answer(stateOf(grant.layers, asked.query, revoked));
}

export const permissionsBridge: Bridge = {
  name: "permissions",
  operations: {
    "permissions.query": async (args, _bytes, context) => answerPermissionQuery(args, context),
    "permissions.request": async (args, _bytes, context) => await answerPermissionRequest(args, context),
  },
};

/**
 * Answers like a query, but if only a grant is missing, asks the user while the program waits (SPEC E7). A permission that is not given
 * either way is recorded as refused, so that the failure that follows says what to grant.
 */
async function answerPermissionRequest(args: JsonValue, context: BridgeContext): Promise<HostAnswer> {
  const { grant, cwd, ask, record, signal } = context;
  if (signal.aborted) return failure("AbortError", "The call was cancelled");
  const asked = readDescriptor(args, cwd);
  const revoked = readRevoked(args, cwd);
  if (!asked.ok || revoked === undefined) return answerPermissionQuery(args, context);
  const verdict = evaluateAccess(grant.layers, asked.query);
  // A program needs no grant for what it revoked itself.
  if (verdict.state === "granted" || revoked.length > 0) return answerPermissionQuery(args, context);
  if (verdict.state === "prompt" && (await ask?.(asked.query)) === true) return answer({ state: "granted", partial: false });
  if (signal.aborted) return failure("AbortError", "The call was cancelled");
  record(toAct(asked.query.kind, shownQuery(asked.query), verdict));
  return answer({ state: ask === undefined ? verdict.state : "denied", partial: false });
}

function shownQuery(query: AccessQuery): string {
  if ("path" in query) return query.path ?? "";
  if ("name" in query) return query.name ?? "";
  if (!("host" in query)) return "";
  return query.port === undefined ? (query.host ?? "") : `${query.host ?? ""}:${query.port}`;
}

function stateOf(layers: readonly PermissionLayer[], query: AccessQuery, revoked: readonly AccessQuery[]): JsonObject {
  const { state, partial = false } = evaluateAccess(layers, query);
  if (state !== "granted" || revoked.length === 0) return { state, partial };
  const left = evaluateAccess(withoutRevoked(layers, revoked), query);
  // A revoked permission can be requested again.
  return left.state === "granted" ? { state, partial } : { state: "prompt", partial: false, revoked: true };
}

type Descriptor = ReturnType<typeof parseAccessQuery>;

function readDescriptor(value: JsonValue, cwd: string): Descriptor {
  const name = isJsonObject(value) ? own(value, "name") : undefined;
  if (!isJsonObject(value) || typeof name !== "string" || !isDenoKind(name)) {
    const shown = typeof name === "string" ? name : name === undefined ? "undefined" : JSON.stringify(name);
    return { ok: false, error: "TypeError", message: `The provided value "${shown.slice(0, 100)}" is not a valid permission name` };
  }
  const named = own(value, FIELDS[name]) ?? undefined;
  if (named !== undefined && typeof named !== "string")
    return { ok: false, error: "TypeError", message: `Field "${FIELDS[name]}" of a permission descriptor must be a string` };
  if (FIELDS[name] === "host" && named !== undefined && named.length > MAX_HOST_LENGTH)
    return { ok: false, error: "URIError", message: `A host has at most ${MAX_HOST_LENGTH} characters` };
  return parseAccessQuery(name, named, cwd);
}

/** Returns undefined if there are too many. Invalid descriptors are skipped. */
function readRevoked(args: JsonValue, cwd: string): readonly AccessQuery[] | undefined {
  const list = isJsonObject(args) ? own(args, "revoked") : undefined;
  if (!isJsonArray(list)) return [];
  if (list.length > MAX_REVOKED) return undefined;
  return list.flatMap((item) => {
    const read = readDescriptor(item, cwd);
    return read.ok ? [read.query] : [];
  });
}

function isDenoKind(name: string): name is DenoKind {
  return Object.hasOwn(FIELDS, name);
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
