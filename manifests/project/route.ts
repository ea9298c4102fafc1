/** Routes of calls. */

/** `microvm` is reserved: policy may name it, but a call answers `unavailable` (SPEC O4). */
export const ROUTES = ["host", "wasm", "remote", "microvm"] as const;
export type Route = (typeof ROUTES)[number];
