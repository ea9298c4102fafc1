/** Where events go: envelope, redaction, then every listener and reader, in order of publication. */

import type { JsonValue } from "../../manifests/mod.ts";
import { HELD_EVENTS_BYTES, HeldEvents, type HeldEventsBounds } from "./held-events.ts";
import type { EmitEvent, EventDraft, EventEnvelope, HostEvent, KeepEvent } from "./events.ts";

/** What the bus stamps, hides and reports with. */
export interface EventBusOptions {
  /** Makes a UUIDv7. */
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Default `bascule`. */
  readonly producer?: string;
  /** Takes secrets and configured fields out of a payload before anybody sees the event (SPEC AU4). */
  readonly redact?: (payload: JsonValue) => JsonValue;
  /** Gets each event before everybody else, and says whether it is durable where that is to be waited for. One that throws kept nothing. */
  readonly keep?: (event: HostEvent) => Promise<boolean> | undefined;
  /** Told about listeners that throw and readers that fall behind. */
  readonly onDefect: (message: string, error?: unknown) => void;
  /** Events kept for a reader that is slower than the host. Default 1,024; above it the oldest are dropped. */
  readonly bufferSize?: number;
  /** About what these take on the heap. Default 16 MiB. */
  readonly bufferBytes?: number;
}

/** Publishes events; ended by `close`. */
export interface EventBus {
  readonly emit: EmitEvent;
  /** The same, for emitters that wait until the event is durable. */
  readonly emitKept: KeepEvent;
  /** Called with each event, synchronously. Returns unsubscribe. */
  subscribe(listener: (event: HostEvent) => void): () => void;
  /** A reader of its own, from now on, for each loop. */
  events(): AsyncIterableIterator<HostEvent>;
  /** Readers end when they have read what is there; later events go nowhere. */
  close(): void;
}

const DEFAULT_BUFFER = 1_024;

/** A bus without listeners. */
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

  /** A store of the embedding program may do what it must not: then the event is not durable, and nothing else ends by it. */
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
  // Spreading a union loses which payload belongs to which type; both come from the same draft, and redaction keeps the shape.
  const { id, time, producer } = envelope;
  return Object.freeze({ ...draft, payload, id, time, producer }) as HostEvent;
}

/** One slow or fast reader. Never holds more than its buffer. */
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
    if (!this.#warned)
      this.#onDefect(`An event reader is more than ${events} events or ${bytes} bytes behind; the oldest are dropped for it`);
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
