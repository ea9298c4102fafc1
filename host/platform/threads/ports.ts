/**
 * Messages between this process's threads.
 *
 * Deno searches every message that a `MessagePort` receives for ports to convert, including each element of a typed array. That blocks the
 * receiver for 90 ns per byte and leaves garbage of 50 bytes or more for each. Deno does not search a `Map`, so on Deno a message is
 * wrapped in one. Ports inside a message stay unconverted, so they are sent by `workerData` or with the worker starter's orders.
 */

import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";

type Sender = Pick<MessagePort, "postMessage">;
interface Receiver {
  on(event: "message", listener: (received: unknown) => void): unknown;
}

const isDeno = "Deno" in globalThis;

/** Posts a message for `onMessage` or `takeMessage` on the other side. `moved` buffers and ports are transferred instead of copied. */
export function postMessage(to: Sender, message: unknown, moved: readonly (ArrayBuffer | MessagePort)[]): void {
  to.postMessage(isDeno ? new Map([[0, message]]) : message, [...moved]);
}

/** Calls the listener with each message from `postMessage`. The listener must validate it. */
export function onMessage(from: Receiver, listener: (message: unknown) => void): void {
  from.on("message", (received: unknown) => listener(unwrap(received)));
}

/** Resolves to the only message from `postMessage` on a port that gets no other one. */
export function firstMessage(from: MessagePort): Promise<unknown> {
  return new Promise((resolve) => void from.once("message", (received: unknown) => resolve(unwrap(received))));
}

/** Returns the next message from `postMessage`, if one has arrived. */
export function takeMessage(from: MessagePort): unknown {
  const received: { readonly message: unknown } | undefined = receiveMessageOnPort(from);
  return received === undefined ? undefined : unwrap(received.message);
}

function unwrap(received: unknown): unknown {
  return received instanceof Map ? received.get(0) : received;
}
