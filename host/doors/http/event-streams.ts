/** Streams the host's events to clients: live, and from the last event that a client received (SPEC I4, AU1). */

import type { Audit } from "../../audit/audit.ts";
import type { HostEvent } from "../../audit/events.ts";
import type { FollowingEvents } from "../../audit/following.ts";
import { HeldEvents } from "../../audit/held-events.ts";
import type { Clock, Slices } from "../../platform/platform.ts";
import { eventWithoutGrants } from "../without-grants.ts";
import { RequestProblem } from "./problem.ts";
import type { HttpSessions } from "./sessions.ts";
import { createSseStream, type SseFrame, type SseStream } from "./sse.ts";
import { type HttpCaller, type HttpTokens, isGoodFor } from "./tokens.ts";

/** Filter of a stream, and the event after which it begins. */
interface StreamRequest {
  readonly sessionId?: string;
  /** Event type or its first part. */
  readonly type?: string;
  readonly lastEventId?: string;
}

/** Event streams of one server. */
export interface EventStreams {
  /** @throws {RequestProblem} if the token has too many streams open. */
  open(caller: HttpCaller, request: StreamRequest): Promise<Response>;
  close(): void;
}

interface EventStreamsOptions {
  readonly host: { readonly events: AsyncIterable<HostEvent>; readonly audit: Pick<Audit, "flush" | "following"> };
  readonly clock: Pick<Clock, "after">;
  readonly slices: Slices;
  readonly sessions: Pick<HttpSessions, "ownerOf">;
  readonly tokens: Pick<HttpTokens, "isKnown">;
  /** Maximum open streams per token. */
  readonly most: number;
  readonly onDefect: (error: unknown) => void;
  /** Maximum bytes buffered for a slow client. */
  readonly bufferBytes?: number;
}

/** Members of an event that decide which streams get it. */
type Subject = Readonly<Partial<Record<"id" | "type" | "sessionId", unknown>>>;

interface Open {
  readonly callerId: string;
  /** Only an admin sees grants. */
  readonly isAdmin: boolean;
  readonly stream: SseStream;
  readonly wants: (event: Subject) => boolean;
  lastId: string | undefined;
  /** True until the client was sent the events that it missed; new events are not delivered before. */
  isBehind: boolean;
}

const REMEMBERED = 1_024;

export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { host, clock, slices, sessions, tokens, most, onDefect, bufferBytes } = options;
  const open = new Set<Open>();
  /** Streams that are catching up from the journal; reading can outlast the client's connection. */
  const reading = new Set<Open>();
  const recent = new HeldEvents({ events: REMEMBERED });
  const events = host.events[Symbol.asyncIterator]();

  async function pump(): Promise<void> {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      recent.push(next.value);
      for (const one of open) if (!one.isBehind) deliver(one, next.value);
    }
    close();
  }

  function deliver(one: Open, event: Subject): void {
    const frame = frameFor(one, event);
    if (frame === undefined) return;
    if (one.stream.send(frame)) {
      one.lastId = frame.id;
      return;
    }
    // The client is too far behind: tell it the last id it was sent, from which it can reconnect.
    one.stream.sendLast({ event: "gap", data: { reason: "slow", ...(one.lastId !== undefined && { lastEventId: one.lastId }) } }, slices);
  }

  /** Returns undefined if the event is not for this stream. */
  function frameFor(one: Open, event: Subject): (SseFrame & { readonly id: string }) | undefined {
    const { id, type } = event;
    // If the token was removed while its stream was open, close the stream.
    if (!tokens.isKnown(one.callerId)) one.stream.close();
    else if (one.wants(event) && typeof id === "string" && typeof type === "string")
      return { event: type, id, data: one.isAdmin ? event : eventWithoutGrants(event) };
    return undefined;
  }

  function filterOf(caller: HttpCaller, { sessionId, type }: StreamRequest): Open["wants"] {
    const isAdmin = isGoodFor(caller, "admin");
    return (event) =>
      (sessionId === undefined || event.sessionId === sessionId) &&
      (type === undefined || event.type === type || (typeof event.type === "string" && event.type.startsWith(`${type}.`))) &&
      (isAdmin || (typeof event.sessionId === "string" && sessions.ownerOf(event.sessionId) === caller.id));
  }

  /** Sends the events after `lastEventId` as fast as the client reads: from the journal until memory has the next one, then from memory. */
  async function catchUp(one: Open, lastEventId: string): Promise<void> {
    let at = lastEventId;
    /** Last sent event that was in memory. */
    let anchor = lastEventId;
    /** Event id, or journal position, after which the journal is read. */
    let place: string | number = lastEventId;
    let hasRead = false;
    for (;;) {
      const known = recent.all.findIndex(({ id }) => id === anchor);
      if (known === -1) {
        const page = await following(place);
        if (!open.has(one)) return;
        if (page === undefined) {
          const newest = recent.all.at(-1);
          if (!(await one.stream.sendInTurn({ event: "gap", data: { reason: "unknown", lastEventId: at } }))) return;
          if (newest === undefined) break;
          at = anchor = place = newest.id;
          continue;
        }
        // Other hosts write to the same journal; their events are never in memory.
        const remembered = new Set<unknown>(recent.all.map(({ id }) => id));
        for (const { event } of page.events) {
          if (!(await sendMissed(one, event))) return;
          if (typeof event["id"] === "string") at = event["id"];
          if (remembered.has(at)) anchor = at;
        }
        place = page.last;
        if (page.events.length > 0 || !page.isEnd) continue;
      }
      // UUIDv7 ids sort by time.
      const next = known === -1 ? recent.all.find(({ id }) => id > at) : recent.all[known + 1];
      if (next === undefined) {
        if (hasRead) break;
        if (!(await one.stream.hasRead())) return;
      } else {
        if (!(await sendMissed(one, next))) return;
        at = anchor = place = next.id;
      }
      hasRead = next === undefined;
    }
    one.isBehind = false;
  }

  /** Returns false if the client has disconnected. */
  async function sendMissed(one: Open, event: Subject): Promise<boolean> {
    const frame = frameFor(one, event);
    if (frame === undefined) return open.has(one);
    if (!(await one.stream.sendInTurn(frame))) return false;
    one.lastId = frame.id;
    return true;
  }

  /** Returns the next page of the journal; undefined if the event is unknown or the journal cannot be read. */
  async function following(place: string | number): Promise<FollowingEvents | undefined> {
    try {
      await host.audit.flush();
      return await host.audit.following(place, (damage) => onDefect(new Error(damage)));
    } catch (error) {
      onDefect(error);
      return undefined;
    }
  }

  function close(): void {
    for (const { stream } of open) stream.close();
  }

  void pump().catch(onDefect);
  return {
    async open(caller, request) {
      const mine = [...open.union(reading)].filter(({ callerId }) => callerId === caller.id);
      if (mine.length >= most) throw new RequestProblem("too_many", `The token has ${most} open streams: close some`);
      const { lastEventId } = request;
      const stream = createSseStream({
        clock,
        onEnd: () => open.delete(one),
        ...(bufferBytes !== undefined && { bufferBytes }),
      });
      const isAdmin = isGoodFor(caller, "admin");
      const wants = filterOf(caller, request);
      const one: Open = { callerId: caller.id, isAdmin, stream, wants, lastId: lastEventId, isBehind: lastEventId !== undefined };
      open.add(one);
      if (lastEventId === undefined) return stream.response;
      reading.add(one);
      catchUp(one, lastEventId)
        .catch((error: unknown) => {
          onDefect(error);
          stream.close();
        })
        .finally(() => reading.delete(one));
      return stream.response;
    },
    close() {
      void events.return?.();
      close();
    },
  };
}
