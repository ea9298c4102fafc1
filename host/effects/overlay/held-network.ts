/** A network that sends nothing which could change something elsewhere, and keeps a list of it (SPEC E8). */

import { type HttpRequest, type Network, NetworkError } from "../../platform/network/network-types.ts";
import type { HeldRequest } from "../../call/dry-run-report.ts";

/** What was not sent. */
export interface HeldRequests {
  readonly requests: readonly HeldRequest[];
  /** Beyond those that are listed. */
  readonly more: number;
}

/** Methods that only ask (RFC 9110, 9.2.1), of those that a guest can use. */
const ASKING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** A person reads them. */
const MAX_LISTED = 100;

/**
 * Requests are refused after they were checked, so that what is not granted fails as it always does.
 *
 * @param sends `asking`: requests that only ask are sent; `nothing`: none is
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

/** Takes what the guest sends, as a server would, and keeps nothing of it. */
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
