/** The bus on NATS with JetStream. Loaded by hosts that join a cluster (`node.ts`). */

import { jetstream } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection, nkeyAuthenticator, nkeys, type NodeConnectionOptions } from "@nats-io/transport-node";
import { type Bus, BusError, type BusOptions, type BusSubscription, type SubscribeOptions } from "./bus-types.ts";
import { ACT_MS, createNatsLink, newInbox, type NatsLink, within } from "./nats-link.ts";
import { outside, toBusMessage } from "./nats-message.ts";
import { openObjects } from "./nats-objects.ts";
import { createRequests } from "./nats-requests.ts";
import { openValues } from "./nats-values.ts";

const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** One attempt to reach one server. */
const DIAL_MS = 5_000;
/** A silent server is noticed after two unanswered pings. */
const PING_MS = 2_000;
/** Time for the messages that are under way when a connection or a subscription ends. */
const DRAIN_MS = 2_000;

export async function connectNats(options: BusOptions): Promise<Bus> {
  const nc = await connectFirst(options);
  const link = createNatsLink(nc, options.onStatus);
  const js = jetstream(nc, { timeout: ACT_MS });
  return {
    maxMessageBytes: nc.info?.max_payload ?? 1_048_576,
    publish: link.publish,
    request: createRequests(link),
    subscribe: (subject, given) => subscribe(link, subject, given),
    newInbox,
    values: (bucket, given) => openValues(link, js, bucket, given),
    objects: (bucket, given) => openObjects(link, js, bucket, given),
    async roundTrip() {
      const beganMs = performance.now();
      await link.act("round trip", () => nc.flush());
      return performance.now() - beganMs;
    },
    async close() {
      if (nc.isClosed()) return;
      if (nc.isDraining()) return void (await nc.closed());
      // Without a connection, nothing is under way.
      await within(DRAIN_MS, () => nc.drain()).catch((error: unknown) => {
        if (!(error instanceof Error)) throw error;
      });
      await nc.close();
    },
  };
}

/** Tries until a server answers, for a bounded time; the library alone would try for ever, and could not be stopped. */
async function connectFirst({ servers, name, seed, connectMs = CONNECT_MS }: BusOptions): Promise<NatsConnection> {
  const untilMs = Date.now() + connectMs;
  const settings = settingsOf(servers, name, seed);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await connectOnce(settings, untilMs - Date.now());
    } catch (error) {
      if (error instanceof errors.AuthorizationError)
        throw new BusError(
          "refused",
          `${servers.join(", ")} does not know this host's key: add its public key to the users of nats-server`,
          error,
        );
      if (error instanceof errors.InvalidArgumentError) throw new BusError("refused", `${servers.join(", ")}: ${error.message}`, error);
      const pauseMs = jittered(FIRST_PAUSE_MS * 2 ** attempt);
      if (Date.now() + pauseMs < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new BusError(
        "disconnected",
        `No connection to ${servers.join(", ")} within ${connectMs} ms: ${reason}. Check that nats-server runs there`,
        error,
      );
    }
  }
}

/** The library's time limit leaves out looking up the name. */
async function connectOnce(settings: NodeConnectionOptions, ms: number): Promise<NatsConnection> {
  const connecting = connect(settings);
  try {
    return await within(Math.max(1, ms), () => connecting);
  } catch (error) {
    connecting.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

function settingsOf(servers: readonly string[], name: string, seed: string | undefined): NodeConnectionOptions {
  return {
    timeout: DIAL_MS,
    servers: [...servers],
    name,
    // One plain address is enough to lose everything to a listener: TLS for one is TLS for all.
    ...(servers.some((server) => server.startsWith("tls://")) && { tls: {} }),
    ...(seed !== undefined && { authenticator: nkeyAuthenticator(checkedSeed(seed)) }),
    maxReconnectAttempts: -1,
    // A server whose configuration changes may refuse for a while.
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    reconnectDelayHandler: createPauses(),
  };
}

function checkedSeed(seed: string): Uint8Array {
  const bytes = new TextEncoder().encode(seed);
  try {
    nkeys.fromSeed(bytes);
  } catch (error) {
    throw new BusError("refused", "The seed of this host's key is not one of an NKey of a user (SU…)", error);
  }
  return bytes;
}

/** The pause before the next attempt is half of the time that the server has been away. */
function createPauses(): () => number {
  let beganMs = 0;
  let askedMs = 0;
  return () => {
    const nowMs = Date.now();
    // The library asks often while it tries, and not at all while it is connected.
    if (nowMs - askedMs > 6 * LONGEST_PAUSE_MS) beganMs = nowMs;
    askedMs = nowMs;
    return jittered((nowMs - beganMs) / 2);
  };
}

/** Half of a pause is random, so that the hosts of a cluster do not return all at once. */
function jittered(pauseMs: number): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs)) * (0.5 + Math.random() / 2);
}

function subscribe({ nc }: NatsLink, subject: string, { queue, onMessage }: SubscribeOptions): BusSubscription {
  if (nc.isClosed() || nc.isDraining()) throw new BusError("closed", `${subject}: the connection is closed`);
  const subscription = nc.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback(error, message) {
      // An error means that the server refuses the subject, which the status reports, too.
      if (error !== null) return;
      // Status messages belong to the library's protocol.
      if (message.data.length === 0 && message.headers?.code === 503) return;
      outside(() => onMessage(toBusMessage(message)));
    },
  });
  return {
    async drain() {
      if (nc.isClosed() || subscription.isClosed()) return;
      await within(DRAIN_MS, () => subscription.drain()).catch((error: unknown) => {
        if (!(error instanceof errors.TimeoutError)) throw error;
      });
      subscription.unsubscribe();
    },
  };
}
