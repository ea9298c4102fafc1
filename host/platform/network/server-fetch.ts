/** Requests to one MCP server that the user listed (SPEC K3). */

import { type AddressRange, addressRange, embeddedAddresses, parseIp } from "../../../manifests/mod.ts";
import { type Resolve, resolveBySystem } from "./network-connect.ts";

/**
 * Returns a `fetch` for one origin: no redirects, no cookies, and no message longer than `maxMessageBytes`.
 *
 * A stream of events may last as long as the connection; the bound applies to the bytes between two empty lines, which end an event.
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

/** Bounds of requests during a login. */
interface SecureFetchOptions {
  /** URL of the server that names the authorization server. */
  readonly server: string;
  readonly maxBytes: number;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

const MAX_WAIT_MS = 30_000;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;

/** Returns a `fetch` for authorization servers, whose addresses come from an MCP server: https only, no redirects, no cookies, bounded. */
export function fetchSecurely({ server, maxBytes, resolve = resolveBySystem }: SecureFetchOptions): typeof fetch {
  const from = new URL(server).hostname;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isHere = LOOPBACK.test(url.hostname);
    if (!isHere && url.protocol !== "https:") throw new TypeError(`Refused a request to ${url.origin}: a login requires https`);
    const signal = AbortSignal.any([AbortSignal.timeout(MAX_WAIT_MS), ...(init?.signal ? [init.signal] : [])]);
    const [wanted, most] = [await nearest(url.hostname, resolve), await nearest(from, resolve)];
    // A server elsewhere must not name an address of this machine or its network. TLS protects against a name that resolves differently a
    // moment later.
    if (wanted > (most === NEVER ? PUBLIC : most))
      throw new TypeError(
        `Refused a request to ${url.origin}: only a server on this network may send a login to a private address, and only a server on this machine to a loopback address`,
      );
    const response = await fetch(url, { ...init, signal, redirect: "error", credentials: "omit" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded(maxBytes, false)), { status, statusText, headers });
  };
}

const PUBLIC = 0;
const NEVER = 3;
/** Nearness to this machine. Ranges that are not listed are always refused. */
const NEARNESS: Readonly<Partial<Record<AddressRange, number>>> = { public: PUBLIC, private: 1, loopback: 2 };

/**
 * Returns the nearness of a name's nearest address. An unknown name counts as public: the system's `fetch`, or its proxy, reports the
 * error.
 */
async function nearest(hostname: string, resolve: Resolve): Promise<number> {
  const host = hostname.replace(/^\[(.*)\]$/s, "$1");
  const isAddress = parseIp(host) !== undefined;
  const addresses = isAddress ? [host] : LOOPBACK.test(host) ? ["127.0.0.1"] : await resolve(host).catch(() => []);
  return Math.max(PUBLIC, ...addresses.map(nearnessOf));
}

/** Returns the nearness of an address; a NAT64 address is as near as the address inside it. */
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
        // An empty line ends an event, with any kind of line end; CR LF is one line end.
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
