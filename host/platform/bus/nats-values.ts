/** Buckets of small values, in JetStream's key-value store. */

import type { JetStreamClient } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { Msg } from "@nats-io/transport-node";
import type { BucketOptions, BusValues } from "./bus-types.ts";
import { openBucket, replicasOf } from "./nats-buckets.ts";
import { isOtherRevision } from "./nats-errors.ts";
import type { NatsLink } from "./nats-link.ts";
import { outside, toBusMessage } from "./nats-message.ts";
import { follow, listNewest } from "./nats-watch.ts";

/**
 * Versions that the server keeps of each value. nats-server 2.9.10, when it is killed, loses the newest version of some values of which it has removed
 * an earlier one, or brings the earlier one back. Values that change less often than this are safe.
 */
const HISTORY = 64;

export async function openValues(link: NatsLink, js: JetStreamClient, name: string, options: BucketOptions): Promise<BusValues> {
  const kvm = new Kvm(js);
  const settings = { history: HISTORY, ttl: options.ttlMs, max_bytes: options.maxBytes, replicas: replicasOf(link.nc) };
  // Reads come from the leader, because another replica may lag.
  const { act } = await openBucket(link, name, () => kvm.create(name, { ...settings, allow_direct: false }));
  const jsm = await link.act(`bucket ${name}: open`, () => js.jetstreamManager(false));
  const prefix = `$KV.${name}.`;
  const placeOf = (filter: string): { jsm: typeof jsm; stream: string; subject: string } => ({
    jsm,
    stream: `KV_${name}`,
    subject: prefix + filter,
  });
  const keyOf = ({ subject }: Msg): string => subject.slice(prefix.length);

  /** @returns undefined if the value's revision is another one */
  async function write(what: string, bytes: Uint8Array, run: () => Promise<number>): Promise<number | undefined> {
    link.checkSize(`bucket ${name}: ${what}`, bytes);
    try {
      return await run();
    } catch (error) {
      if (error instanceof Error && isOtherRevision(error.cause)) return undefined;
      throw error;
    }
  }

  return {
    get: (key) =>
      act(`get ${key}`, async (kv) => {
        const entry = await kv.get(key);
        return entry === null || entry.operation !== "PUT" ? undefined : { bytes: entry.value, revision: entry.revision };
      }),
    create: (key, bytes) => write(`create ${key}`, bytes, () => act(`create ${key}`, (kv) => kv.create(key, bytes))),
    update: (key, bytes, revision) =>
      write(`update ${key}`, bytes, () => act(`update ${key}`, async (kv) => await kv.update(key, bytes, revision))),
    async put(key, bytes) {
      link.checkSize(`bucket ${name}: put ${key}`, bytes);
      return await act(`put ${key}`, (kv) => kv.put(key, bytes));
    },
    remove: (key) => act(`remove ${key}`, (kv) => kv.purge(key)),
    keys: (first) =>
      act(`keys ${first}`, async () => {
        const newest = await listNewest(link, placeOf(`${first}>`));
        return newest.filter((message) => !isRemoval(message)).map(keyOf);
      }),
    async watch(filter, onChange) {
      let following: Promise<{ stop(): void }> | undefined;
      try {
        return await act(`watch ${filter}`, () => {
          following = follow(link, placeOf(filter), ({ message, revision }, isFirst) => {
            if (!isRemoval(message)) outside(() => onChange(keyOf(message), { bytes: toBusMessage(message).bytes, revision }));
            else if (!isFirst) outside(() => onChange(keyOf(message), undefined));
          });
          return following;
        });
      } catch (error) {
        // A watch that begins later than that is stopped.
        following?.then((late) => late.stop()).catch(() => {});
        throw error;
      }
    },
  };
}

function isRemoval({ headers }: Msg): boolean {
  return (headers?.get("KV-Operation") ?? "") !== "";
}
