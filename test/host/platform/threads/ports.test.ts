/** Messages between threads, and how a runtime processes them on arrival. */

import { MessageChannel } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { onMessage, postMessage, takeMessage } from "../../../../host/platform/threads/ports.ts";

describe("postMessage()", () => {
  it("delivers bytes to a listener and to takeMessage(), and transfers the given buffers [LV1.messages]", async () => {
    const { port1, port2 } = new MessageChannel();
    const bytes = new Uint8Array([1, 2, 3]);
    const message = { bytes, list: [bytes.slice()], shared: new Uint8Array(new SharedArrayBuffer(2)) };
    postMessage(port1, message, []);
    const taken = [takeMessage(port2), takeMessage(port2)];
    const { promise, resolve } = Promise.withResolvers<unknown>();
    onMessage(port2, resolve);
    postMessage(port1, message, [bytes.buffer]);
    const heard = await promise;
    port1.close();
    const whole = { bytes: new Uint8Array([1, 2, 3]), list: [new Uint8Array([1, 2, 3])], shared: new Uint8Array(2) };
    expect([taken, heard, bytes.length]).toEqual([[whole, undefined], whole, 0]);
  });

  // Deno converts the ports that it finds. An unconverted port shows that Deno did not search the message.
  it.skipIf(!("Deno" in globalThis))("prevents Deno from searching arriving messages [LV1.messages]", async () => {
    const { port1, port2 } = new MessageChannel();
    const [inside, other] = [new MessageChannel(), new MessageChannel()];
    postMessage(port1, { list: [inside.port1] }, [inside.port1]);
    const taken = takeMessage(port2);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    onMessage(port2, resolve);
    postMessage(port1, { list: [other.port1] }, [other.port1]);
    const heard = await promise;
    for (const { port2: end } of [inside, other]) end.close();
    port1.close();
    const isConverted = (found: unknown): boolean => typeof (found as { list: readonly { on?: unknown }[] }).list[0]?.on === "function";
    expect([taken, heard].map(isConverted)).toEqual([false, false]);
  });
});
