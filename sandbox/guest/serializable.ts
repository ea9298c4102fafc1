/** Interfaces whose objects can be cloned or transferred (https://html.spec.whatwg.org/#serializable-objects). */

/** Makes a copy of an object of its own, undefined for every other one. */
type Clone = (value: object) => object | undefined;

/** What becomes of an object of its own that is transferred, undefined for every other one. */
type Transfer = (value: object) => Transferred | undefined;

export interface Transferred {
  /** @throws {DOMException} `DataCloneError` if it cannot be transferred (any more). */
  readonly check: () => void;
  /** Detaches the object and gives what takes its place. */
  readonly move: () => object;
}

const clones: Clone[] = [];
const transfers: Transfer[] = [];

/** Runs at boot. */
export function cloneAs(clone: Clone): void {
  clones.push(clone);
}

/** Runs at boot. */
export function transferAs(transfer: Transfer): void {
  transfers.push(transfer);
}

export function cloneInterface(value: object): object | undefined {
  for (let index = 0; index < clones.length; index++) {
    const copy = clones[index]?.(value);
    if (copy !== undefined) return copy;
  }
  return undefined;
}

export function transferInterface(value: object): Transferred | undefined {
  for (let index = 0; index < transfers.length; index++) {
    const found = transfers[index]?.(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
