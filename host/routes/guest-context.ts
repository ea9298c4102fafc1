/** What a guest is told about its call (SPEC D7), as the JSON text that the sandbox takes. */

import type { JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import type { AllowDecision } from "../call/call.ts";
import type { Session } from "../call/session.ts";
import type { Execution } from "../tools/execution.ts";
import type { RunRecord } from "./run-record.ts";

/** All that a guest is told; functions are added inside. */
export function guestContextText(execution: Execution, record: RunRecord): string {
  const { turnId, callId, traceparent } = execution.call;
  // Text by text: that takes half the time of an object, and every call has one.
  const turn = turnId === undefined ? "" : `"turnId":${JSON.stringify(turnId)},`;
  const trace = traceparent === undefined ? "" : `"traceparent":${JSON.stringify(traceparent)},`;
  return `${openingText(execution, record)},${turn}"callId":${JSON.stringify(callId)},${trace}"deadline":${record.deadline}}`;
}

interface Opening {
  readonly session: Session;
  readonly settings: JsonObject;
  readonly text: string;
}

/** By decision the last that was made; a policy may decide on several plugins and sessions with one object. */
const OPENINGS = new WeakMap<AllowDecision, Opening>();

/** Most of the text is the same for all calls of a tool by a session, as long as nothing about them changes. */
function openingText({ call, decision }: Execution, { settings, permissions }: RunRecord): string {
  const { session } = call;
  const known = OPENINGS.get(decision);
  if (known !== undefined && known.session === session && known.settings === settings) return known.text;
  const object = JSON.stringify({
    sessionId: session.id,
    ...(session.agentId !== undefined && { agentId: session.agentId }),
    cwd: session.workspace,
    workspacePath: session.workspace,
    settings,
    permissions: toJson(permissions),
    // Those that the prelude keeps itself.
    limits: { timers: decision.limits.timers, pendingOperations: decision.limits.pendingOperations },
  });
  const text = object.slice(0, -1);
  OPENINGS.set(decision, { session, settings, text });
  return text;
}

/** Permissions as written are JSON; their interfaces just have no index signature. */
function toJson(permissions: Permissions): JsonValue {
  return permissions as unknown as JsonObject;
}
