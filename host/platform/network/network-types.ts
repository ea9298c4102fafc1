/** HTTP on behalf of a guest, as an interface: `network.ts` implements it, `memory-network.ts` in memory. */

import type { Holder } from "../../../sandbox/mod.ts";
import type { CheckedUrl } from "../proof.ts";

/** Name and value; names of answers are in lower case. Characters are bytes (Latin-1). */
export type HttpField = readonly [name: string, value: string];

/** Encodings that `exchange` decompresses, as the value of `accept-encoding`. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br, zstd";

/** Bounds of one exchange. */
export interface HttpLimits {
  /** Milliseconds from the lookup to a connection, including TLS. */
  readonly connectMs: number;
  /** Milliseconds from the request to the answer's head. */
  readonly headMs: number;
  /** Milliseconds between two pieces of the answer's body, while the reader waits for one. */
  readonly idleMs: number;
  /** Maximum bytes and fields of the answer's head. */
  readonly headBytes: number;
  readonly fields: number;
  /** Maximum bytes of the answer's body after decompression. */
  readonly bodyBytes: number;
  /** Maximum ratio of decompressed to received bytes, checked from `ratioFromBytes` on. */
  readonly ratio: number;
  readonly ratioFromBytes: number;
}

/** Content of a request. The URL and the method come from the proof. */
export interface HttpRequest extends Holder {
  /** Fields except those of the connection: `host`, `content-length`, `connection`, … are added here. */
  readonly fields: readonly HttpField[];
  /** Bytes, or pieces that are pulled one by one as the socket accepts them. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the exchange at any time, including the reading of the body. */
  readonly signal: AbortSignal;
  readonly limits: HttpLimits;
}

/** The head of an answer, and access to its body. */
export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly fields: readonly HttpField[];
  /** Returns the next piece of the decoded body; undefined at the end. Call it again only after it has settled. @throws {NetworkError} */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection; idempotent, and not needed after the end. */
  close(): void;
}

/** Reasons why an exchange fails. */
const NETWORK_ERROR_CODES = [
  "name_not_found",
  /** The name resolves to an address that is not granted, given in `address`. */
  "not_capable",
  "refused",
  "unreachable",
  "reset",
  "closed",
  "timed_out",
  "tls",
  /** The answer is not HTTP/1.1. */
  "protocol",
  "head_too_large",
  "body_too_large",
  /** The body cannot be decompressed. */
  "encoding",
  "aborted",
  "other",
] as const;
export type NetworkErrorCode = (typeof NETWORK_ERROR_CODES)[number];

/** An exchange failed. The message is a fixed text and may reach a guest; `address` may not. */
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

/** Outgoing requests. */
export interface Network {
  /**
   * Sends one request over a connection of its own, and resolves when the head of the answer has arrived.
   *
   * The name is resolved once. The proof is asked about every address, and one that it does not permit refuses the whole exchange. The
   * connection goes to one of the checked addresses, which is compared with the socket's own report. No redirect is followed, no cookie
   * kept, no proxy used, no credentials added. Bodies in `gzip`, `deflate`, `br` and `zstd` are decompressed within the limits.
   *
   * @throws {NetworkError} for every failure
   */
  exchange(url: CheckedUrl, request: HttpRequest): Promise<HttpResponse>;
  /** Returns at least one address that a name resolves to now; an address resolves to itself. @throws {NetworkError} `name_not_found` */
  addresses(host: string, asked: Pick<HttpRequest, "signal" | keyof Holder>): Promise<readonly string[]>;
}
