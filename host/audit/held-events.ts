/** Events buffered for a slow reader, or for one that reconnects: bounded in number and in bytes. */

import { sizeIn } from "../primitives/json/heap-size.ts";
import type { HostEvent } from "./events.ts";

/** Approximate heap bytes of the events of one reader: an output of 64 KB of `{}` takes 1 MB as an event. */
export const HELD_EVENTS_BYTES: number = 16 * 1024 * 1024;

export interface HeldEventsBounds {
  readonly events: number;
  /** Default `HELD_EVENTS_BYTES`. */
  readonly bytes?: number;
}

/** Weights by event: readers share the events, so each is weighed once. */
const weights = new WeakMap<HostEvent, number>();

/** A queue of events. The newest one always stays, whatever its size. */
export class HeldEvents {
  readonly #bounds: Required<HeldEventsBounds>;
  #events: HostEvent[] = [];
  #bytes = 0;

  constructor({ events, bytes = HELD_EVENTS_BYTES }: HeldEventsBounds) {
    this.#bounds = { events, bytes };
  }

  get all(): readonly HostEvent[] {
    return this.#events;
  }

  /** @returns whether older events were dropped */
  push(event: HostEvent): boolean {
    this.#events.push(event);
    this.#bytes += weigh(event);
    const isOver = (): boolean =>
      this.#events.length > this.#bounds.events || (this.#bytes > this.#bounds.bytes && this.#events.length > 1);
    const drops = isOver();
    while (isOver()) this.shift();
    return drops;
  }

  shift(): HostEvent | undefined {
    const event = this.#events.shift();
    if (event !== undefined) this.#bytes -= weigh(event);
    return event;
  }

  clear(): void {
    this.#events = [];
    this.#bytes = 0;
  }
}

function weigh(event: HostEvent): number {
  const known = weights.get(event);
  if (known !== undefined) return known;
  const bytes = sizeIn(event);
  weights.set(event, bytes);
  return bytes;
}
