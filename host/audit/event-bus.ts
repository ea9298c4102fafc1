/** The event bus: adds the envelope, redacts, then calls every listener and reader in order of publication. */

import type { JsonValue } from "../../manifests/mod.ts";
import { HELD_EVENTS_BYTES, HeldEvents, type HeldEventsBounds } from "./held-events.ts";
import type { EmitEvent, EventDraft, EventEnvelope, HostEvent, KeepEvent } from "./events.ts";

/** Options of `createEventBus()`. */
export interface EventBusOptions {
  /** Makes a UUIDv7. */
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Default `bascule`. */
  readonly producer?: string;
  /** Removes secrets and configured fields from a payload before any listener receives the event (SPEC AU4). */
  readonly redact?: (payload: JsonValue) => JsonValue;
  /**
   * Receives each event before all listeners. Resolves to whether the event is durable, if its emitter has to wait for that. If it throws,
   * the event counts as not kept.
   */
  readonly keep?: (event: HostEvent) => Promise<boolean> | undefined;
  /** Receives listeners that throw and readers that fall behind. */
  readonly onDefect: (message: string, error?: unknown) => void;
  /** Maximum number of events that wait for a slow reader; above it the oldest are dropped. Default 1,024. */
  readonly bufferSize?: number;
  /** Approximate heap bytes of these events. Default 16 MiB. */
  readonly bufferBytes?: number;
}

/** Publishes events until `close`. */
export interface EventBus {
  readonly emit: EmitEvent;
  /** Like `emit`, for emitters that wait until the event is durable. */
  readonly emitKept: KeepEvent;
  /** Calls the listener synchronously with each event. Returns unsubscribe. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** Returns a new reader of all later events. */
  events(): AsyncIterableIterator<HostEvent>;
  /** Ends the readers after they have read their buffered events; later events are dropped. */
  close(): void;
}

const DEFAULT_BUFFER = 1_024;

/** Creates a bus without listeners. */
export function createEventBus(options: EventBusOptions): EventBus {
  const {
    newId,
    now,
    producer = "bascule",
    redact,
    keep,
    onDefect,
    bufferSize = DEFAULT_BUFFER,
    bufferBytes = HELD_EVENTS_BYTES,
  } = options;
  const listeners = new Set<(event: HostEvent) => void>();
  const readers = new Set<Reader>();
  let closed = false;

  function emitKept(draft: EventDraft): Promise<boolean> | undefined {
    if (closed) return undefined;
    const event = seal(draft, { id: newId(), time: now(), producer }, redact);
    const kept = keepSafely(event);
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        onDefect("An event listener threw", error);
      }
    }
    for (const reader of readers) reader.push(event);
    return kept;
  }

  /** The embedding program's store may throw. Then the event is not durable, and everything else goes on. */
  function keepSafely(event: HostEvent): Promise<boolean> | undefined {
    const lost = (error: unknown): false => {
      onDefect("The event store failed to keep an event", error);
      return false;
    };
    try {
      return keep?.(event)?.catch(lost);
    } catch (error) {
      return Promise.resolve(lost(error));
    }
  }

  return {
    emit: (draft) => void emitKept(draft),
    emitKept,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    events() {
      const reader = new Reader({ events: bufferSize, bytes: bufferBytes }, onDefect, () => readers.delete(reader));
      if (closed) reader.end();
      else readers.add(reader);
      return reader;
    },
    close() {
      closed = true;
      for (const reader of readers) reader.end();
      readers.clear();
      listeners.clear();
    },
  };
}

function seal(draft: EventDraft, envelope: EventEnvelope, redact: EventBusOptions["redact"]): HostEvent {
  const payload = redact === undefined ? draft.payload : redact(draft.payload);
  // Spreading a union loses the pairing of payload and type. Both come from the same draft, and redaction keeps the shape.
  const { id, time, producer } = envelope;
  return Object.freeze({ ...draft, payload, id, time, producer }) as HostEvent;
}

/** A reader with a bounded buffer. */
class Reader implements AsyncIterableIterator<HostEvent> {
  readonly #buffer: HeldEvents;
  #waiting: ((result: IteratorResult<HostEvent>) => void)[] = [];
  #ended = false;
  #warned = false;
  readonly #bounds: Required<HeldEventsBounds>;
  readonly #onDefect: EventBusOptions["onDefect"];
  readonly #onEnd: () => void;

  constructor(bounds: Required<HeldEventsBounds>, onDefect: EventBusOptions["onDefect"], onEnd: () => void) {
    this.#bounds = bounds;
    this.#buffer = new HeldEvents(bounds);
    this.#onDefect = onDefect;
    this.#onEnd = onEnd;
  }

  push(event: HostEvent): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next({ done: false, value: event });
    if (!this.#buffer.push(event)) return;
    const { events, bytes } = this.#bounds;
    if (!this.#warned) this.#onDefect(`An event reader is more than ${events} events or ${bytes} bytes behind; it loses the oldest`);
    this.#warned = true;
  }

  end(): void {
    this.#ended = true;
    for (const next of this.#waiting.splice(0)) next({ done: true, value: undefined });
  }

  async next(): Promise<IteratorResult<HostEvent>> {
    const event = this.#buffer.shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#ended) return { done: true, value: undefined };
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<HostEvent>> {
    this.#buffer.clear();
    this.#onEnd();
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<HostEvent> {
    return this;
  }
}
