/** Preloaded into the workers of `idle-plugin-child.ts`: collects the garbage of loading while the workers are idle. */

const EVERY_MS = 400;
setInterval(() => globalThis.gc?.(), EVERY_MS).unref();
