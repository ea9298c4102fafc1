/** Messages and values shared with other hosts, as an interface: `nats-bus.ts` implements it, `memory-bus.ts` in memory (SPEC CL). */

/** Connects to the servers of a cluster. Loads the client library at the first call. */
export interface Buses {
  /** Waits at most `connectMs` for the first connection. @throws {BusError} */
  connect(options: BusOptions): Promise<Bus>;
}

export interface BusOptions {
  /** `nats://host:port` or `tls://host:port`; at least one. */
  readonly servers: readonly string[];
  /** Shown in the server's list of connections. */
  readonly name: string;
  /** Seed of the user's NKey (`SU…`), if the server asks for one. */
  readonly seed?: string;
  /** Default: 5,000. */
  readonly connectMs?: number;
  /** The connection was lost or is back. */
  readonly onStatus?: (status: "connected" | "disconnected") => void;
}

/**
 * One connection. It reconnects by itself, for as long as it is open; meanwhile, every wait is bounded by its own time and ends with `disconnected`
 * or `timeout`.
 */
export interface Bus {
  /** Maximum bytes of one message that the server accepts. */
  readonly maxMessageBytes: number;
  /** Sends without an answer. @throws {BusError} `disconnected`, `too_large`, `closed` */
  publish(subject: string, bytes: Uint8Array, replyTo?: string): void;
  /** Sends and waits for the first answer. @throws {BusError} `no_responders` at once if nothing subscribes to the subject */
  request(subject: string, bytes: Uint8Array, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<BusMessage>;
  /**
   * Each message reaches one of the subscriptions that share a `queue`. A reconnection subscribes again. The server knows of it after the next
   * `roundTrip()`.
   */
  subscribe(subject: string, options: SubscribeOptions): BusSubscription;
  /** A subject that only this connection subscribes to, for answers. */
  newInbox(): string;
  /** Opens a bucket of small values; creates it if it is new. @throws {BusError} */
  values(bucket: string, options: BucketOptions): Promise<BusValues>;
  /** Opens a bucket of large values; creates it if it is new. @throws {BusError} */
  objects(bucket: string, options: BucketOptions): Promise<BusObjects>;
  /** Milliseconds of one round trip to the server. @throws {BusError} */
  roundTrip(): Promise<number>;
  /** Messages that are under way are handled, then the connection closes. Idempotent. */
  close(): Promise<void>;
}

export interface BusMessage {
  readonly subject: string;
  readonly bytes: Uint8Array;
  /** Where an answer is expected. */
  readonly replyTo: string | undefined;
}

export interface SubscribeOptions {
  readonly queue?: string;
  readonly onMessage: (message: BusMessage) => void;
}

export interface BusSubscription {
  /** No new messages; those that the server has already sent are handled first. */
  drain(): Promise<void>;
}

export interface BucketOptions {
  /** Milliseconds after which an unchanged value is removed; 0: never. */
  readonly ttlMs: number;
  /** Maximum bytes of the whole bucket, with up to 64 earlier versions of each value. */
  readonly maxBytes: number;
}

/** A value and its revision, which grows with each change of the bucket. */
export interface BusValue {
  readonly bytes: Uint8Array;
  readonly revision: number;
}

/**
 * Small values with compare-and-set. Keys: `[A-Za-z0-9_=-]+` joined by dots. Each act is bounded by 5 seconds. A write that ends with `timeout`,
 * or with `disconnected` while it was under way, may have happened or may still happen: read the value to know.
 * @throws {BusError}
 */
export interface BusValues {
  /** The newest value, as the leader of the bucket has it; never one from a replica that lags. */
  get(key: string): Promise<BusValue | undefined>;
  /** @returns the revision; undefined if the key has a value. */
  create(key: string, bytes: Uint8Array): Promise<number | undefined>;
  /** @returns the new revision; undefined if the value's revision is another one. */
  update(key: string, bytes: Uint8Array, revision: number): Promise<number | undefined>;
  /** @returns the new revision. */
  put(key: string, bytes: Uint8Array): Promise<number>;
  remove(key: string): Promise<void>;
  /** Keys that begin with `prefix` (a whole number of parts, such as `members.`). */
  keys(prefix: string): Promise<readonly string[]>;
  /**
   * Calls `onChange` for each present value, then resolves, then calls it for each change (undefined: removed). A reconnection continues without
   * a gap; of several changes of one key meanwhile, it brings at least the newest. Values whose time is over are not reported.
   */
  watch(filter: string, onChange: (key: string, value: BusValue | undefined) => void): Promise<{ stop(): void }>;
}

/** Large values. Each piece of one is bounded by 5 seconds, the whole by 60. @throws {BusError} */
export interface BusObjects {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** @returns undefined if it is missing; throws `too_large` before more than `maxBytes` are read. */
  get(name: string, maxBytes: number): Promise<Uint8Array | undefined>;
  remove(name: string): Promise<void>;
}

export type BusErrorCode = "no_responders" | "timeout" | "disconnected" | "refused" | "too_large" | "closed" | "cancelled";

/** A failed act on the bus. The message says which server or bucket, and what to do. */
export class BusError extends Error {
  override readonly name = "BusError";
  readonly code: BusErrorCode;
  constructor(code: BusErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
