/**
 * HTTP/1.1 over checked connections, by undici's client (docs/decisions/0008).
 *
 * Each exchange has its own connection, made by `connectChecked` and handed to a client that cannot open another one. So calls share
 * nothing, and addresses that are not granted are never connected to.
 */

import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Client, Dispatcher } from "undici";
import { decodeBody, nextPiece } from "./network-body.ts";
import { connectChecked, type Resolve, resolveBySystem, resolveOnce } from "./network-connect.ts";
import { toNetworkError } from "./network-error.ts";
import { createWireBody } from "./network-pieces.ts";
import { createNetworkSlots, type Waiting } from "./network-slots.ts";
import { type HttpField, type HttpRequest, type HttpResponse, type Network, NetworkError } from "./network-types.ts";
import type { CheckedUrl } from "../proof.ts";

interface NetworkOptions {
  /** Resolver to use instead of the system's. */
  readonly resolve?: Resolve;
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
}

/** Maximum number of informational answers (1xx). */
const MAX_INFORMATIONAL = 16;

export function createNetwork({ resolve = resolveBySystem, ca }: NetworkOptions = {}): Network {
  const slots = createNetworkSlots();
  const inTurn =
    (waiting: Waiting): Resolve =>
    (name) =>
      slots.lookup(() => resolve(name), waiting);
  return {
    async exchange(url, request) {
      const { signal, limits } = request;
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(new NetworkError("timed_out", "the connection took too long")), limits.connectMs);
      const both = AbortSignal.any([signal, over.signal]);
      let release: () => void = () => undefined;
      try {
        const createClient = loadClient();
        const waiting = { ...request, signal: both };
        release = await slots.connection(new URL(url.url).host, waiting);
        const socket = await connectChecked(url, { resolve: inTurn(waiting), signal: both, ...(ca !== undefined && { ca }) });
        socket.once("close", release);
        const client = new createClient(new URL(url.url).origin, clientOptions(socket, request));
        const response = await send(client, socket, url, request);
        return { ...response, read: () => readInTurn(response, () => slots.piece({ ...waiting, signal })) };
      } catch (thrown) {
        release();
        throw toNetworkError(thrown);
      } finally {
        clearTimeout(timer);
      }
    },
    addresses: (host, asked) => resolveOnce(host, { resolve: inTurn(asked), signal: asked.signal }),
  };
}

/**
 * Loads the client class with the first request: most hosts start for calls without requests, and the package's main module sets a
 * dispatcher for the whole process.
 */
function loadClient(): typeof Client {
  // The module is CommonJS without its own declarations; it exports only the class.
  return createRequire(import.meta.url)("undici/lib/dispatcher/client.js") as typeof Client;
}

function clientOptions(socket: Socket, { limits }: HttpRequest): Client.Options {
  let given = false;
  return {
    connect: (_options, callback) => {
      // Connects once: a client that reconnects would choose the target itself. Deferred: it does not expect a callback during the call.
      const isFirst = !given;
      given = true;
      queueMicrotask(() => {
        if (isFirst) callback(null, socket);
        else callback(new NetworkError("closed", "connection closed before message completed"), null);
      });
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headMs,
    // `nextPiece` times the wait for pieces instead, so that a slow reader does not cause a timeout.
    bodyTimeout: 0,
  };
}

async function send(client: Client, socket: Socket, url: CheckedUrl, request: HttpRequest): Promise<HttpResponse> {
  const { signal, limits, body } = request;
  const { pathname, search } = new URL(url.url);
  const wire = createWireBody(() => end());
  const { stream: raw } = wire;
  const end = (): void => {
    signal.removeEventListener("abort", stop);
    // Closes the socket in any state.
    client.destroy(new NetworkError("aborted", "the request was aborted")).catch(() => undefined);
    socket.destroy();
  };
  const stop = (): void => void raw.destroy(new NetworkError("aborted", "the request was aborted"));
  // Readers receive the error from the stream that they read.
  raw.on("error", () => undefined);
  signal.addEventListener("abort", stop, { once: true });

  const head = await new Promise<Omit<HttpResponse, "read" | "close">>((resolve, reject) => {
    let informational = 0;
    const fail = (thrown: unknown): void => {
      reject(toNetworkError(thrown));
      raw.destroy(toNetworkError(thrown));
    };
    raw.once("close", () => reject(toNetworkError(raw.errored)));
    client.dispatch(
      {
        path: `${pathname}${search}`,
        method: url.method,
        headers: request.fields.flat(),
        // Closes the connection after the answer, so that only the end of the connection ends a body without a length.
        reset: true,
        ...(body !== undefined && { body: body instanceof Uint8Array ? body : Readable.from(body, { objectMode: false }) }),
      },
      {
        onRequestStart(given) {
          wire.begin(given);
          if (raw.destroyed) given.abort(new NetworkError("aborted", "the request was aborted"));
        },
        onResponseStart(given, status, _headers, statusText = "") {
          if (status < 200) {
            if (++informational > MAX_INFORMATIONAL)
              given.abort(new NetworkError("protocol", "the server sent too many informational answers"));
            return;
          }
          const fields = readFields(given.rawHeaders);
          if (fields.length > limits.fields) given.abort(new NetworkError("head_too_large", "the head of the answer has too many fields"));
          else resolve({ status, statusText, fields });
        },
        onResponseData(_given, piece) {
          wire.add(piece);
        },
        onResponseEnd() {
          wire.end();
        },
        onResponseError(_given, error) {
          fail(error);
        },
      },
    );
  });
  return withBody(head, raw, request);
}

function withBody(head: Omit<HttpResponse, "read" | "close">, raw: Readable, { signal, limits }: HttpRequest): HttpResponse {
  try {
    const decoded = decodeBody(raw, head.fields, limits);
    decoded.on("error", () => raw.destroy());
    return {
      ...head,
      read: () => nextPiece(decoded, signal, limits.idleMs),
      close: () => {
        decoded.destroy();
        raw.destroy();
      },
    };
  } catch (error) {
    raw.destroy();
    throw error;
  }
}

/** Reads a piece and waits for a slot, because servers send as fast as the host reads. */
async function readInTurn({ read }: Pick<HttpResponse, "read">, turn: () => Promise<void>): Promise<Uint8Array | undefined> {
  const piece = await read();
  if (piece !== undefined) await turn();
  return piece;
}

/** Decodes bytes as Latin-1, as the fetch standard does. */
function readFields(raw: Dispatcher.DispatchController["rawHeaders"]): readonly HttpField[] {
  const texts = Array.isArray(raw) ? raw.map((part) => (typeof part === "string" ? part : Buffer.from(part).toString("latin1"))) : [];
  const fields: HttpField[] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) fields.push([(texts[index] ?? "").toLowerCase(), texts[index + 1] ?? ""]);
  return fields;
}
