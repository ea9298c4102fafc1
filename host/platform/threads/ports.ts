/**
 * Messages between this process's threads.
 *
 * Deno walks every message that a `MessagePort` receives in search of ports to convert: each element of a typed array too, which
 * holds the receiver for 90 ns and leaves garbage of 50 bytes or more for each byte. It does not look into a `Map`, so on Deno a
 * message crosses in one. Ports inside a message stay unconverted: they are sent by `workerData`, or with the worker starter's orders.
 */

import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";

type Sender = Pick<MessagePort, "postMessage">;
interface Receiver {
  on(event: "message", listener: (received: unknown) => void): unknown;
}

const isDeno = "Deno" in globalThis;

/** Posts a message for `onMessage` or `takeMessage` on the other side; `moved` are moved rather than copied. */
export function postMessage(to: Sender, message: unknown, moved: readonly (ArrayBuffer | MessagePort)[]): void {
  to.postMessage(isDeno ? new Map([[0, message]]) : message, [...moved]);
}

/** Calls the listener with each message that `postMessage` sent. What it says is for the listener to check. */
export function onMessage(from: Receiver, listener: (message: unknown) => void): void {
  from.on("message", (received: unknown) => listener(unwrap(received)));
}

/** The next message that `postMessage` sent, if it is there. */
export function takeMessage(from: MessagePort): unknown {
  const received: { readonly message: unknown } | undefined = receiveMessageOnPort(from);
  return received === undefined ? undefined : unwrap(received.message);
}

function unwrap(received: unknown): unknown {
  return received instanceof Map ? received.get(0) : received;
}
