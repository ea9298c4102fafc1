/** Requests of one connection. They share one subscription, and can be cancelled, which the library's cannot. */

import type { Bus } from "./bus-types.ts";
import { BusError, type BusMessage } from "./bus-types.ts";
import { toBusMessage } from "./nats-message.ts";
import { newInbox, type NatsLink } from "./nats-link.ts";

interface Waiting {
  readonly subject: string;
  readonly resolve: (message: BusMessage) => void;
  readonly reject: (error: Error) => void;
}

export function createRequests(link: NatsLink): Bus["request"] {
  const inbox = newInbox();
  const waiting = new Map<string, Waiting>();
  let count = 0;

  link.nc.subscribe(`${inbox}.*`, {
    callback(_error, message) {
      const entry = waiting.get(message.subject);
      if (entry === undefined) return;
      if (message.data.length > 0 || message.headers?.code !== 503) entry.resolve(toBusMessage(message));
      else entry.reject(new BusError("no_responders", `${entry.subject}: nothing subscribes to it`));
    },
  });
  link.onRefused((subject, cause) => {
    for (const entry of waiting.values()) {
      if (entry.subject === subject)
        entry.reject(new BusError("refused", `${subject}: ${link.server} does not permit it to this user`, cause));
    }
  });

  return async (subject, bytes, { timeoutMs, signal }) => {
    const cancelled = (): BusError => new BusError("cancelled", `${subject}: the request was cancelled`);
    if (signal?.aborted === true) throw cancelled();
    count += 1;
    const replyTo = `${inbox}.${count}`;
    const { promise, resolve, reject } = Promise.withResolvers<BusMessage>();
    const onAbort = (): void => reject(cancelled());
    const timer = setTimeout(() => {
      if (link.isConnected()) reject(new BusError("timeout", `${subject}: no answer within ${timeoutMs} ms`));
      else reject(new BusError("disconnected", `${subject}: no answer within ${timeoutMs} ms; the connection to ${link.server} was lost`));
    }, timeoutMs);
    waiting.set(replyTo, { subject, resolve, reject });
    signal?.addEventListener("abort", onAbort);
    try {
      link.publish(subject, bytes, replyTo);
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(replyTo);
      signal?.removeEventListener("abort", onAbort);
    }
  };
}
