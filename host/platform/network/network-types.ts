/** HTTP on behalf of a guest, as an interface: `network.ts` implements it, `memory-network.ts` in memory. */

import type { Holder } from "../../../sandbox/mod.ts";
import type { CheckedUrl } from "../proof.ts";

/** Name and value; names of answers are in lower case. Characters are bytes (Latin-1). */
export type HttpField = readonly [name: string, value: string];

/** What `exchange` decompresses, as a request says it. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br, zstd";

/** How far one exchange may go. */
export interface HttpLimits {
  /** From the name to a connection, TLS included, in milliseconds. */
  readonly connectMs: number;
  /** From the request to the answer's head. */
  readonly headMs: number;
  /** Between two pieces of the answer's body, while somebody waits for one. */
  readonly idleMs: number;
  /** The answer's head, in bytes and in fields. */
  readonly headBytes: number;
  readonly fields: number;
  /** The answer's body, as it is read: after decompression. */
  readonly bodyBytes: number;
  /** How many times larger than what came over the wire a body may become, from `ratioFromBytes` on. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
}

/** What is sent, besides the URL and the method, which are the proof's. */
export interface HttpRequest extends Holder {
  /** Without those that belong to the connection: `host`, `content-length`, `connection`, … are made here. */
  readonly fields: readonly HttpField[];
  /** Bytes, or pieces that are asked for one after the other as the socket takes them. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the exchange at any time, the reading of the body included. */
  readonly signal: AbortSignal;
  readonly limits: HttpLimits;
}

/** The head of an answer, and its body behind it. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly fields: readonly HttpField[];
  /** The next piece of the decoded body; undefined at the end. One at a time. @throws {NetworkError} */
  read(): Promise<Uint8Array | undefined>;
  /** Gives the connection up; idempotent, and not needed after the end. */
  close(): void;
}

/** What an exchange can fail of. */
export const NETWORK_ERROR_CODES = [
  "name_not_found",
  /** Where the name leads is not granted; `address` says where. */
  "not_capable",
  "refused",
  "unreachable",
  "reset",
  "closed",
  "timed_out",
  "tls",
  /** The answer is no HTTP/1.1. */
  "protocol",
  "head_too_large",
  "body_too_large",
  /** The body does not decompress. */
  "encoding",
  "aborted",
  "other",
] as const;
export type NetworkErrorCode = (typeof NETWORK_ERROR_CODES)[number];

/** An exchange failed. The message is in fixed words and may reach a guest; `address` may not. */
export class NetworkError extends Error {
  readonly code: NetworkErrorCode;
  readonly address?: string;
  constructor(code: NetworkErrorCode, message: string, address?: string) {
    super(message);
    this.name = "NetworkError";
    this.code = code;
    if (address !== undefined) this.address = address;
  }
}

/** Requests to the world. */
export interface Network {
  /**
   * Sends one request over a connection of its own, and resolves when the head of the answer is there.
   *
   * The name is resolved once; every address that comes is asked of the proof, and one that it does not permit refuses the
   * whole exchange; the connection goes to one of the addresses asked, which is compared with what the socket says. No
   * redirect is followed, no cookie kept, no proxy used, no credentials added; bodies in `gzip`, `deflate`, `br` and
   * `zstd` are decompressed under the limits.
   *
   * @throws {NetworkError} for whatever goes wrong
   */
  exchange(url: CheckedUrl, request: HttpRequest): Promise<HttpResponse>;
  /** Where a name leads now, an address to itself; at least one. @throws {NetworkError} `name_not_found` */
  addresses(host: string, asked: Pick<HttpRequest, "signal" | keyof Holder>): Promise<readonly string[]>;
}
