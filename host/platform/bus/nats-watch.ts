/** Follows the newest values of a bucket. The library's watch notices a restarted server only after a while; this one returns with the connection. */

import { AckPolicy, DeliverPolicy, type JetStreamManager, JsHeaders, ReplayPolicy } from "@nats-io/jetstream";
import { Empty, type Msg, nanos } from "@nats-io/transport-node";
import { BusError } from "./bus-types.ts";
import { isMissingBucket } from "./nats-errors.ts";
import { ACT_MS, newInbox, type NatsLink, within } from "./nats-link.ts";

const HEARTBEAT_MS = 5_000;
const RETRY_MS = 250;
/** A lost bucket comes back with the next act on it. */
const MISSING_RETRY_MS = 1_000;

interface FollowOptions {
  readonly jsm: JetStreamManager;
  readonly stream: string;
  readonly subject: string;
}

/** A message of a stream. */
interface StreamEntry {
  readonly message: Msg;
  readonly revision: number;
}

/** Subjects with a message in the stream, and that message without its body. */
export async function listNewest(link: NatsLink, options: FollowOptions): Promise<readonly Msg[]> {
  const found: Msg[] = [];
  const done = Promise.withResolvers<void>();
  const reader = await openReader(link, {
    ...options,
    after: undefined,
    headersOnly: true,
    onEntry(entry, pending) {
      found.push(entry.message);
      if (pending === 0) done.resolve();
    },
    onGap: () => done.reject(new BusError("disconnected", `${options.subject}: ${link.server} stopped sending`)),
  });
  try {
    if (reader.pending > 0) await within(ACT_MS, () => done.promise);
    return found;
  } finally {
    reader.stop();
  }
}

/** Calls `onEntry` for the newest message of each subject (`isFirst`), then for each new one. Resolves after the first ones. */
export async function follow(
  link: NatsLink,
  options: FollowOptions,
  onEntry: (entry: StreamEntry, isFirst: boolean) => void,
): Promise<{ stop(): void }> {
  let last = 0;
  let created: string | undefined;
  let reader: { stop(): void } | undefined;
  let isStopped = false;
  let isStale = false;
  let isOpening = false;

  async function open(isFirst: boolean): Promise<void> {
    const info = await options.jsm.streams.info(options.stream);
    // A bucket that was lost and created again counts from the beginning.
    if (created !== info.created) last = 0;
    created = info.created;
    const present = Promise.withResolvers<void>();
    let remaining = Number.POSITIVE_INFINITY;
    const opened = await openReader(link, {
      ...options,
      after: last === 0 ? undefined : last,
      headersOnly: false,
      onEntry(entry, pending) {
        last = entry.revision;
        onEntry(entry, isFirst && remaining > 0);
        remaining = Math.min(remaining, pending);
        if (pending === 0) present.resolve();
      },
      onGap: reopen,
    });
    if (isStopped) return opened.stop();
    reader = opened;
    if (isFirst && opened.pending > 0) await within(ACT_MS, () => present.promise);
    remaining = 0;
  }

  /** Continues after the last entry, as soon as the server answers. */
  function reopen(): void {
    isStale = true;
    reader?.stop();
    if (!isOpening) void openUntilDone();
  }

  async function openUntilDone(): Promise<void> {
    isOpening = true;
    while (isStale && !isStopped && !link.nc.isClosed()) {
      isStale = false;
      try {
        await open(false);
      } catch (error) {
        // The server may still be starting; the next reconnection or attempt continues at the same entry.
        if (!(error instanceof Error)) throw error;
        isStale = true;
        await new Promise((resolve) => setTimeout(resolve, isMissingBucket(error) ? MISSING_RETRY_MS : RETRY_MS));
      }
    }
    isOpening = false;
  }

  const ignore = link.onReconnect(reopen);
  const stop = (): void => {
    isStopped = true;
    ignore();
    reader?.stop();
  };
  try {
    isOpening = true;
    await open(true);
  } catch (error) {
    stop();
    throw error;
  } finally {
    isOpening = false;
  }
  if (isStale) void openUntilDone();
  return { stop };
}

interface ReaderOptions extends FollowOptions {
  /** Continues after this revision; undefined: begins with the newest message of each subject. */
  readonly after: number | undefined;
  readonly headersOnly: boolean;
  readonly onEntry: (entry: StreamEntry, pending: number) => void;
  /** An entry is missing, or the server is silent. */
  readonly onGap: () => void;
}

interface Reader {
  /** Entries that it begins with. */
  readonly pending: number;
  stop(): void;
}

/** Opens a consumer that lasts as long as this subscription. */
async function openReader({ nc }: NatsLink, options: ReaderOptions): Promise<Reader> {
  const { jsm, stream, subject, after, headersOnly, onEntry, onGap } = options;
  const deliver = newInbox();
  let expected = 1;
  let silence: NodeJS.Timeout | undefined;
  const subscription = nc.subscribe(deliver, {
    callback(error, message) {
      if (error !== null) return stopAnd(onGap);
      listen();
      if (message.headers?.code === 100) return answerStatus(message);
      const { revision, position, pending } = placeOf(message);
      if (position !== expected) return stopAnd(onGap);
      expected += 1;
      onEntry({ message, revision }, pending);
    },
  });
  function stop(): void {
    clearTimeout(silence);
    subscription.unsubscribe();
  }
  function stopAnd(then: () => void): void {
    stop();
    then();
  }
  function listen(): void {
    clearTimeout(silence);
    if (!subscription.isClosed()) silence = setTimeout(() => stopAnd(onGap), 2.5 * HEARTBEAT_MS).unref();
  }
  /** Flow control wants an answer. A heartbeat says how many entries were sent. */
  function answerStatus(message: Msg): void {
    const stalled = message.headers?.get(JsHeaders.ConsumerStalledHdr) ?? "";
    const replyTo = message.reply !== undefined && message.reply !== "" ? message.reply : stalled;
    if (replyTo !== "") nc.publish(replyTo, Empty);
    const sent = message.headers?.get(JsHeaders.LastConsumerSeqHdr) ?? "";
    if (sent !== "" && Number(sent) >= expected) stopAnd(onGap);
  }

  try {
    const start =
      after === undefined
        ? { deliver_policy: DeliverPolicy.LastPerSubject }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 };
    const info = await jsm.consumers.add(stream, {
      ...start,
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      max_deliver: 1,
      filter_subject: subject,
      deliver_subject: deliver,
      flow_control: true,
      idle_heartbeat: nanos(HEARTBEAT_MS),
      headers_only: headersOnly,
      mem_storage: true,
      num_replicas: 1,
    });
    listen();
    // Entries may have arrived before this answer.
    return { pending: Math.max(0, info.num_pending - (expected - 1)), stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Reads `$JS.ACK.<stream>.<consumer>.<tries>.<revision>.<position>.<time>.<pending>`; newer servers put two parts before the stream. */
function placeOf({ reply = "" }: Msg): { readonly revision: number; readonly position: number; readonly pending: number } {
  const parts = reply.split(".");
  const [revision, position, , pending] = parts.slice(parts.length > 9 ? 7 : 5).map(Number);
  return { revision: revision ?? 0, position: position ?? 0, pending: pending ?? 0 };
}
