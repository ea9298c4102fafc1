/** A network that holds back requests that could change something elsewhere, and lists them (SPEC E8). */

import { type HttpRequest, type Network, NetworkError } from "../../platform/network/network-types.ts";
import type { HeldRequest } from "../../call/dry-run-report.ts";

/** The requests that were held back. */
interface HeldRequests {
  readonly requests: readonly HeldRequest[];
  /** Number of requests beyond the listed ones. */
  readonly more: number;
}

/** Safe methods (RFC 9110, 9.2.1) that a guest can use. */
const ASKING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Short enough for the user to read. */
const MAX_LISTED = 100;

/**
 * Holds requests back after the grant was checked, so that a request outside of the grant fails as usual.
 *
 * @param sends `asking`: sends requests with safe methods; `nothing`: sends none
 */
export function holdNetwork(network: Network, sends: "asking" | "nothing"): { readonly network: Network; readonly held: HeldRequests } {
  const held = { requests: [] as HeldRequest[], more: 0 };
  return {
    held,
    network: {
      addresses: (name, asked) => network.addresses(name, asked),
      async exchange(url, request) {
        const { method } = url;
        if (sends === "asking" && ASKING.has(method)) return await network.exchange(url, request);
        const bytes = await sizeOf(request);
        if (held.requests.length < MAX_LISTED) held.requests.push({ method, url: url.url, bytes });
        else held.more += 1;
        throw new NetworkError("other", `a dry run does not send ${method} requests`);
      },
    },
  };
}

/** Reads the guest's body as a server would, and discards it. */
async function sizeOf({ body, signal }: HttpRequest): Promise<number> {
  if (body === undefined) return 0;
  if (body instanceof Uint8Array) return body.length;
  let bytes = 0;
  for await (const piece of body) {
    if (signal.aborted) throw new NetworkError("aborted", "the request was aborted");
    bytes += piece.length;
  }
  return bytes;
}
