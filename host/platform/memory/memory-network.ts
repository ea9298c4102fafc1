/** A network in memory, with names and servers defined by a test. */

import { type HttpField, type HttpRequest, type HttpResponse, type Network, NetworkError } from "../network/network-types.ts";
import type { CheckedUrl } from "../proof.ts";

/** A request with its whole body. */
export interface MemoryRequest {
  readonly url: string;
  readonly method: string;
  readonly fields: readonly HttpField[];
  readonly body: Uint8Array;
}

export interface MemoryAnswer {
  readonly status?: number;
  readonly statusText?: string;
  readonly fields?: readonly HttpField[];
  readonly body?: string | Uint8Array;
}

export interface MemoryNetworkOptions {
  /** Addresses by name. Other names do not exist. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Answers every request that passes the checks. */
  readonly serve?: (request: MemoryRequest) => MemoryAnswer | Promise<MemoryAnswer>;
}

const PIECE_BYTES = 65_536;

export function createMemoryNetwork({ names = {}, serve }: MemoryNetworkOptions = {}): Network {
  return {
    addresses: async (host) => addressesOf(host, names),
    async exchange(url, request) {
      const { signal, fields, limits } = request;
      stopIfAborted(signal);
      const host = new URL(url.url).hostname.replace(/^\[(.*)\]$/s, "$1");
      checkAddresses(addressesOf(host, names), url);
      if (serve === undefined) throw new NetworkError("refused", "tcp connect error: Connection refused (os error 111)");
      const answered = await orAborted(
        (async () => serve({ url: url.url, method: url.method, fields, body: await readAll(request.body) }))(),
        signal,
      );
      return toResponse(answered, signal, limits.bodyBytes);
    },
  };
}

function addressesOf(host: string, names: Readonly<Record<string, readonly string[]>>): readonly string[] {
  if (host === "localhost") return ["127.0.0.1", "::1"];
  if (/^[0-9.]+$|:/.test(host)) return [host];
  const found = Object.hasOwn(names, host) ? names[host] : undefined;
  if (found !== undefined) return found;
  throw new NetworkError("name_not_found", "dns error: failed to lookup address information: Name or service not known");
}

function checkAddresses(addresses: readonly string[], { permitsAddress }: CheckedUrl): void {
  const refused = addresses.find((address) => !permitsAddress(address));
  if (refused !== undefined) throw new NetworkError("not_capable", "The address is not granted", refused);
}

function toResponse(
  { status = 200, statusText = "OK", fields = [], body = "" }: MemoryAnswer,
  signal: AbortSignal,
  cap: number,
): HttpResponse {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  let at = 0;
  let isClosed = false;
  return {
    status,
    statusText,
    fields,
    async read() {
      stopIfAborted(signal);
      if (isClosed) throw new NetworkError("closed", "the body was closed");
      if (bytes.length > cap) throw new NetworkError("body_too_large", `the body is larger than ${cap} bytes`);
      const piece = bytes.slice(at, at + PIECE_BYTES);
      at += piece.length;
      return piece.length === 0 ? undefined : piece;
    },
    close() {
      isClosed = true;
    },
  };
}

async function readAll(body: HttpRequest["body"]): Promise<Uint8Array> {
  if (body === undefined || body instanceof Uint8Array) return body ?? new Uint8Array();
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new NetworkError("aborted", "the request was aborted");
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(new NetworkError("aborted", "the request was aborted"));
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
