/** Opening buckets of both kinds, also again after the server lost them. */

import { JetStreamApiError } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isMissingBucket, isUnanswered } from "./nats-errors.ts";
import type { NatsLink } from "./nats-link.ts";

/** A bucket of this name was created meanwhile, with other settings. */
const NAME_IN_USE = 10_058;

interface OpenBucket<T> {
  act<R>(what: string, run: (bucket: T) => Promise<R>, ms?: number): Promise<R>;
}

/** @param create opens the bucket, and creates it if it is new */
export async function openBucket<T>(link: NatsLink, name: string, create: () => Promise<T>): Promise<OpenBucket<T>> {
  let bucket = await link.act(`bucket ${name}: create`, open);

  async function open(): Promise<T> {
    try {
      return await create();
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === NAME_IN_USE) return await create();
      throw error;
    }
  }

  return {
    act(what, run, ms) {
      const twice = async (): ReturnType<typeof run> => {
        try {
          return await run(bucket);
        } catch (error) {
          if (!isMissingBucket(error) && !isUnanswered(error)) throw error;
          // A server that lost its folder continues with an empty bucket.
          bucket = await open();
          return await run(bucket);
        }
      };
      return link.act(`bucket ${name}: ${what}`, twice, ms);
    },
  };
}

/** Copies of a bucket: with several servers, the loss of one of them loses nothing. */
export function replicasOf({ info }: NatsConnection): number {
  return info?.cluster === undefined ? 1 : 3;
}
