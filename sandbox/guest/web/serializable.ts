/** Interfaces whose objects can be cloned or transferred (https://html.spec.whatwg.org/#serializable-objects). */

/** Copies an object of its own class, or returns undefined for any other. */
type Clone = (value: object) => object | undefined;

/** Prepares the transfer of an object of its own class, or returns undefined for any other. */
type Transfer = (value: object) => Transferred | undefined;

interface Transferred {
  /** @throws {DOMException} `DataCloneError` if it cannot be transferred (any more) */
  readonly check: () => void;
  /** Detaches the object and returns its replacement. */
  readonly move: () => object;
}

const clones: Clone[] = [];
const transfers: Transfer[] = [];

/** Registers, at boot, how one interface is cloned. */
export function cloneAs(clone: Clone): void {
  clones.push(clone);
}

/** Registers, at boot, how one interface is transferred. */
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
