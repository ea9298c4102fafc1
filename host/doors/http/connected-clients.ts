/** Clients and their sessions of all doors, from the host's events (SPEC I5, T1). Bounded: 1,000 sessions, the longest unused leave first. */

import { TERMINAL_EVENT_TYPES } from "../../audit/events.ts";
import type { HostEvent } from "../../audit/events.ts";
import type { Host } from "../../host/host-interface.ts";
import type { ConnectedSession } from "../views.ts";
import { keptText } from "../../primitives/text.ts";

export interface ConnectedClients {
  /** Open sessions first, then those that ended, the newest first. */
  list(): readonly ConnectedSession[];
  close(): void;
}

const MAX_SESSIONS = 1_000;
const MAX_RUNNING = 1_000;
/** A client can call what is not there by a name of any length. */
const MAX_NAME = 256;
const ENDED: ReadonlySet<string> = new Set(TERMINAL_EVENT_TYPES);

type Kept = { -readonly [K in keyof Omit<ConnectedSession, "running">]: ConnectedSession[K] } & { readonly running: Set<string> };

export function createConnectedClients(host: Pick<Host, "subscribe">): ConnectedClients {
  const sessions = new Map<string, Kept>();

  function sessionOf(sessionId: string): Kept {
    const known = sessions.get(sessionId) ?? { sessionId, calls: 0, failed: 0, denied: 0, running: new Set<string>() };
    // The session used last leaves last.
    sessions.delete(sessionId);
    const [oldest] = sessions.keys();
    if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    sessions.set(sessionId, known);
    return known;
  }

  function note({ type, time, sessionId, callId, payload }: HostEvent): void {
    if (sessionId === undefined) return;
    if (type === "session.opened") {
      const { door, client, role, workspace } = payload;
      Object.assign(sessionOf(sessionId), { openedAt: time, ...textsIn({ door, client, role, workspace }) });
    } else if (type === "session.closed") {
      const known = sessions.get(sessionId);
      if (known !== undefined) known.closedAt = time;
    } else if (type === "tool.called" || ENDED.has(type)) {
      const session = sessionOf(sessionId);
      const tool: unknown = Reflect.get(payload, "tool");
      session.lastCallAt = time;
      if (typeof tool === "string") session.lastTool = keptText(tool, MAX_NAME);
      if (type === "tool.called") return void (callId !== undefined && session.running.size < MAX_RUNNING && session.running.add(callId));
      if (callId !== undefined) session.running.delete(callId);
      session.calls += 1;
      if (type === "tool.denied") session.denied += 1;
      else if (type !== "tool.completed") session.failed += 1;
    }
  }

  return {
    list() {
      const shown = [...sessions.values()].toReversed().map(({ running, ...session }) => ({ ...session, running: running.size }));
      return [...shown.filter(({ closedAt }) => closedAt === undefined), ...shown.filter(({ closedAt }) => closedAt !== undefined)];
    },
    close: host.subscribe(note),
  };
}

function textsIn(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));
}
