/** The context that a guest gets about its call (SPEC D7), as the JSON text that the sandbox takes. */

import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { AllowDecision } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { Execution } from "../tools/execution.ts";
import type { RunRecord } from "./run-record.ts";

/** Returns the context as JSON. The guest's prelude adds the functions. */
export function guestContextText(execution: Execution, record: RunRecord): string {
  const { turnId, callId, traceparent } = execution.call;
  // Concatenation takes half the time of stringifying an object, and every call pays for it.
  const turn = turnId === undefined ? "" : `"turnId":${JSON.stringify(turnId)},`;
  const trace = traceparent === undefined ? "" : `"traceparent":${JSON.stringify(traceparent)},`;
  const id = JSON.stringify(callId);
  const key = execution.tool.definition.idempotent === true ? `"idempotencyKey":${id},` : "";
  return `${openingText(execution, record)},${turn}"callId":${id},${key}${trace}"deadline":${record.deadline}}`;
}

interface Opening {
  readonly session: Session;
  readonly settings: JsonObject;
  readonly text: string;
}

/** The last opening per decision. A policy may use one decision object for several plugins and sessions. */
const OPENINGS = new WeakMap<AllowDecision, Opening>();

/** Returns the part of the text that is the same for all calls of a tool in a session, cached until one of its inputs changes. */
function openingText({ call, decision }: Execution, { settings, permissions, dataPath }: RunRecord): string {
  const { session } = call;
  const known = OPENINGS.get(decision);
  if (known !== undefined && known.session === session && known.settings === settings) return known.text;
  const object = JSON.stringify({
    sessionId: session.id,
    ...(session.agentId !== undefined && { agentId: session.agentId }),
    cwd: session.workspace,
    workspacePath: session.workspace,
    ...(dataPath !== undefined && { dataPath }),
    settings,
    permissions: toJson(permissions),
    // Limits that the prelude enforces itself.
    limits: { timers: decision.limits.timers, pendingOperations: decision.limits.pendingOperations },
  });
  const text = object.slice(0, -1);
  OPENINGS.set(decision, { session, settings, text });
  return text;
}

/** Permissions in source form are JSON; their interfaces merely lack an index signature. */
function toJson(permissions: Permissions): JsonValue {
  return permissions as unknown as JsonObject;
}
