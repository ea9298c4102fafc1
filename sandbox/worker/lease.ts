/** A call's lease of an instance, or its parked guest while another call has the instance. */

import type { Image } from "../engine/image.ts";
import type { Instance } from "../engine/instance.ts";
import type { ParkedGuest } from "../image/parked.ts";

export class Lease {
  /** Image that the guest started from, and base of its parked pages. */
  readonly image: Image;
  /** Memory bound. */
  readonly pages: number;
  #place: Instance | ParkedGuest;
  /** Copy of a guest that waits in its instance, as it would be parked. */
  copy: ParkedGuest | undefined;
  /** True once the call is over. */
  isOver = false;

  /** @param pages required for a parked guest. Default: the bound of its instance */
  constructor(image: Image, place: Instance | ParkedGuest, pages?: number) {
    this.image = image;
    this.pages = pages ?? ("runs" in place ? 0 : place.requestedPages);
    this.#place = place;
  }

  /** The call's instance. @throws {Error} while the guest is parked, because the instance then belongs to another call */
  get instance(): Instance {
    if ("runs" in this.#place) throw new Error("The call's guest is parked");
    return this.#place;
  }

  /** The guest while it has no instance. */
  get parked(): ParkedGuest | undefined {
    return "runs" in this.#place ? this.#place : undefined;
  }

  /** Moves the guest from an instance into its own memory, or back. */
  move(place: Instance | ParkedGuest): void {
    this.#place = place;
    this.copy = undefined;
  }

  /** Bytes of memory that the guest has allocated. */
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
