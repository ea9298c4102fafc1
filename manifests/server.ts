/** How other programs reach a host, and which hosts it reaches itself, as `bascule.json` says it (SPEC I4, O3). Types only. */

/**
 * What a token is good for: `call` sees and calls tools, `confirm` says that its MCP client puts questions to a person, `metrics`
 * reads `/metrics`, `admin` is a person's and may do everything.
 */
export const TOKEN_SCOPES = ["call", "confirm", "metrics", "admin"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A token by its hash; the token itself is never written down here. */
export interface TokenConfig {
  /** Shown in events and problems. */
  readonly name: string;
  /** In hexadecimal. */
  readonly sha256: string;
  /** Default `["call"]`. */
  readonly scopes: readonly TokenScope[];
  /** The role of every session that it opens. */
  readonly role?: string;
}

/** How far the clients of a server may go. */
export interface ServerLimits {
  /** Of a request's body. Default 4 MiB. */
  readonly bodyBytes: number;
  /** Requests that are being answered, of all clients; default 256. A quarter of them of one token. */
  readonly requests: number;
  /** Sessions of one token that are open, of `/v1` and of `/mcp` each; default 64. */
  readonly sessions: number;
  /** Event streams of one token that are open; default 16. */
  readonly streams: number;
}

/** What `bascule serve` does (SPEC I4). */
export interface ServerConfig {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 7420. */
  readonly port?: number;
  readonly tokens: readonly TokenConfig[];
  /** Names besides those of this machine that a request may come for: `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
  /** Pages of other origins that may ask. */
  readonly allowedOrigins: readonly string[];
  readonly limits: Partial<ServerLimits>;
}

/** Another bascule host, to which calls of the route `remote` go (SPEC O3). */
export interface RemoteConfig {
  /** Its origin, and a path if it lies below one: `https://gpu.example.com`. */
  readonly url: string;
  /** The name of a secret: the bearer token. */
  readonly token?: string;
  /** Which tools it serves: names, or patterns over qualified names. Default: all. */
  readonly tools?: readonly string[];
  /** Addresses that its name may lead to although they are not public: `10.0.0.7`, `10.0.0.0/8`. */
  readonly addresses?: readonly string[];
  /** Calls may go over plain HTTP to another machine, readable to whoever is in between. Default false. */
  readonly plaintext?: boolean;
}
