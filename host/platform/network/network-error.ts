/** Maps errors of the runtime and undici to the closed set of codes, with fixed texts: a peer's bytes never reach a message. */

import { NetworkError, type NetworkErrorCode } from "./network-types.ts";

/** By the code of Node or undici. The texts are those that Deno prints for the same error. */
const KNOWN: ReadonlyMap<string, readonly [code: NetworkErrorCode, message: string]> = new Map([
  ["ECONNREFUSED", ["refused", "tcp connect error: Connection refused (os error 111)"]],
  ["EHOSTUNREACH", ["unreachable", "tcp connect error: No route to host (os error 113)"]],
  ["ENETUNREACH", ["unreachable", "tcp connect error: Network is unreachable (os error 101)"]],
  ["EADDRNOTAVAIL", ["unreachable", "tcp connect error: Cannot assign requested address (os error 99)"]],
  ["ETIMEDOUT", ["timed_out", "tcp connect error: Connection timed out (os error 110)"]],
  ["ECONNRESET", ["reset", "connection reset by peer"]],
  ["EPIPE", ["reset", "broken pipe"]],
  ["UND_ERR_SOCKET", ["closed", "connection closed before message completed"]],
  ["UND_ERR_HEADERS_TIMEOUT", ["timed_out", "the server did not answer in time"]],
  ["UND_ERR_BODY_TIMEOUT", ["timed_out", "the next piece of the body did not arrive in time"]],
  ["UND_ERR_HEADERS_OVERFLOW", ["head_too_large", "the head of the answer is too large"]],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", ["protocol", "the length of the body differs from its head"]],
]);

/** Converts any thrown value into a `NetworkError`; an existing one is returned unchanged. */
export function toNetworkError(thrown: unknown): NetworkError {
  if (thrown instanceof NetworkError) return thrown;
  if (!(thrown instanceof Error)) return new NetworkError("aborted", "the request was aborted");
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  const known = KNOWN.get(code);
  if (known !== undefined) return new NetworkError(...known);
  if (thrown.name === "HTTPParserError" || code.startsWith("HPE_")) return new NetworkError("protocol", "the answer is not valid HTTP/1.1");
  if (thrown.name === "AbortError" || code === "ABORT_ERR") return new NetworkError("aborted", "the request was aborted");
  return new NetworkError("other", "the exchange failed");
}
