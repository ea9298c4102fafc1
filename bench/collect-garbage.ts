/** Preloaded into the workers of `idle-plugin-child.ts`: while they rest, they collect what loading left behind. */

const EVERY_MS = 400;
setInterval(() => globalThis.gc?.(), EVERY_MS).unref();
