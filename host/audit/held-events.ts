/** Events that wait for a slow reader, or are kept for one that comes back: bounded in number and in bytes. */

import { sizeIn } from "../primitives/json/heap-size.ts";
import type { HostEvent } from "./events.ts";

/** About what the events of one reader take on the heap: an output of 64 KB of `{}` is an event of 1 MB there. */
export const HELD_EVENTS_BYTES: number = 16 * 1024 * 1024;

export interface HeldEventsBounds {
  readonly events: number;
  /** Default `HELD_EVENTS_BYTES`. */
  readonly bytes?: number;
}

/** Readers hold the same events: each is weighed once. */
const weights = new WeakMap<HostEvent, number>();

/** The oldest first. The last one stays, whatever it weighs. */
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

  /** @returns whether others were dropped for it */
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
