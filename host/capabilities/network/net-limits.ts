/** Bounds of guest requests (SPEC C6), in addition to the call's own deadline. */

import type { HttpLimits } from "../../platform/network/network-types.ts";

const MIB = 1024 * 1024;

export const NET_LIMITS: HttpLimits = Object.freeze({
  connectMs: 10_000,
  headMs: 300_000,
  idleMs: 120_000,
  headBytes: 64 * 1024,
  fields: 256,
  bodyBytes: 64 * MIB,
  ratio: 100,
  ratioFromBytes: MIB,
});

/** As in the fetch standard and Deno. */
export const MAX_REDIRECTS = 20;

/** Requests of one call whose responses were not read to the end yet. */
export const MAX_OPEN_EXCHANGES = 64;

export const MAX_URL_LENGTH = 16_384;
export const MAX_REQUEST_FIELDS = 128;
export const MAX_REQUEST_FIELD_BYTES = 32_768;

/** Maximum size of a streamed body. A body in one piece has the limit of one operation. */
export const MAX_STREAMED_BODY_BYTES: number = 64 * MIB;

/** Maximum size of one `net.read` answer. */
export const MAX_PIECE_BYTES: number = 256 * 1024;

/** https://fetch.spec.whatwg.org/#port-blocking: ports of services that could take an HTTP request for their own protocol. */
export const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113],
  ...[115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563],
  ...[587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669],
  ...[6679, 6697, 10080],
]);
