/** Values of messages: inside of the message up to 512 KB, else in the bucket of large values (SPEC CL3). */

import { BusError, type BusObjects } from "../platform/bus/bus-types.ts";
import type { RunningHash } from "../platform/platform.ts";
import type { LargeValue } from "./messages.ts";
import { INLINE_BYTES } from "./names.ts";

interface ValuesOptions {
  /** Opens the bucket; called for large values only. */
  readonly objects: () => Promise<BusObjects>;
  readonly sha256: () => RunningHash;
}

/** A value as a message carries it. */
export interface Carried {
  readonly large?: LargeValue;
  readonly payload: Uint8Array;
}

export interface ClusterValues {
  /** @param name of a large value; each value has its own @throws {BusError} */
  carry(name: string, bytes: Uint8Array): Promise<Carried>;
  /** @throws {BusError} if a large value is missing, altered or larger than `maxBytes` */
  fetch(carried: Carried, maxBytes: number): Promise<Uint8Array>;
  /** Removes a large value that is no longer needed. Never rejects: it expires. */
  drop(carried: Pick<Carried, "large">): Promise<void>;
}

export function createClusterValues({ objects, sha256 }: ValuesOptions): ClusterValues {
  const hashOf = (bytes: Uint8Array): string => {
    const hash = sha256();
    hash.update(bytes);
    return hash.hex();
  };
  return {
    async carry(name, bytes) {
      if (bytes.length <= INLINE_BYTES) return { payload: bytes };
      await (await objects()).put(name, bytes);
      return { large: { name, bytes: bytes.length, sha256: hashOf(bytes) }, payload: new Uint8Array() };
    },
    async fetch({ large, payload }, maxBytes) {
      if ((large?.bytes ?? payload.length) > maxBytes)
        throw new BusError("too_large", `A value of ${large?.bytes ?? payload.length} bytes is larger than ${maxBytes}`);
      if (large === undefined) return payload;
      const bytes = await (await objects()).get(large.name, maxBytes);
      if (bytes === undefined) throw new BusError("refused", `The large value "${large.name}" is missing: it has expired`);
      if (bytes.length !== large.bytes || hashOf(bytes) !== large.sha256)
        throw new BusError("refused", `The large value "${large.name}" is not the one that was sent`);
      return bytes;
    },
    async drop({ large }) {
      if (large === undefined) return;
      try {
        await (await objects()).remove(large.name);
      } catch (error) {
        // The value expires by itself.
        if (!(error instanceof BusError)) throw error;
      }
    },
  };
}
