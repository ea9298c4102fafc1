/** One connection to a memory bus. */

import {
  type BucketOptions,
  type Bus,
  BusError,
  type BusMessage,
  type BusObjects,
  type BusOptions,
  type BusSubscription,
  type BusValues,
  type SubscribeOptions,
} from "../bus/bus-types.ts";
import type { Clock } from "../threads/clock-types.ts";
import type { MemoryBucket } from "./memory-buckets.ts";

const ACT_MS = 5_000;
const MAX_MESSAGE_BYTES = 1_048_576;

/** The server, as a connection sees it. */
export interface MemoryServer {
  readonly clock: Clock;
  readonly links: Set<MemoryLink>;
  readonly subscriptions: Set<MemorySubscription>;
  /** Sends something to the server (`up`) or from it (`down`); it is lost if the connection is cut before it arrives. */
  send(link: MemoryLink, direction: "up" | "down", what: string, arrive: () => void): void;
  /** Receivers of a message: all without a queue, and one of each queue in turn. */
  receiversOf(subject: string): readonly MemorySubscription[];
  bucket(kind: "values" | "objects", name: string, options: BucketOptions): MemoryBucket;
  newInbox(): string;
}

export interface MemorySubscription {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly link: MemoryLink;
  receive(message: BusMessage): void;
}

export interface MemoryLink {
  readonly name: string;
  isCut: boolean;
  /** Changes when the connection is cut, so that what was under way is lost. */
  epoch: number;
  readonly onCut: () => void;
  readonly onHeal: () => void;
}

export function openMemoryConnection(server: MemoryServer, { name, onStatus }: BusOptions): Bus {
  let isClosed = false;
  const own = new Set<BusSubscription>();
  const watches = new Map<() => void, MemoryBucket>();
  const link: MemoryLink = {
    name,
    epoch: 0,
    isCut: false,
    onCut: () => onStatus?.("disconnected"),
    onHeal() {
      onStatus?.("connected");
      for (const nudge of watches.keys()) nudge();
    },
  };
  server.links.add(link);

  function checkOpen(): void {
    if (isClosed) throw new BusError("closed", `The connection ${name} is closed`);
    if (link.isCut) throw new BusError("disconnected", `The connection ${name} is cut off from the server. It reconnects by itself`);
  }

  function checkSize(bytes: Uint8Array, what: string): void {
    if (bytes.length <= MAX_MESSAGE_BYTES) return;
    throw new BusError("too_large", `${what}: ${bytes.length} bytes are more than the ${MAX_MESSAGE_BYTES} of one message`);
  }

  /** Waits for what settles `answer`, for a bounded time. */
  function bounded<T>(what: string, timeoutMs: number, answer: Promise<T>): Promise<T> {
    const limit = Promise.withResolvers<never>();
    const cancel = server.clock.after(timeoutMs, () => {
      limit.reject(new BusError(link.isCut ? "disconnected" : "timeout", `${what}: no answer within ${timeoutMs} ms`));
    });
    return Promise.race([answer, limit.promise]).finally(cancel);
  }

  /** One act on the server. Its effect and its answer can be lost separately. */
  async function act<T>(what: string, run: () => T): Promise<T> {
    checkOpen();
    const answer = Promise.withResolvers<T>();
    server.send(link, "up", what, () => {
      // The server acts now, and its answer arrives later.
      const acted = (async () => run())();
      server.send(link, "down", what, () => answer.resolve(acted));
      acted.catch(() => {});
    });
    return await bounded(what, ACT_MS, answer.promise);
  }

  /** @param onNoReceiver called if nothing subscribes to the subject */
  function publish(subject: string, given: Uint8Array, replyTo?: string, onNoReceiver?: () => void): void {
    checkOpen();
    checkSize(given, subject);
    const bytes = new Uint8Array(given);
    server.send(link, "up", subject, () => {
      const receivers = server.receiversOf(subject);
      for (const receiver of receivers) {
        server.send(receiver.link, "down", subject, () => receiver.receive({ subject, bytes: new Uint8Array(bytes), replyTo }));
      }
      if (receivers.length === 0 && onNoReceiver !== undefined) server.send(link, "down", subject, onNoReceiver);
    });
  }

  function subscribe(subject: string, { queue, onMessage }: SubscribeOptions): BusSubscription {
    if (isClosed) throw new BusError("closed", `The connection ${name} is closed`);
    let isDrained = false;
    let draining: Promise<void> | undefined;
    const subscription: MemorySubscription = {
      subject,
      queue,
      link,
      receive(message) {
        if (!isDrained) onMessage(message);
      },
    };
    async function drain(): Promise<void> {
      server.subscriptions.delete(subscription);
      own.delete(handle);
      // The answer arrives after the messages that were sent before it. If the connection is cut, those are lost.
      await act(`drain ${subject}`, () => {}).catch((error: unknown) => {
        if (!(error instanceof BusError)) throw error;
      });
      isDrained = true;
    }
    const handle: BusSubscription = { drain: () => (draining ??= drain()) };
    server.subscriptions.add(subscription);
    own.add(handle);
    return handle;
  }

  async function request(subject: string, bytes: Uint8Array, { timeoutMs, signal }: Parameters<Bus["request"]>[2]): Promise<BusMessage> {
    const replyTo = server.newInbox();
    const answer = Promise.withResolvers<BusMessage>();
    const cancel = (): void => answer.reject(new BusError("cancelled", `${subject}: the request was cancelled`));
    const subscription: MemorySubscription = { subject: replyTo, queue: undefined, link, receive: answer.resolve };
    server.subscriptions.add(subscription);
    signal?.addEventListener("abort", cancel);
    try {
      if (signal?.aborted === true) cancel();
      else publish(subject, bytes, replyTo, () => answer.reject(new BusError("no_responders", `${subject}: nothing subscribes to it`)));
      return await bounded(subject, timeoutMs, answer.promise);
    } finally {
      server.subscriptions.delete(subscription);
      signal?.removeEventListener("abort", cancel);
    }
  }

  async function values(bucketName: string, options: BucketOptions): Promise<BusValues> {
    const bucket = await act(`${bucketName} open`, () => server.bucket("values", bucketName, options));
    async function change(verb: string, key: string, bytes: Uint8Array | undefined, expected?: number): Promise<number | undefined> {
      const what = `${bucketName} ${verb} ${key}`;
      if (bytes !== undefined) checkSize(bytes, what);
      const copy = bytes && new Uint8Array(bytes);
      return await act(what, () => bucket.set(key, copy, expected));
    }
    return {
      get: (key) => act(`${bucketName} get ${key}`, () => bucket.get(key)),
      create: (key, bytes) => change("create", key, bytes, 0),
      update: (key, bytes, revision) => change("update", key, bytes, revision),
      put: async (key, bytes) => (await change("put", key, bytes)) ?? 0,
      remove: async (key) => void (await change("remove", key, undefined)),
      keys: (prefix) => act(`${bucketName} keys ${prefix}`, () => bucket.keys(prefix)),
      async watch(filter, onChange) {
        const what = `${bucketName} watch ${filter}`;
        let last = 0;
        const pass = (isFirst: boolean): void => {
          for (const { key, value, revision } of bucket.changesAfter(last, filter)) {
            last = revision;
            if (value !== undefined || !isFirst) onChange(key, value);
          }
        };
        // A packet only says that there is something new: after a lost one, the next one brings both changes.
        const nudge = (): void => server.send(link, "down", what, () => watches.has(nudge) && pass(false));
        await act(what, () => {
          pass(true);
          bucket.listeners.add(nudge);
          watches.set(nudge, bucket);
        });
        return {
          stop() {
            bucket.listeners.delete(nudge);
            watches.delete(nudge);
          },
        };
      },
    };
  }

  async function objects(bucketName: string, options: BucketOptions): Promise<BusObjects> {
    const bucket = await act(`${bucketName} open`, () => server.bucket("objects", bucketName, options));
    return {
      async put(object, bytes) {
        const copy = new Uint8Array(bytes);
        await act(`${bucketName} put ${object}`, () => bucket.set(object, copy));
      },
      get: (object, maxBytes) =>
        act(`${bucketName} get ${object}`, () => {
          const bytes = bucket.get(object)?.bytes;
          if (bytes === undefined || bytes.length <= maxBytes) return bytes;
          throw new BusError("too_large", `${object} in ${bucketName} has ${bytes.length} bytes, more than ${maxBytes}`);
        }),
      remove: async (object) => void (await act(`${bucketName} remove ${object}`, () => bucket.set(object, undefined))),
    };
  }

  return {
    maxMessageBytes: MAX_MESSAGE_BYTES,
    publish: (subject, bytes, replyTo) => publish(subject, bytes, replyTo),
    request,
    subscribe,
    newInbox: () => server.newInbox(),
    values,
    objects,
    async roundTrip() {
      const beganMs = server.clock.monotonic();
      await act("round trip", () => {});
      return server.clock.monotonic() - beganMs;
    },
    async close() {
      await Promise.all(Array.from(own, (subscription) => subscription.drain()));
      isClosed = true;
      for (const [nudge, bucket] of watches) bucket.listeners.delete(nudge);
      watches.clear();
      server.links.delete(link);
    },
  };
}
