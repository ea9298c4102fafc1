/** One call that this member has accepted: runs it, sends frames, and records its one result (SPEC CL2, CL3). */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import { BusError } from "../platform/bus/bus-types.ts";
import { pause } from "../primitives/until-aborted.ts";
import { internal, resourceExhausted } from "../call/errors.ts";
import { decideEnd } from "./acceptance.ts";
import { Delivery } from "./delivery.ts";
import { sealEnvelope } from "./envelope.ts";
import type { Link } from "./link.ts";
import { failedCall } from "./lost-call.ts";
import type { CallHeader } from "./messages.ts";
import { INLINE_BYTES } from "./names.ts";
import { AlteredRecord, type Records, type StoredRecord } from "./records.ts";

/** A call as the host runs it. */
export interface ClusterCall extends Pick<CallHeader, "callId" | "digest" | "tool" | "owner" | "timeoutMs" | "traceparent"> {
  /** Name of the caller in `cluster.callers`. */
  readonly caller: string;
  readonly args: JsonValue;
  readonly signal: AbortSignal;
  readonly onProgress: (value: JsonValue, json?: Uint8Array) => void;
  readonly onYield: (value: JsonValue, json?: Uint8Array) => Promise<void>;
}

/** Runs a call. Resolves with the result as JSON; rejects only with defects. */
export type RunCall = (call: ClusterCall) => Promise<Uint8Array>;

interface AcceptedOptions {
  readonly link: Link;
  readonly records: Records;
  readonly request: CallHeader;
  readonly key: string;
  /** Public key and name of the caller. */
  readonly publicKey: string;
  readonly caller: string;
  readonly args: JsonValue;
  readonly run: RunCall;
  /** This process. */
  readonly incarnation: string;
  readonly onDefect: (message: string, error: unknown) => void;
  /** Aborted when the member gives up what it could not record. */
  readonly over: AbortSignal;
}

/** A caller that asks every 2 seconds is gone after this time. */
const GONE_MS = 10_000;
const LOOK_MS = 1_000;
const MOST_WAITING = 8;
const RETRY_MS = 250;
const MOST_RETRY_MS = 2_000;
const encoder = new TextEncoder();

export class AcceptedCall {
  readonly hash: string;
  readonly publicKey: string;
  readonly #options: AcceptedOptions;
  readonly #stop = new AbortController();
  readonly #delivery: Delivery;
  #inbox: string;
  #heardAt: number;
  #frames: Promise<void> = Promise.resolve();
  /** Progress that waits for frames before it, such as a large value on its way to the server. */
  #waiting = 0;

  constructor(options: AcceptedOptions) {
    const { request, publicKey, link } = options;
    const { clock } = link.platform;
    this.#options = options;
    this.hash = request.hash;
    this.publicKey = publicKey;
    this.#inbox = request.inbox;
    this.#heardAt = clock.monotonic();
    this.#delivery = new Delivery({
      isGone: () => clock.monotonic() - this.#heardAt > GONE_MS || options.over.aborted,
      soon: (task) => clock.after(LOOK_MS, task),
    });
  }

  get taken(): number {
    return this.#delivery.taken;
  }

  /** The caller asks again: frames that it has not taken are sent again. */
  attach({ inbox, taken }: CallHeader): void {
    this.#heard();
    this.#inbox = inbox;
    this.#delivery.take(taken);
    this.#delivery.resend();
  }

  take(taken: number): void {
    this.#heard();
    this.#delivery.take(taken);
  }

  cancel(): void {
    this.#stop.abort();
  }

  /**
   * Runs the call. Resolves when its result is recorded, or another one is; with false if neither is known. Then the call must not be forgotten,
   * or it would run again. Never rejects.
   */
  async run({ revision }: StoredRecord): Promise<boolean> {
    try {
      const result = await this.#result();
      await this.#frames;
      await this.#delivery.flushed();
      const ended = await this.#end(result, revision);
      if (ended === undefined) return !this.#options.over.aborted;
      this.#publish(`${this.#inbox}.result`, ended.envelope);
      return true;
    } catch (error) {
      this.#options.onDefect("A call of the cluster could not be ended", error);
      return false;
    }
  }

  async #result(): Promise<Uint8Array> {
    const { run, request, args, caller, onDefect } = this.#options;
    const { callId, digest, tool, owner, timeoutMs, traceparent } = request;
    try {
      return await run({
        ...{ callId, digest, tool, owner, timeoutMs, args, caller, signal: this.#stop.signal },
        ...(traceparent !== undefined && { traceparent }),
        onProgress: (value, json) => this.#progress(value, json),
        onYield: (value, json) => this.#yielded(value, json),
      });
    } catch (error) {
      onDefect("A call of the cluster failed in the member", error);
      return failedCall(internal(callId));
    }
  }

  #heard(): void {
    this.#heardAt = this.#options.link.platform.clock.monotonic();
  }

  /** Records the result, for as long as it takes: the call has acted, and its caller waits. */
  async #end(result: Uint8Array, revision: number): Promise<StoredRecord | undefined> {
    const { link, records, key, incarnation, onDefect, over } = this.#options;
    let expected: number | undefined = revision;
    let kept = result;
    for (let waitMs = RETRY_MS; !over.aborted; waitMs = Math.min(2 * waitMs, MOST_RETRY_MS)) {
      try {
        const payload = await link.values.carry(`${key}.result.${incarnation}`, kept);
        const header = { kind: "record", key, state: "ended", hash: this.hash, incarnation } as const;
        const record = { header, payload };
        const ended = await (expected === undefined ? records.create(record) : records.replace(record, expected));
        if (ended !== undefined) return ended;
        const now = await records.read(key);
        const { move } = decideEnd(now?.header, incarnation);
        if (move === "done") return now;
        if (move === "superseded") {
          onDefect(`The call ${key} ran here, and has another result: the cluster counted this member as dead`, undefined);
          return now?.header.state === "ended" ? now : undefined;
        }
        expected = now?.revision;
      } catch (error) {
        if (!(error instanceof BusError || error instanceof AlteredRecord)) throw error;
        onDefect("The result of a call cannot be recorded yet", error);
        // The next try would fail as well.
        if (error instanceof BusError && error.code === "too_large") kept = failedCall(resourceExhausted("outputBytes", INLINE_BYTES));
      }
      await pause(link.platform.clock, waitMs, over);
    }
    return undefined;
  }

  /** Progress is dropped if the caller does not keep up. */
  #progress(value: JsonValue, json?: Uint8Array): void {
    if (!this.#delivery.hasRoom || this.#waiting >= MOST_WAITING) return;
    this.#waiting += 1;
    this.#frames = this.#frames
      .then(() => this.#send("progress", json ?? encoder.encode(JSON.stringify(value))))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** Resolves when the caller has room for the next value. */
  async #yielded(value: JsonValue, json?: Uint8Array): Promise<void> {
    this.#frames = this.#frames.then(async () => {
      if (await this.#delivery.room()) await this.#send("yield", json ?? encoder.encode(JSON.stringify(value)));
    });
    await this.#frames;
  }

  async #send(kind: "progress" | "yield", bytes: Uint8Array): Promise<void> {
    const { link, key, onDefect } = this.#options;
    try {
      const carried = await link.values.carry(`${key}.${kind}.${link.platform.random.uuidv7()}`, bytes);
      this.#delivery.add(bytes.length, (number) => ({
        send: () => {
          const header: JsonObject = {
            kind,
            key,
            number,
            at: link.platform.clock.now(),
            ...(carried.large && { large: { ...carried.large } }),
          };
          const subject = `${this.#inbox}.frame`;
          this.#publish(subject, sealEnvelope(link.identity, subject, header, carried.payload));
        },
        onTaken: () => void link.values.drop(carried),
      }));
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      onDefect("A value of a call cannot be sent", error);
    }
  }

  /** A lost message is sent again when the caller asks. */
  #publish(subject: string, bytes: Uint8Array): void {
    try {
      this.#options.link.bus.publish(subject, bytes);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
    }
  }
}
