/**
 * HTTP/1.1 servers for other programs, on Node and, through its `node:http`, on Deno (docs/decisions/0024).
 *
 * A client is untrusted until `fetch` has checked it: heads, bodies, times and connections are bounded here, and ambiguous requests (two
 * `Host` fields, a target that is not a path) are refused before any other code sees them.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { errnoOf } from "../files/file-errors.ts";
import {
  BodyTooLarge,
  DEFAULT_HTTP_LIMITS,
  type HttpServeOptions,
  type HttpServer,
  HttpServerError,
  type HttpServerLimits,
} from "./http-types.ts";

const DEFAULT_GRACE_MS = 1_000;
/** Interval of the check for slow connections. */
const CHECK_MS = 500;
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** A name, an IPv4 address or an IPv6 address in brackets, and a port: nothing that a URL parser would read differently. */
const AUTHORITY = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Starts a server. @throws {HttpServerError} if it cannot listen there */
export async function serveHttp(options: HttpServeOptions): Promise<HttpServer> {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
  const server = createServer(
    {
      maxHeaderSize: limits.headBytes,
      headersTimeout: Math.min(limits.headMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headMs),
    },
    (incoming, outgoing) => void answer(incoming, outgoing, { ...options, limits }),
  );
  server.maxConnections = limits.connections;
  server.maxHeadersCount = limits.fields;
  await listen(server, options);
  // A later failure of the server can only be reported as a defect.
  server.on("error", options.onDefect);
  const address = server.address();
  const { address: host, port } = typeof address === "object" && address !== null ? address : { address: options.host, port: options.port };
  let closing: Promise<void> | undefined;
  return { host, port, close: (graceMs = DEFAULT_GRACE_MS) => (closing ??= close(server, graceMs)) };
}

function listen(server: Server, { host, port }: HttpServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(toServerError(error, `${host}:${port}`));
    server.once("error", failed);
    server.listen({ host, port }, () => {
      server.off("error", failed);
      resolve();
    });
  });
}

function toServerError(error: unknown, place: string): HttpServerError {
  const errno = errnoOf(error);
  if (errno === "EADDRINUSE") return new HttpServerError("in_use", `Another program already listens on ${place}`);
  if (errno === "EACCES" || errno === "EPERM") return new HttpServerError("not_permitted", `Not permitted to listen on ${place}`);
  if (errno === "EADDRNOTAVAIL" || errno === "ENOTFOUND") {
    return new HttpServerError("no_such_address", `${place} is not an address of this machine`);
  }
  return new HttpServerError("other", `Cannot listen on ${place}: ${errno ?? "unknown"}`);
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface Serving extends HttpServeOptions {
  readonly limits: HttpServerLimits;
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, serving: Serving): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort(new DOMException("The client is gone", "AbortError"));
  });
  // The request's signal reports these errors.
  outgoing.on("error", () => undefined);
  incoming.on("error", () => undefined);
  const url = urlOf(incoming);
  if (url === undefined) return refuse(outgoing, 400);
  if (!METHODS.has(incoming.method ?? "")) return refuse(outgoing, 501);
  if (Number(incoming.headers["content-length"] ?? 0) > serving.limits.bodyBytes) return refuse(outgoing, 413);
  const request = new Request(url, {
    method: incoming.method ?? "GET",
    headers: fieldsOf(incoming),
    signal: gone.signal,
    ...(hasBody(incoming) && { body: bodyOf(incoming, serving.limits.bodyBytes), duplex: "half" as const }),
  });
  try {
    await write(await serving.fetch(request), outgoing);
  } catch (error) {
    if (error instanceof BodyTooLarge && !outgoing.headersSent) return refuse(outgoing, 413);
    // After the client is gone, errors are only consequences of that.
    if (!gone.signal.aborted) serving.onDefect(error);
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500);
  } finally {
    // Drains the rest of the body, within the limits, so that a client that still sends receives the answer.
    if (!incoming.complete) incoming.resume();
  }
}

function refuse(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status, { "content-length": 0 });
  outgoing.end();
}

/** Returns the URL; undefined if the target is not a path, or `Host` is not exactly one host. */
function urlOf(incoming: IncomingMessage): string | undefined {
  const hosts = incoming.headersDistinct["host"] ?? [];
  const [host] = hosts;
  const target = incoming.url ?? "";
  if (host === undefined || hosts.length > 1 || !AUTHORITY.test(host) || !target.startsWith("/")) return undefined;
  const url = `http://${host}${target}`;
  return URL.canParse(url) ? url : undefined;
}

function fieldsOf({ rawHeaders }: IncomingMessage): Headers {
  const fields = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) fields.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  return fields;
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  return (
    method !== "GET" && method !== "HEAD" && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)
  );
}

const PIECES_BYTES = 64 * 1024;

function bodyOf(incoming: IncomingMessage, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (finish: () => void) => (): void => {
          if (!isOver) finish();
          isOver = true;
        };
        const fail = (error: Error): void => end(() => controller.error(error))();
        incoming.on("data", (piece: Uint8Array) => {
          bytes += piece.length;
          // Disconnects a client that keeps sending a body that is too large.
          if (bytes > 2 * maxBytes) incoming.destroy();
          if (bytes > maxBytes) fail(new BodyTooLarge(maxBytes));
          if (isOver) return;
          controller.enqueue(new Uint8Array(piece));
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once(
          "end",
          end(() => controller.close()),
        );
        incoming.once("close", () => fail(new DOMException("The client is gone", "AbortError")));
      },
      pull: () => void incoming.resume(),
      cancel: () => {
        isOver = true;
        incoming.resume();
      },
    },
    { highWaterMark: PIECES_BYTES, size: (piece) => piece?.length ?? 0 },
  );
}

/** Writes a response. Rejects with the error of its body. */
async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  for (const [name, value] of response.headers) if (name !== "set-cookie") outgoing.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  outgoing.writeHead(response.status);
  if (response.body === null) return void outgoing.end();
  outgoing.flushHeaders();
  const reader = response.body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  outgoing.once("close", stop);
  // A client that left before the answer emits no further `close`.
  if (outgoing.destroyed) stop();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!outgoing.write(next.value) && !outgoing.destroyed) await drained(outgoing);
  }
  outgoing.off("close", stop);
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off("drain", go).off("close", go);
      resolve();
    };
    outgoing.on("drain", go).on("close", go);
  });
}
