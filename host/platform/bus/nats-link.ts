/** A connection to nats-server that knows whether it is connected, and bounds every wait. */

import { createInbox, errors, type NatsConnection } from "@nats-io/transport-node";
import { BusError } from "./bus-types.ts";
import { toBusError } from "./nats-errors.ts";

/** Milliseconds that one act on the server may take. */
export const ACT_MS = 5_000;
/** Maximum bytes that wait for a server which reads slowly. */
const MAX_UNSENT_BYTES = 67_108_864;
/** After so many bytes, the server is asked whether it has read them. */
const FLUSH_BYTES = 1_048_576;

export interface NatsLink {
  readonly nc: NatsConnection;
  /** The server, for messages. */
  readonly server: string;
  isConnected(): boolean;
  /** Called after each reconnection. Returns a function that stops that. */
  onReconnect(listener: () => void): () => void;
  /** Sends without waiting. @throws {BusError} */
  publish(subject: string, bytes: Uint8Array, replyTo?: string): void;
  /** Runs one act on the server, in at most `ms` (default: 5,000). @throws {BusError} */
  act<T>(what: string, run: () => Promise<T>, ms?: number): Promise<T>;
  /** @throws {BusError} if the bytes do not fit into one message */
  checkSize(what: string, bytes: Uint8Array): void;
  /** Called when the server refuses a subject. */
  onRefused(listener: (subject: string, error: Error) => void): void;
}

export function createNatsLink(nc: NatsConnection, onStatus: ((status: "connected" | "disconnected") => void) | undefined): NatsLink {
  const reconnected = new Set<() => void>();
  const acting = new Set<(error: Error) => void>();
  const refused = new Set<(subject: string, error: Error) => void>();
  let isConnected = true;
  let unsentBytes = 0;
  let isFlushing = false;

  function toStatus(status: "connected" | "disconnected"): void {
    if (isConnected === (status === "connected")) return;
    isConnected = status === "connected";
    onStatus?.(status);
    if (isConnected) for (const listener of reconnected) listener();
    // The answers that acts wait for went to the lost connection.
    else for (const end of acting) end(new errors.RequestError("connection lost"));
  }

  async function follow(): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === "disconnect") toStatus("disconnected");
      if (status.type === "reconnect") toStatus("connected");
      if (status.type === "error" && status.error instanceof errors.PermissionViolationError)
        for (const listener of refused) listener(status.error.subject, status.error);
    }
    toStatus("disconnected");
  }
  void follow();

  const link: NatsLink = {
    nc,
    server: nc.getServer(),
    isConnected: () => isConnected,
    onReconnect(listener) {
      reconnected.add(listener);
      return () => void reconnected.delete(listener);
    },
    onRefused: (listener) => void refused.add(listener),
    publish(subject, bytes, replyTo) {
      checkOpen(subject);
      link.checkSize(subject, bytes);
      if (unsentBytes + bytes.length > MAX_UNSENT_BYTES)
        throw new BusError(
          "disconnected",
          `${subject}: ${link.server} reads too slowly; ${unsentBytes} bytes wait to be sent. Send less, or try again later`,
        );
      unsentBytes += bytes.length;
      nc.publish(subject, bytes, replyTo === undefined ? {} : { reply: replyTo });
      if (unsentBytes >= FLUSH_BYTES && !isFlushing) void countSent();
    },
    checkSize(what, bytes) {
      const most = nc.info?.max_payload ?? Number.POSITIVE_INFINITY;
      if (bytes.length <= most) return;
      throw new BusError(
        "too_large",
        `${what}: ${bytes.length} bytes are more than the ${most} that ${link.server} accepts in one message (max_payload)`,
      );
    },
    async act(what, run, ms = ACT_MS) {
      checkOpen(what);
      const lost = Promise.withResolvers<never>();
      acting.add(lost.reject);
      try {
        return await Promise.race([within(ms, run), lost.promise]);
      } catch (error) {
        throw toBusError(error, what, link);
      } finally {
        acting.delete(lost.reject);
      }
    },
  };

  function checkOpen(what: string): void {
    if (nc.isClosed() || nc.isDraining()) throw new BusError("closed", `${what}: the connection to ${link.server} is closed`);
    if (!isConnected)
      throw new BusError("disconnected", `${what}: not connected to ${link.server}. The connection is tried again by itself`);
  }

  /** Asks the server whether it has read what was sent so far. */
  async function countSent(): Promise<void> {
    isFlushing = true;
    const asked = unsentBytes;
    // A lost connection loses what waits, too.
    await nc.flush().catch(() => {});
    unsentBytes -= asked;
    isFlushing = false;
  }
  return link;
}

/** Rejects with a TimeoutError after so many milliseconds. */
export async function within<T>(ms: number, run: () => Promise<T>): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new errors.TimeoutError()), ms);
  try {
    return await Promise.race([run(), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Subject that only this connection subscribes to. */
export function newInbox(): string {
  return createInbox();
}
