/** Preloaded into the soak's workers: collects garbage on request (`workers.ts`). Needs `--expose-gc`. */

const channel = new BroadcastChannel("bascule soak: collect");
channel.onmessage = () => globalThis.gc?.();
// Only Node's own type has this method.
(channel as unknown as { unref(): void }).unref();
