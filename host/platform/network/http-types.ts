/** HTTP servers, as an interface: `http-server.ts` implements it, `memory-http.ts` in memory. */

/** How far a client may go. Times in milliseconds. */
export interface HttpServerLimits {
  /** Of a request's body. */
  readonly bodyBytes: number;
  /** Of a request's head, and how many fields it may have. */
  readonly headBytes: number;
  readonly fields: number;
  /** From the first byte of a request to the end of its head, and to the end of its body. */
  readonly headMs: number;
  readonly requestMs: number;
  /** How long a connection may wait for its next request. */
  readonly idleMs: number;
  /** At once; more are closed as they come. */
  readonly connections: number;
}

/** What is kept where nothing else is asked for. */
export const DEFAULT_HTTP_LIMITS: HttpServerLimits = Object.freeze({
  bodyBytes: 4 * 1024 * 1024,
  headBytes: 16 * 1024,
  fields: 100,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 5_000,
  connections: 256,
});

/** Answers a request. The request's signal is aborted when its client goes; its body errors with `BodyTooLarge` past the limit. */
export type HttpFetch = (request: Request) => Response | Promise<Response>;

/** What is served, and where. */
export interface HttpServeOptions {
  readonly fetch: HttpFetch;
  /** An address, or a name of this machine. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly limits?: Partial<HttpServerLimits>;
  /** Told what `fetch` threw or its body failed with; the client is only told that something failed. */
  readonly onDefect: (error: unknown) => void;
}

/** A server that listens until it is closed. */
export interface HttpServer {
  /** Where it listens: an address. */
  readonly host: string;
  readonly port: number;
  /** No new connections; those with a request may end within `graceMs` (default 1,000), and are then cut. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

/** Servers for other programs, in plain HTTP/1.1. */
export interface HttpServers {
  /** @throws {HttpServerError} if nothing can listen there */
  serve(options: HttpServeOptions): Promise<HttpServer>;
}

/** A server cannot listen where it was asked to. */
export class HttpServerError extends Error {
  override readonly name = "HttpServerError";
  readonly code: "in_use" | "not_permitted" | "no_such_address" | "other";
  constructor(code: HttpServerError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A request's body is longer than the server takes. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`The body is larger than the ${maxBytes} bytes that are taken`);
    this.maxBytes = maxBytes;
  }
}
