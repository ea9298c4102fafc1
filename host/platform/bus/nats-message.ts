/** Messages of the client library, as messages of the bus. */

import type { Msg } from "@nats-io/transport-node";
import type { BusMessage } from "./bus-types.ts";

/** Copies the bytes, because the library's are a view of what the socket read (`slice()` of a Buffer copies nothing). */
export function toBusMessage({ subject, data, reply }: Msg): BusMessage {
  return { subject, bytes: new Uint8Array(data), replyTo: reply === undefined || reply === "" ? undefined : reply };
}

/** Runs what a caller gave. Thrown inside the library's reader, its error would be printed, and end the reading of all messages. */
export function outside(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
