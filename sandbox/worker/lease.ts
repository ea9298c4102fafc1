/** A call's hold on an instance, and on what its guest is while another call has the instance. */

import type { Image } from "../image/image.ts";
import type { Instance } from "../engine/instance.ts";
import type { ParkedGuest } from "../image/parked.ts";

export class Lease {
  /** What the guest began as, and what its parked pages are a difference from. */
  readonly image: Image;
  /** The bound of its memory. */
  readonly pages: number;
  #place: Instance | ParkedGuest;
  /** The copy of a guest that waits in its instance: the same as it would be parked. */
  copy: ParkedGuest | undefined;
  /** The call is over. */
  isOver = false;

  /** @param pages needed for a guest that is parked. Default: as its instance was started with */
  constructor(image: Image, place: Instance | ParkedGuest, pages?: number) {
    this.image = image;
    this.pages = pages ?? ("runs" in place ? 0 : place.requestedPages);
    this.#place = place;
  }

  /** @throws {Error} while the guest is parked: nobody may touch what is another call's now. */
  get instance(): Instance {
    if ("runs" in this.#place) throw new Error("The call's guest is parked");
    return this.#place;
  }

  /** The guest where it has no instance. */
  get parked(): ParkedGuest | undefined {
    return "runs" in this.#place ? this.#place : undefined;
  }

  /** From an instance into memory of its own, or back. */
  move(place: Instance | ParkedGuest): void {
    this.#place = place;
    this.copy = undefined;
  }

  /** Bytes of memory that the guest has taken. */
  get usedBytes(): number {
    return this.#place.usedBytes;
  }

  get usedStackBytes(): number | undefined {
    return this.#place.usedStackBytes;
  }

  get fuelSpent(): number {
    return this.#place.fuelSpent;
  }
}
