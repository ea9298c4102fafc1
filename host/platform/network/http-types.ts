/** HTTP servers, as an interface: `http-server.ts` implements it, `memory-http.ts` in memory. */

/** Bounds of a client. Times in milliseconds. */
export interface HttpServerLimits {
  /** Maximum size of a request's body. */
  readonly bodyBytes: number;
  /** Maximum size of a request's head, and maximum number of its fields. */
  readonly headBytes: number;
  readonly fields: number;
  /** Timeouts from the first byte of a request to the end of its head, and to the end of its body. */
  readonly headMs: number;
  readonly requestMs: number;
  /** Keep-alive: how long a connection may wait for its next request. */
  readonly idleMs: number;
  /** Maximum number of open connections; further ones are closed at once. */
  readonly connections: number;
}

/** Default limits. */
export const DEFAULT_HTTP_LIMITS: HttpServerLimits = Object.freeze({
  bodyBytes: 4 * 1024 * 1024,
  headBytes: 16 * 1024,
  fields: 100,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  connections: 256,
});

/** Answers a request. The request's signal is aborted when the client disconnects; its body errors with `BodyTooLarge` past the limit. */
export type HttpFetch = (request: Request) => Response | Promise<Response>;

/** Options of a server. */
export interface HttpServeOptions {
  readonly fetch: HttpFetch;
  /** An address, or a name of this machine. */
  readonly host: string;
  /** Port; 0 takes any free one. */
  readonly port: number;
  readonly limits?: Partial<HttpServerLimits>;
  /** Called with errors of `fetch` or of its response body. The client only learns that something failed. */
  readonly onDefect: (error: unknown) => void;
}

/** A server that listens until it is closed. */
export interface HttpServer {
  /** The address it listens on. */
  readonly host: string;
  readonly port: number;
  /** Stops accepting connections. Running requests may end within `graceMs` (default 1,000); then they are cut. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

/** Servers for other programs, in plain HTTP/1.1. */
export interface HttpServers {
  /** Starts a server. @throws {HttpServerError} if it cannot listen there */
  serve(options: HttpServeOptions): Promise<HttpServer>;
}

/** A server cannot listen at the requested address. */
export class HttpServerError extends Error {
  override readonly name = "HttpServerError";
  readonly code: "in_use" | "not_permitted" | "no_such_address" | "other";
  constructor(code: HttpServerError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A request's body exceeds the server's limit. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}
