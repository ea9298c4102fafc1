/** Connections whose address was checked: resolve once, ask about every answer, connect to what was asked about (SPEC C6). */

import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { ipToText, parseIp } from "../../../manifests/mod.ts";
import { toNetworkError } from "./network-error.ts";
import { NetworkError } from "./network-types.ts";
import type { CheckedUrl } from "../proof.ts";

/** Addresses of a name, in the order in which they are to be tried. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface ConnectOptions {
  readonly resolve: Resolve;
  /** Aborted at the end of the call, and when the time for connecting is over. */
  readonly signal: AbortSignal;
  /** Certificates to trust instead of the system's; for tests. */
  readonly ca?: string;
}

/** More are not tried: a name with hundreds of addresses is no reason to knock at all of them. */
const MAX_ADDRESSES = 16;
const MAX_TRIED = 4;

/** A connected socket, with TLS for `https:`. @throws {NetworkError} */
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

/** The system's answer to a name, as all programs of this machine get it. */
export async function resolveBySystem(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}

/** Asks once; every address that came, in its usual form. @throws {NetworkError} */
export async function resolveOnce(
  host: string,
  { resolve, signal }: Pick<ConnectOptions, "resolve" | "signal">,
): Promise<readonly string[]> {
  // Never asked of anybody: RFC 6761 §6.3.
  if (host === "localhost") return ["127.0.0.1", "::1"];
  const found = isIP(host) === 0 ? await abortable(() => resolve(host), signal) : [host];
  const addresses = found.flatMap((address) => {
    const parsed = parseIp(address);
    return parsed === undefined ? [] : [ipToText(parsed)];
  });
  // An answer that is no address (one with a zone) is not one that could be checked.
  if (addresses.length !== found.length || addresses.length > MAX_ADDRESSES) throw new NetworkError("name_not_found", NO_NAME);
  if (addresses.length === 0) throw new NetworkError("name_not_found", NO_NAME);
  return addresses;
}

const NO_NAME = "dns error: failed to lookup address information: Name or service not known";

/** A lookup that has begun cannot be called off: its answer is left alone. Whoever has given up already begins none. */
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
  // An address as host: no `lookup` is called for it, so nobody can answer otherwise in between.
  const socket = connectTcp({ host: address, port });
  try {
    await opened(socket, "connect", signal);
    const actual = parseIp(socket.remoteAddress ?? "");
    if (actual !== undefined && ipToText(actual) === address) return socket;
    throw new NetworkError("not_capable", "The connection went elsewhere", actual && ipToText(actual));
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function secure(plain: Socket, host: string, { signal, ca }: ConnectOptions): Promise<Socket> {
  // Loaded by the first that needs it: it takes 5 ms of each start.
  const socket = process.getBuiltinModule("node:tls").connect({
    socket: plain,
    host,
    // RFC 6066 §3: a server's name is no address.
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
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

/** A code of OpenSSL or Node: fixed words, whatever the certificate says of itself. */
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
    // Later errors are the client's to hear of; until it listens they must not end the process.
    socket.on("error", () => undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
