/** Routes of calls. */

/** `microvm` is reserved: policy may name it, but a call answers `unavailable` (SPEC O4). */
export const ROUTES = ["host", "wasm", "remote", "microvm"] as const;
/** Where a call runs: natively on the host, in the sandbox, or on another host. */
export type Route = (typeof ROUTES)[number];
