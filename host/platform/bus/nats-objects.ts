/** Buckets of large values, in JetStream's object store. */

import { type JetStreamClient, StorageType } from "@nats-io/jetstream";
import { Objm, setSha256Backend } from "@nats-io/obj";
import { nanos } from "@nats-io/transport-node";
import { joinBytes } from "../bytes.ts";
import { type BucketOptions, BusError, type BusObjects } from "./bus-types.ts";
import { openBucket, replicasOf } from "./nats-buckets.ts";
import { ACT_MS, type NatsLink, within } from "./nats-link.ts";

/** Milliseconds for a whole object; each piece has those of an act. */
const OBJECT_MS = 60_000;

// The library's own SHA-256 is JavaScript, and many times slower.
setSha256Backend("native");

export async function openObjects(link: NatsLink, js: JetStreamClient, name: string, options: BucketOptions): Promise<BusObjects> {
  const objm = new Objm(js);
  const { act } = await openBucket(link, name, () =>
    objm.create(name, {
      ttl: nanos(options.ttlMs),
      max_bytes: options.maxBytes,
      storage: StorageType.File,
      replicas: replicasOf(link.nc),
    }),
  );
  return {
    put: async (object, bytes) => void (await act(`put ${object}`, (store) => store.putBlob({ name: object }, bytes), OBJECT_MS)),
    get: (object, maxBytes) =>
      act(
        `get ${object}`,
        async (store) => {
          const refuse = (size: string): never => {
            throw new BusError("too_large", `bucket ${name}: ${object} has ${size} bytes, more than ${maxBytes}`);
          };
          const info = await store.info(object);
          if (info === null || info.deleted) return undefined;
          if (info.size > maxBytes) refuse(String(info.size));
          const found = await store.get(object);
          if (found === null) return undefined;
          const reader = found.data.getReader();
          const pieces: Uint8Array[] = [];
          try {
            for (let size = 0; ;) {
              const { done, value } = await within(ACT_MS, () => reader.read());
              if (done) return joinBytes(pieces);
              size += value.length;
              // The description of an object may lie about its size.
              if (size > maxBytes) refuse("more");
              pieces.push(value);
            }
          } finally {
            void reader.cancel();
          }
        },
        OBJECT_MS,
      ),
    remove: async (object) => void (await act(`remove ${object}`, (store) => store.delete(object))),
  };
}
