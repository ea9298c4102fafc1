/** The permissions bridge: what a guest may know about its own rights (SPEC PA7). */

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

/** What each kind names; kinds beyond Deno's are not for guests to ask. */
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

/** A name of the network has 253 characters, and there may be a port; taking apart a million of them takes a second. */
const MAX_HOST_LENGTH = 512;

/** Far more than a program gives up on purpose, and few enough to compare with every item. */
const MAX_REVOKED = 256;

/**
 * Takes Deno's descriptor, with what the program has given up under `revoked`; answers `{ state, partial }`, and
 * `revoked: true` where only that keeps it from being granted.
 *
 * Asking is not an act: nothing is recorded.
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
 * As a query; but where only a person's grant is missing, the call's person is asked, and the program waits (SPEC E7). What it
 * gets in neither way is recorded as refused, so that the failure that follows says what to grant.
 */
async function answerPermissionRequest(args: JsonValue, context: BridgeContext): Promise<HostAnswer> {
  const { grant, cwd, ask, record, signal } = context;
  if (signal.aborted) return failure("AbortError", "The call was cancelled");
  const asked = readDescriptor(args, cwd);
  const revoked = readRevoked(args, cwd);
  if (!asked.ok || revoked === undefined) return answerPermissionQuery(args, context);
  const verdict = evaluateAccess(grant.layers, asked.query);
  // What the program gave up itself is its own to use or not.
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
  // What was given up could be asked for again.
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
    return { ok: false, error: "TypeError", message: `Field "${FIELDS[name]}" of a permission descriptor is no string` };
  if (FIELDS[name] === "host" && named !== undefined && named.length > MAX_HOST_LENGTH)
    return { ok: false, error: "URIError", message: `A host has at most ${MAX_HOST_LENGTH} characters` };
  return parseAccessQuery(name, named, cwd);
}

/** Undefined if there are too many. What is no descriptor gives nothing up. */
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
