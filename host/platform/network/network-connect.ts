/** Connections to checked addresses: resolves once, checks every address, and connects to a checked one (SPEC C6). */

import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { ipToText, parseIp } from "../../../manifests/mod.ts";
import { toNetworkError } from "./network-error.ts";
import { NetworkError } from "./network-types.ts";
import type { CheckedUrl } from "../proof.ts";

/** Returns the addresses of a name, in the order to try them. */
export type Resolve = (name: string) => Promise<readonly string[]>;

interface ConnectOptions {
  readonly resolve: Resolve;
  /** Aborted at the end of the call, and when the time for connecting is over. */
  readonly signal: AbortSignal;
  /** Certificates to trust instead of the system's; for tests. */
  readonly ca?: string;
}

/** Maximum number of addresses, and of addresses to try: a name with hundreds of addresses must not cause hundreds of connections. */
const MAX_ADDRESSES = 16;
const MAX_TRIED = 4;

/** Returns a connected socket, with TLS for `https:`. @throws {NetworkError} */
export async function connectChecked(url: CheckedUrl, options: ConnectOptions): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url.url);
  const isSecure = protocol === "https:";
  const host = hostname.replace(/^\[(.*)\]$/s, "$1");
  const addresses = await resolveOnce(host, options);
  const refused = addresses.find((address) => !url.permitsAddress(address));
  if (refused !== undefined) throw new NetworkError("not_capable", "The address is not granted", refused);

  const socket = await connectFirst(addresses.slice(0, MAX_TRIED), port === "" ? (isSecure ? 443 : 80) : Number(port), options.signal);
  return isSecure ? await secure(socket, host, options) : socket;
}

/** Resolves a name with the system's resolver, like all programs of this machine. */
export async function resolveBySystem(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

/** Resolves a name once and returns all its addresses, normalised. @throws {NetworkError} */
export async function resolveOnce(
  host: string,
  { resolve, signal }: Pick<ConnectOptions, "resolve" | "signal">,
): Promise<readonly string[]> {
  // Never resolved (RFC 6761 §6.3).
  if (host === "localhost") return ["127.0.0.1", "::1"];
  const found = isIP(host) === 0 ? await abortable(() => resolve(host), signal) : [host];
  const addresses = found.flatMap((address) => {
    const parsed = parseIp(address);
    return parsed === undefined ? [] : [ipToText(parsed)];
  });
  // An answer that is not a plain address (for example with a zone) could not be checked.
  if (addresses.length !== found.length || addresses.length > MAX_ADDRESSES) throw new NetworkError("name_not_found", NO_NAME);
  if (addresses.length === 0) throw new NetworkError("name_not_found", NO_NAME);
  return addresses;
}

const NO_NAME = "dns error: failed to lookup address information: Name or service not known";

/** Runs a lookup until the signal aborts. A running lookup cannot be cancelled: its answer is ignored. After the abort none begins. */
async function abortable<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(toNetworkError(signal.reason));
    signal.addEventListener("abort", stop, { once: true });
    begin()
      .then(resolve, () => reject(new NetworkError("name_not_found", NO_NAME)))
      .finally(() => signal.removeEventListener("abort", stop));
  });
}

async function connectFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connectTo(address, port, signal);
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw toNetworkError(failure);
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  // With an address as host, `connect` calls no `lookup` that could answer differently.
  const socket = connectTcp({ host: address, port });
  try {
    await opened(socket, "connect", signal);
    const actual = parseIp(socket.remoteAddress ?? "");
    if (actual !== undefined && ipToText(actual) === address) return socket;
    throw new NetworkError("not_capable", "The connection went to another address", actual && ipToText(actual));
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function secure(plain: Socket, host: string, { signal, ca }: ConnectOptions): Promise<Socket> {
  // Loaded by the first secure connection, because it takes 5 ms of each start.
  const socket = process.getBuiltinModule("node:tls").connect({
    socket: plain,
    host,
    // RFC 6066 §3: a server name must not be an address.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  });
  try {
    await opened(socket, "secureConnect", signal);
    return socket;
  } catch (error) {
    socket.destroy();
    plain.destroy();
    throw error instanceof NetworkError ? error : new NetworkError("tls", `tls error: ${certificateProblem(error)}`);
  }
}

/** Returns a code of OpenSSL or Node: fixed text, independent of the certificate's content. */
function certificateProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "the handshake failed";
}

async function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => void socket.destroy(toNetworkError(signal.reason));
    const settle = (done: () => void) => (): void => {
      signal.removeEventListener("abort", stop);
      socket.removeListener("error", failed).removeListener("close", closed);
      done();
    };
    const failed = (error: unknown): void => settle(() => reject(error))();
    const closed = settle(() => reject(new NetworkError("closed", "connection closed before it was established")));
    socket.once("error", failed).once("close", closed).once(event, settle(resolve));
    // Keeps a later error from ending the process before the client listens for errors.
    socket.on("error", () => undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
