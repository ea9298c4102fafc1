/**
 * The answers that a user gave for a session: in memory for its lifetime, and in the store for the same session of a later host (SPEC E1,
 * FR3).
 */

import type { Session } from "../call/session.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Clock } from "../platform/platform.ts";
import { objectOf } from "../primitives/json/object-of.ts";
import type { SealedSpace } from "../primitives/state/sealed-store.ts";

interface OnceAnswer {
  readonly isApproved: boolean;
  /** Reason for a denial. */
  readonly reason?: string;
}

/** The answers of one session. */
interface AnswersOfSession {
  /** Calls that the user approved for the session, by key. */
  readonly approved: Set<string>;
  /** Answers in the mode `prompt_once`, by key. */
  readonly once: Map<string, OnceAnswer>;
  /** Permissions that the user approved for the session, by key. */
  readonly permissions: Set<string>;
}

export interface SessionAnswers {
  /** Returns the answers of a session, those of an earlier host included. */
  of(session: Session): AnswersOfSession;
  /** Keeps the answers of a session after a change. */
  keep(session: Session): void;
  /** Forgets a session that has ended. */
  endSession(id: string): void;
}

interface SessionAnswersOptions {
  /** Rows of the kind `answers`. */
  readonly store: SealedSpace;
  readonly clock: Pick<Clock, "now">;
  readonly onDefect: (message: string, error?: unknown) => void;
}

const MOST_SESSIONS = 1_000;
const MOST_KEYS = 500;
const MOST_AGE_MS = 7 * 24 * 60 * 60_000;

/** @param lasting absent if nothing survives the host */
export function createSessionAnswers(lasting?: SessionAnswersOptions): SessionAnswers {
  const sessions = new WeakMap<Session, AnswersOfSession>();
  let isBroken = false;

  function keep(session: Session, { store, clock, onDefect }: SessionAnswersOptions): void {
    const { approved, once, permissions } = sessions.get(session) ?? NONE;
    const answered = Array.from(once, ([key, { isApproved, reason = null }]) => [key, isApproved, reason]);
    const lists = { approved: [...approved], once: answered, permissions: [...permissions] };
    // A user does not answer as often.
    if (Object.values(lists).some(({ length }) => length > MOST_KEYS)) return;
    try {
      const rows = store.list();
      const [oldest] = rows;
      if (rows.length >= MOST_SESSIONS && oldest !== undefined && rows.every(({ id }) => id !== session.id)) store.delete(oldest.id);
      const refused = store.put(session.id, { atMs: clock.now(), caller: callerOf(session), ...lists });
      if (refused !== undefined) throw new Error(refused);
    } catch (error) {
      complain(onDefect, error);
    }
  }

  function complain(onDefect: SessionAnswersOptions["onDefect"], error: unknown): void {
    if (!isBroken) onDefect("Answers for a session cannot be kept, and end with this host", error);
    isBroken = true;
  }

  return {
    of(session) {
      const known = sessions.get(session) ?? read(session, lasting);
      sessions.set(session, known);
      return known;
    },
    keep: (session) => (lasting === undefined ? undefined : keep(session, lasting)),
    endSession(id) {
      if (lasting === undefined) return;
      try {
        lasting.store.delete(id);
      } catch (error) {
        complain(lasting.onDefect, error);
      }
    },
  };
}

const NONE: Readonly<Record<keyof AnswersOfSession, readonly never[]>> = { approved: [], once: [], permissions: [] };

/** Answers hold for the same session of the same caller with the same rights only. */
function callerOf({ owner, role, agentId, workspace, parent }: Session): string {
  return JSON.stringify([owner ?? null, role ?? null, agentId ?? null, workspace, parent ? [parent.id, callerOf(parent)] : null]);
}

function read(session: Session, lasting: SessionAnswersOptions | undefined): AnswersOfSession {
  const row = objectOf(lasting?.store.head(session.id)?.value) ?? {};
  const { atMs, caller } = row;
  const isValid = typeof atMs === "number" && atMs + MOST_AGE_MS >= (lasting?.clock.now() ?? 0) && caller === callerOf(session);
  if (!isValid) return { approved: new Set(), once: new Map(), permissions: new Set() };
  const once = listIn(row["once"]).flatMap((answer): readonly (readonly [string, OnceAnswer])[] => {
    const [key, isApproved, reason] = listIn(answer);
    if (typeof key !== "string" || typeof isApproved !== "boolean") return [];
    return [[key, { isApproved, ...(typeof reason === "string" && { reason }) }]];
  });
  return { approved: new Set(textsIn(row["approved"])), once: new Map(once), permissions: new Set(textsIn(row["permissions"])) };
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return listIn(value).filter((one) => typeof one === "string");
}

function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
