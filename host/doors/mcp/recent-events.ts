/** Recent events of a session's streams, which a client whose connection broke requests with `Last-Event-ID`. */

import type { EventId, EventStore, JSONRPCMessage, StreamId } from "@modelcontextprotocol/server";

interface RecentEvent {
  readonly streamId: StreamId;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

const MAX_EVENTS = 256;
/** Maximum UTF-16 units of JSON per session. */
const MAX_LENGTH = 1024 * 1024;

/** Creates the store of one session. A request for events after a dropped one is refused, so that no client gets only a part. */
export function createRecentEvents(maxEvents: number = MAX_EVENTS, maxLength: number = MAX_LENGTH): EventStore {
  /** Events by id, in the order in which they were sent. */
  const events = new Map<EventId, RecentEvent>();
  let sent = 0;
  let total = 0;

  function dropOldest(): void {
    const [oldest] = events;
    if (oldest === undefined) return;
    events.delete(oldest[0]);
    total -= oldest[1].length;
  }

  return {
    storeEvent(streamId, message) {
      sent += 1;
      const id = String(sent);
      const { length } = JSON.stringify(message);
      events.set(id, { streamId, message, length });
      total += length;
      while (events.size > maxEvents || total > maxLength) dropOldest();
      return Promise.resolve(id);
    },
    getStreamIdForEventId: (id) => Promise.resolve(events.get(id)?.streamId),
    async replayEventsAfter(id, { send }) {
      const last = events.get(id);
      if (last === undefined) throw new Error("The event is no longer kept");
      let isAfter = false;
      for (const [own, { streamId, message }] of [...events]) {
        // The event that opens a stream is empty and was already received.
        if (isAfter && streamId === last.streamId && Object.keys(message).length > 0) await send(own, message);
        isAfter ||= own === id;
      }
      return last.streamId;
    },
  };
}
