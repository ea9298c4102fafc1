/** Requests to one MCP server that a person listed (SPEC K3). */

import { type AddressRange, addressRange, embeddedAddresses, parseIp } from "../../../manifests/mod.ts";
import { type Resolve, resolveBySystem } from "./network-connect.ts";

/**
 * `fetch`, for one origin: no redirects, no cookies, and no message longer than so many bytes.
 *
 * A stream of events may last as long as the connection; what is bounded is what comes without the empty line that ends an event.
 */
export function fetchFrom(origin: string, maxMessageBytes: number): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw new TypeError(`Refused a request to ${url.origin}: the server is ${origin}`);
    const response = await fetch(url, { ...init, redirect: "error", credentials: "omit" });
    if (response.body === null) return response;
    const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded(maxMessageBytes, isEvents)), { status, statusText, headers });
  };
}

/** What may be asked where a login leads. */
export interface SecureFetchOptions {
  /** URL of the server that leads there. */
  readonly server: string;
  readonly maxBytes: number;
  /** Default: the system's answers. */
  readonly resolve?: Resolve;
}

const MAX_WAIT_MS = 30_000;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;

/** `fetch` for authorization servers, whose addresses come from a server: over https only, no redirects, no cookies, bounded. */
export function fetchSecurely({ server, maxBytes, resolve = resolveBySystem }: SecureFetchOptions): typeof fetch {
  const from = new URL(server).hostname;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isHere = LOOPBACK.test(url.hostname);
    if (!isHere && url.protocol !== "https:") throw new TypeError(`Refused a request to ${url.origin}: a login goes over https`);
    const signal = AbortSignal.any([AbortSignal.timeout(MAX_WAIT_MS), ...(init?.signal ? [init.signal] : [])]);
    const [wanted, most] = [await nearest(url.hostname, resolve), await nearest(from, resolve)];
    // What is on this machine, or in its network, is nobody's to name who is not. TLS holds a name that leads elsewhere a moment later.
    if (wanted > (most === NEVER ? PUBLIC : most))
      throw new TypeError(
        `Refused a request to ${url.origin}: a login leads into the network of this machine only for servers that are in it, and onto this machine only for servers on it`,
      );
    const response = await fetch(url, { ...init, signal, redirect: "error", credentials: "omit" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded(maxBytes, false)), { status, statusText, headers });
  };
}

const PUBLIC = 0;
const NEVER = 3;
/** How near to this machine; what is not named is never asked. */
const NEARNESS: Readonly<Partial<Record<AddressRange, number>>> = { public: PUBLIC, private: 1, loopback: 2 };

/** Of all addresses of a name the nearest; of a name that nobody knows the system's `fetch`, or its proxy, says what is wrong. */
async function nearest(hostname: string, resolve: Resolve): Promise<number> {
  const host = hostname.replace(/^\[(.*)\]$/s, "$1");
  const isAddress = parseIp(host) !== undefined;
  const addresses = isAddress ? [host] : LOOPBACK.test(host) ? ["127.0.0.1"] : await resolve(host).catch(() => []);
  return Math.max(PUBLIC, ...addresses.map(nearnessOf));
}

/** A translator's address (NAT64) is as near as the one inside it. */
function nearnessOf(address: string): number {
  const inside = embeddedAddresses(address);
  return inside.length > 0 ? Math.max(...inside.map(nearnessOf)) : (NEARNESS[addressRange(address)] ?? NEVER);
}

function bounded(maxBytes: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  let before: number | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes++;
        // An empty line ends an event, whichever line ends are used: one of two bytes is one.
        if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) lineBytes++;
        else if (byte !== LINE_FEED || before !== CARRIAGE_RETURN) {
          if (isEvents && lineBytes === 0) bytes = 0;
          lineBytes = 0;
        }
        before = byte;
      }
      if (bytes > maxBytes) controller.error(new TypeError(`The server sent a message longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
