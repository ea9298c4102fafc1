/** The host's events for the clients of the server: live, and from where a client left off (SPEC I4, AU1). */

import type { Audit } from "../../audit/audit.ts";
import type { HostEvent } from "../../audit/events.ts";
import { HeldEvents } from "../../audit/held-events.ts";
import type { Clock, Slices } from "../../platform/platform.ts";
import { eventWithoutGrants } from "../without-grants.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSessions } from "./sessions.ts";
import { createSseStream, type SseStream } from "./sse.ts";
import { type HttpCaller, type HttpTokens, isGoodFor } from "./tokens.ts";

/** Which events, and after which one. */
export interface StreamWish {
  readonly sessionId?: string;
  /** A type, or its beginning. */
  readonly type?: string;
  readonly lastEventId?: string;
}

/** The streams of one server. */
export interface EventStreams {
  /** @throws {RequestProblem} if the token has too many. */
  open(caller: HttpCaller, wish: StreamWish): Promise<Response>;
  close(): void;
}

export interface EventStreamsOptions {
  readonly host: { readonly events: AsyncIterable<HostEvent>; readonly audit: Pick<Audit, "flush" | "search"> };
  readonly clock: Pick<Clock, "after">;
  readonly slices: Slices;
  readonly sessions: Pick<HttpSessions, "ownerOf">;
  readonly tokens: Pick<HttpTokens, "isKnown">;
  /** Of one token. */
  readonly most: number;
  readonly onDefect: (error: unknown) => void;
  /** What may wait for a slow client, in bytes. */
  readonly bufferBytes?: number;
}

/** As much of an event as decides who gets it. */
type Subject = Readonly<Partial<Record<"id" | "type" | "sessionId", unknown>>>;

interface Open {
  readonly callerId: string;
  /** What was granted to tools is an admin's to see. */
  readonly isAdmin: boolean;
  readonly stream: SseStream;
  readonly wants: (event: Subject) => boolean;
  lastId: string | undefined;
}

const REMEMBERED = 1_024;
/** Of the record, for who was away longer. */
const MAX_REPLAYED = 10_000;

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { host, clock, slices, sessions, tokens, most, onDefect, bufferBytes } = options;
  const open = new Set<Open>();
  const opening = new Map<string, number>();
  const recent = new HeldEvents({ events: REMEMBERED });
  const events = host.events[Symbol.asyncIterator]();

  async function pump(): Promise<void> {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      recent.push(next.value);
      for (const one of open) deliver(one, next.value);
    }
    close();
  }

  function deliver(one: Open, event: Subject): void {
    const { id, type } = event;
    // A token that was taken away while its stream was open reads nothing more.
    if (!tokens.isKnown(one.callerId)) return one.stream.close();
    if (!one.wants(event) || typeof id !== "string" || typeof type !== "string") return;
    if (one.stream.send({ event: type, id, data: one.isAdmin ? event : eventWithoutGrants(event) })) {
      one.lastId = id;
      return;
    }
    // Too far behind: it is told where it was, and comes back when it reads again.
    one.stream.sendLast({ event: "gap", data: { reason: "slow", ...(one.lastId !== undefined && { lastEventId: one.lastId }) } }, slices);
  }

  function filterOf(caller: HttpCaller, { sessionId, type }: StreamWish): Open["wants"] {
    const isAdmin = isGoodFor(caller, "admin");
    return (event) =>
      (sessionId === undefined || event.sessionId === sessionId) &&
      (type === undefined || event.type === type || (typeof event.type === "string" && event.type.startsWith(`${type}.`))) &&
      (isAdmin || (typeof event.sessionId === "string" && sessions.ownerOf(event.sessionId) === caller.id));
  }

  /** What came after an event that is no longer in memory; undefined if the record does not know it either. */
  async function fromRecord(lastEventId: string): Promise<readonly Subject[] | undefined> {
    await host.audit.flush();
    const kept = await host.audit
      .search({ since: timeOf(lastEventId) }, MAX_REPLAYED, (damage) => onDefect(new Error(damage)))
      .catch((error: unknown) => {
        onDefect(error);
        return [];
      });
    const at = kept.findIndex(({ event }) => event["id"] === lastEventId);
    return at === -1 ? undefined : kept.slice(at + 1).map(({ event }) => event);
  }

  /** In one go, so that no event comes in between. */
  function replay(one: Open, lastEventId: string, recorded: readonly Subject[] | undefined): void {
    one.lastId = lastEventId;
    const at = recent.all.findIndex(({ id }) => id === lastEventId);
    if (at === -1 && recorded === undefined) {
      one.stream.send({ event: "gap", data: { reason: "unknown", lastEventId } });
      return;
    }
    const missed = at === -1 ? (recorded ?? []) : [];
    const seen = new Set(missed.map(({ id }) => id));
    for (const event of missed) deliver(one, event);
    for (const event of recent.all.slice(at + 1)) if (!seen.has(event.id)) deliver(one, event);
  }

  function count(callerId: string, by: number): void {
    const now = (opening.get(callerId) ?? 0) + by;
    if (now === 0) opening.delete(callerId);
    else opening.set(callerId, now);
  }

  function close(): void {
    for (const { stream } of open) stream.close();
  }

  void pump().catch(onDefect);
  return {
    async open(caller, wish) {
      if ((opening.get(caller.id) ?? 0) >= most) throw new RequestProblem("too_many", `The token has ${most} streams open: close some`);
      count(caller.id, 1);
      const { lastEventId } = wish;
      const isRecent = lastEventId === undefined || recent.all.some(({ id }) => id === lastEventId);
      const recorded = isRecent
        ? undefined
        : await fromRecord(lastEventId).catch((error: unknown) => {
            count(caller.id, -1);
            throw error;
          });
      const stream = createSseStream({
        clock,
        onEnd: () => {
          open.delete(one);
          count(caller.id, -1);
        },
        ...(bufferBytes !== undefined && { bufferBytes }),
      });
      const isAdmin = isGoodFor(caller, "admin");
      const one: Open = { callerId: caller.id, isAdmin, stream, wants: filterOf(caller, wish), lastId: lastEventId };
      open.add(one);
      if (lastEventId !== undefined) replay(one, lastEventId, recorded);
      return stream.response;
    },
    close() {
      void events.return?.();
      close();
    },
  };
}

/** The milliseconds that a UUIDv7 begins with (RFC 9562 §5.7). */
function timeOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
}
