/** The host's server for other programs, and the remote hosts that it calls, as configured in `bascule.json` (SPEC I4, O3). Types only. */

/**
 * Scopes of a token: `call` lists and calls tools, `confirm` marks an MCP client that shows confirmations to the user, `metrics`
 * reads `/metrics`, `admin` belongs to the user and allows everything.
 */
export const TOKEN_SCOPES = ["call", "confirm", "metrics", "admin"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A token by its hash; the token itself is never stored here. */
export interface TokenConfig {
  /** Name of the token, shown in events and problems. */
  readonly name: string;
  /** Hash of the token, in hexadecimal. */
  readonly sha256: string;
  /** Rights of the token. Default `["call"]`. */
  readonly scopes: readonly TokenScope[];
  /** Role of every session that the token opens. */
  readonly role?: string;
}

/** Limits for the clients of a server. */
export interface ServerLimits {
  /** Maximum size of a request body. Default 4 MiB. */
  readonly bodyBytes: number;
  /** Maximum requests in progress, for all clients; default 256. One token may use a quarter of them. */
  readonly requests: number;
  /** Maximum open sessions per token, for `/v1` and `/mcp` separately; default 64. */
  readonly sessions: number;
  /** Maximum open event streams per token; default 16. */
  readonly streams: number;
}

/** Hosts that are accepted in the clusters of a project: public keys by name, which are NKeys of users (SPEC CL6). */
export interface ClusterConfig {
  /** Hosts whose results are accepted. */
  readonly members: Readonly<Record<string, string>>;
  /** Hosts whose calls this host runs after `serve --join`. */
  readonly callers: Readonly<Record<string, string>>;
}

/** Configuration of `bascule serve` (SPEC I4). */
export interface ServerConfig {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port to listen on. Default 7420. */
  readonly port?: number;
  readonly tokens: readonly TokenConfig[];
  /** Host names besides those of this machine that a request may use: `host` or `host:port`. */
  readonly allowedHosts: readonly string[];
  /** Origins of other pages that may send requests. */
  readonly allowedOrigins: readonly string[];
  readonly limits: Partial<ServerLimits>;
}

/** Another bascule host, or a cluster of them, that serves calls of the route `remote` (SPEC O3, CL1). */
export interface RemoteConfig {
  /** Origin with an optional path: `https://gpu.example.com`. For a cluster its NATS server: `nats://host:4222`, or `tls://`. */
  readonly url: string;
  /** Name of the cluster, for a NATS server. Default: `default`. */
  readonly cluster?: string;
  /** Name of the secret with the bearer token. */
  readonly token?: string;
  /** Tools that it serves: names, or patterns over qualified names. Default: all. */
  readonly tools?: readonly string[];
  /** Allowed addresses of its name that are not public: `10.0.0.7`, `10.0.0.0/8`. */
  readonly addresses?: readonly string[];
  /** Whether calls may use plain HTTP to another machine, readable on the network. Default false. */
  readonly plaintext?: boolean;
}
