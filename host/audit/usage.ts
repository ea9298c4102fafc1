/** Reads what happened in a stretch of time from the journal, on the service thread: calls for charts, and decisions to compare (SPEC I5). */

import { isJsonObject, type JsonObject } from "../../manifests/mod.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { createCallHistory, type HistoryCall, type HistoryCounts } from "./telemetry/call-history.ts";
import { readEvents } from "./verify.ts";

/** A stretch of time, in milliseconds since the epoch. */
export interface UsageQuery {
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
}

/** Calls of the journal, counted. */
export interface RecordedCalls {
  readonly counts: HistoryCounts;
  /** Parts of the journal that cannot be read. */
  readonly damage: number;
}

interface Place {
  readonly folder: string;
}

const OUTCOMES: Readonly<Record<string, HistoryCall["outcome"]>> = {
  "tool.completed": "completed",
  "tool.failed": "failed",
  "tool.input_invalid": "failed",
  "tool.denied": "denied",
};

/** Returns the call that an event ended; undefined for other events. */
export function endedBy(event: {
  readonly type?: unknown;
  readonly time?: unknown;
  readonly plugin?: unknown;
  readonly payload?: unknown;
}): HistoryCall | undefined {
  const { type, time, plugin, payload } = event;
  const outcome = typeof type === "string" && Object.hasOwn(OUTCOMES, type) ? OUTCOMES[type] : undefined;
  if (outcome === undefined || typeof time !== "number" || typeof payload !== "object" || payload === null) return undefined;
  const durationMs: unknown = Reflect.get(payload, "durationMs");
  return { time, outcome, ...(typeof plugin === "string" && { plugin }), ...(typeof durationMs === "number" && { durationMs }) };
}

export const RECORDED_CALLS: ServiceTask<typeof callsTask> = { name: "audit.calls", run: callsTask };

/** A task of the service thread. */
async function callsTask({ folder, since, until }: UsageQuery & Place, { journals, files, turn }: TaskEnvironment): Promise<RecordedCalls> {
  const history = createCallHistory();
  let damage = 0;
  for await (const event of readEvents({ journals, files, folder }, { turn, onDamage: () => void damage++ })) {
    const call = endedBy(event);
    if (call !== undefined && call.time >= since && call.time < until) history.add(call);
  }
  return { counts: history.counts(), damage };
}

/** A tool that was called in sessions of one role. */
interface UsedTool {
  /** Qualified name. */
  readonly tool: string;
  readonly role?: string;
  readonly calls: number;
  readonly denied: number;
}

/** A distinct act of a tool: the guest's own text. */
export interface UsedAct {
  readonly tool: string;
  readonly role?: string;
  readonly kind: string;
  readonly value: string;
  readonly method?: string;
  readonly count: number;
}

/** Decisions of a stretch of time. */
export interface RecordedUse {
  readonly tools: readonly UsedTool[];
  readonly acts: readonly UsedAct[];
  readonly calls: number;
  /** Acts and tools above the maximum. */
  readonly dropped: number;
  readonly damage: number;
}

const MAX_TOOLS = 1_000;
const MAX_ACTS = 2_000;
const MAX_VALUE = 1_024;
const MAX_REMEMBERED = 20_000;

export const RECORDED_USE: ServiceTask<typeof useTask> = { name: "audit.use", run: useTask };

/** A task of the service thread. */
async function useTask({ folder, since, until }: UsageQuery & Place, { journals, files, turn }: TaskEnvironment): Promise<RecordedUse> {
  const collector = createUseCollector();
  let damage = 0;
  for await (const event of readEvents({ journals, files, folder }, { turn, onDamage: () => void damage++ })) {
    const { time, type } = event;
    // Sessions may have been opened before `since`, and their roles are needed.
    if (type === "session.opened" || (typeof time === "number" && time >= since && time < until)) collector.add(event);
  }
  return { ...collector.collected(), damage };
}

interface UseCollector {
  add(event: JsonObject): void;
  collected(): Omit<RecordedUse, "damage">;
}

/** Creates a collector of bounded size, whatever the length of the journal. */
function createUseCollector(): UseCollector {
  const roles = new Map<string, string>();
  const callers = new Map<string, { readonly tool: string; readonly role?: string }>();
  const tools = new Map<string, { -readonly [K in keyof UsedTool]: UsedTool[K] }>();
  const acts = new Map<string, { -readonly [K in keyof UsedAct]: UsedAct[K] }>();
  let calls = 0;
  let dropped = 0;

  function called(tool: string, sessionId: string, callId: string, isDenied: boolean): void {
    const role = roles.get(sessionId);
    const caller = { tool, ...(role !== undefined && { role }) };
    remember(callers, callId, caller);
    calls += 1;
    const key = JSON.stringify([tool, role ?? null]);
    const known = tools.get(key);
    if (known === undefined && tools.size >= MAX_TOOLS) return void (dropped += 1);
    const used = known ?? { ...caller, calls: 0, denied: 0 };
    tools.set(key, used);
    used.calls += 1;
    if (isDenied) used.denied += 1;
  }

  function acted(payload: JsonObject, callId: string): void {
    const caller = callers.get(callId);
    const [kind, value, method] = [text(payload["permission"]), text(payload["value"]), text(payload["method"])];
    if (caller === undefined) return;
    const key = JSON.stringify([caller.tool, caller.role ?? null, kind, method, value]);
    const known = acts.get(key);
    if (value.length > MAX_VALUE || (known === undefined && acts.size >= MAX_ACTS)) return void (dropped += 1);
    const act = known ?? { ...caller, kind, value, ...(method !== "" && { method }), count: 0 };
    acts.set(key, act);
    act.count += 1;
  }

  return {
    add({ type, payload, sessionId, callId }) {
      if (!isJsonObject(payload ?? null)) return;
      const own = payload as JsonObject; // Checked in the line above.
      if (type === "session.opened") {
        const role = text(own["role"]);
        if (role !== "") remember(roles, text(sessionId), role);
      } else if (type === "tool.called" || type === "tool.denied")
        called(text(own["tool"]), text(sessionId), text(callId), type === "tool.denied");
      else if (type === "capability.used" || type === "capability.denied") acted(own, text(callId));
    },
    collected: () => ({ tools: [...tools.values()], acts: [...acts.values()], calls, dropped }),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Forgets the oldest entry first. */
function remember<Value>(known: Map<string, Value>, key: string, value: Value): void {
  const [oldest] = known.keys();
  if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}
