/** The history of a session, rebuilt from its events (SPEC AU5). Pure. */

import { TERMINAL_EVENT_TYPES } from "./events.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";

/** A session as its events in the journal describe it. */
export interface SessionState {
  readonly sessionId: string;
  readonly workspace?: string;
  readonly role?: string;
  /** Milliseconds since the epoch. */
  readonly openedAt?: number;
  readonly closedAt?: number;
  /** Calls in the order of their first event. */
  readonly calls: readonly CallState[];
  /** Unreadable parts of the journal; absent if there are none. */
  readonly damage?: readonly string[];
}

/** A call as its events in the journal describe it; a member is absent if no event has told it yet. */
export interface CallState {
  readonly callId: string;
  readonly tool?: string;
  readonly plugin?: string;
  readonly digest?: string;
  readonly turnId?: string;
  readonly route?: string;
  /** Start of the tool and end of the call, in milliseconds since the epoch. */
  readonly calledAt?: number;
  readonly endedAt?: number;
  /** Id of the confirmation that the call waits for. */
  readonly requestId?: string;
  /** `waiting` for a confirmation, `running`, or the outcome. */
  readonly status: "waiting" | "running" | "completed" | "failed" | "input_invalid" | "denied";
  /** Set for a dry run, which changed nothing. */
  readonly dryRun?: true;
  /** Error code of a call that did not complete. */
  readonly code?: string;
  /** From the start of the tool to its end. */
  readonly durationMs?: number;
  /** Number of granted and refused operations on files, hosts and other resources. */
  readonly granted: number;
  readonly refused: number;
  /** The user's answer, if the call needed a confirmation. */
  readonly confirmation?: string;
}

const STATUS: Readonly<Record<string, CallState["status"]>> = {
  "tool.called": "running",
  "tool.resumed": "running",
  "tool.completed": "completed",
  "tool.failed": "failed",
  "tool.input_invalid": "input_invalid",
  "tool.denied": "denied",
  "tool.confirmation_requested": "waiting",
};

const ENDED: ReadonlySet<string> = new Set(TERMINAL_EVENT_TYPES);

/** Collects events of any sessions, in journal order. */
interface SessionRebuild {
  add(event: JsonObject): void;
  state(): SessionState;
}

export function rebuildSession(sessionId: string): SessionRebuild {
  let state: Omit<SessionState, "calls"> = { sessionId };
  const calls = new Map<string, CallState>();
  function add(event: JsonObject): void {
    if (event["sessionId"] !== sessionId) return;
    const { type, time, callId } = event;
    const payload = isJsonObject(event["payload"]) ? event["payload"] : {};
    if (type === "session.opened")
      state = { ...state, ...texts(payload, ["workspace", "role"]), ...(typeof time === "number" && { openedAt: time }) };
    if (type === "session.closed" && typeof time === "number") state = { ...state, closedAt: time };
    if (typeof callId === "string" && typeof type === "string") {
      calls.set(callId, after(calls.get(callId) ?? { callId, status: "waiting", granted: 0, refused: 0 }, { type, event, payload }));
    }
  }
  return { add, state: () => ({ ...state, calls: [...calls.values()] }) };
}

function after(
  call: CallState,
  { type, event, payload }: { readonly type: string; readonly event: JsonObject; readonly payload: JsonObject },
): CallState {
  const { requestId: asked, ...known } = call;
  const waits =
    type === "tool.confirmation_requested" ? texts(payload, ["requestId"]) : { ...(asked !== undefined && { requestId: asked }) };
  const isOver = type === "tool.confirmation_resolved" || ENDED.has(type);
  const { time } = event;
  return {
    ...known,
    ...(!isOver && waits),
    status: STATUS[type] ?? call.status,
    ...texts(event, ["plugin", "digest", "turnId"]),
    ...texts(payload, ["tool", "code", "route"]),
    ...(type === "tool.called" && typeof time === "number" && { calledAt: time }),
    ...(ENDED.has(type) && typeof time === "number" && { endedAt: time }),
    ...(payload["dryRun"] === true && type.startsWith("tool.") && { dryRun: true as const }),
    ...(typeof payload["durationMs"] === "number" && { durationMs: payload["durationMs"] }),
    ...(type === "capability.used" && { granted: call.granted + 1 }),
    ...(type === "capability.denied" && { refused: call.refused + 1 }),
    ...(type === "capability.summed" && summed(call, payload)),
    ...(type === "tool.confirmation_resolved" && typeof payload["decision"] === "string" && { confirmation: payload["decision"] }),
  };
}

/** Adds the counts of a call's summary row. */
function summed(call: CallState, payload: JsonObject): Pick<CallState, "granted" | "refused"> {
  let { granted, refused } = call;
  for (const [kind, count] of Object.entries(isJsonObject(payload["counts"] ?? null) ? (payload["counts"] as JsonObject) : {})) {
    if (typeof count !== "number") continue;
    if (kind.endsWith(" granted")) granted += count;
    else refused += count;
  }
  return { granted, refused };
}

function texts<K extends string>(from: JsonObject, keys: readonly K[]): { readonly [P in K]?: string } {
  const found = keys.flatMap((key): readonly (readonly [string, JsonValue])[] => {
    const value = from[key];
    return typeof value === "string" ? [[key, value]] : [];
  });
  // The result has only the requested keys, and only texts.
  return Object.fromEntries(found) as { readonly [P in K]?: string };
}
