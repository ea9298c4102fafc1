/** Preloaded into the soak's workers: collects garbage when it is asked to (`workers.ts`). Needs `--expose-gc`. */

const channel = new BroadcastChannel("bascule soak: collect");
channel.onmessage = () => globalThis.gc?.();
// Only Node's own type has it.
(channel as unknown as { unref(): void }).unref();
