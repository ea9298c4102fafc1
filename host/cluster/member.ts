/**
 * A member of a cluster: takes calls for the plugins that it holds, accepts each by compare-and-set, runs it and records its one result
 * (SPEC CL1, CL2). Decisions are in `acceptance.ts`.
 */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import { BusError, type BusMessage, type BusSubscription } from "../platform/bus/bus-types.ts";
import type { Slices } from "../platform/platform.ts";
import { sha256Hex } from "../primitives/digest.ts";
import { createKeyedQueue } from "../primitives/keyed-queue.ts";
import { type CallRecord, decideRequest, type MemberView } from "./acceptance.ts";
import { AcceptedCall, type RunCall } from "./accepted-call.ts";
import { type Answer, createRefusalLog, otherCall, refusal } from "./answers.ts";
import { readArguments } from "./call-arguments.ts";
import { openEnvelope, type Received, sealEnvelope } from "./envelope.ts";
import { createHeartbeat, type Heartbeat, type MemberFacts } from "./heartbeat.ts";
import { type KeyList, type Link, sendersOf } from "./link.ts";
import { lostCall } from "./lost-call.ts";
import { type CallHeader, clockProblem, isInbox, NO_KEY, readCall, readNote } from "./messages.ts";
import { callSubject, DEAD_MS, memberSubject } from "./names.ts";
import { AlteredRecord, createRecords, type Records, type StoredRecord } from "./records.ts";

interface MemberOptions {
  readonly link: Link;
  readonly slices: Slices;
  /** Current `cluster` of `bascule.json`. */
  readonly keys: () => { readonly members: KeyList; readonly callers: KeyList };
  /** Returns a tool that this host holds and accepts, with these bytes; undefined otherwise. */
  readonly find: (digest: string, tool: string) => { readonly isIdempotent: boolean } | undefined;
  readonly run: RunCall;
  readonly facts: () => MemberFacts;
  readonly onDefect: (message: string, error: unknown) => void;
}

/** Calls that are accepted and not yet recorded. More go to other members. */
const MOST_CALLS = 256;
/** Each of so many bytes of arguments counts like a call: 256 MB at most. */
const WEIGHT_BYTES = 1024 * 1024;
/** Requests that are read at a time. Callers of further ones ask again. */
const MOST_REQUESTS = 2_000;
const MOST_REQUEST_BYTES = 64 * 1024 * 1024;
const MOST_DECISIONS = 8;
const LOOK_MS = 50;

export class ClusterMember {
  readonly incarnation: string;
  readonly #options: MemberOptions;
  readonly #records: Records;
  readonly #heartbeat: Heartbeat;
  readonly #running = new Map<string, AcceptedCall>();
  readonly #queue = createKeyedQueue();
  readonly #over = new AbortController();
  readonly #subscriptions = new Map<string, BusSubscription>();
  readonly #own: BusSubscription;
  #requests = 0;
  #requestBytes = 0;
  readonly #tellRefusal: (reason: string) => void;
  /** Room that accepted calls and those about to be accepted take. */
  #weight = 0;
  #isDraining = false;

  constructor(options: MemberOptions) {
    const { link } = options;
    this.#options = options;
    this.incarnation = link.platform.random.uuidv7();
    this.#tellRefusal = createRefusalLog(link.platform.clock, options.onDefect);
    this.#records = createRecords(link, () => this.#members());
    this.#heartbeat = createHeartbeat({ link, incarnation: this.incarnation, facts: options.facts, onDefect: options.onDefect });
    const subject = memberSubject(link.cluster, this.incarnation);
    this.#own = link.bus.subscribe(subject, { onMessage: (message) => this.#onMessage(message, subject) });
  }

  /** Number of calls that are accepted and not yet recorded. */
  get calls(): number {
    return this.#running.size;
  }

  /** Sends the first heartbeat. Before it, the other members would count this one as dead. @throws {BusError} */
  async start(): Promise<void> {
    await this.#options.link.calls();
    await this.#heartbeat.start();
  }

  /** Takes calls for exactly these plugins from now on. */
  hold(digests: ReadonlySet<string>): void {
    const { link, onDefect } = this.#options;
    for (const [digest, subscription] of this.#subscriptions) {
      if (digests.has(digest) && !this.#isDraining) continue;
      this.#subscriptions.delete(digest);
      subscription.drain().catch((error: unknown) => onDefect("A subscription of the cluster cannot be ended", error));
    }
    if (this.#isDraining) return;
    for (const digest of digests) {
      if (this.#subscriptions.has(digest)) continue;
      const subject = callSubject(link.cluster, digest);
      const onMessage = (message: BusMessage): void => this.#onMessage(message, subject);
      this.#subscriptions.set(digest, link.bus.subscribe(subject, { queue: "members", onMessage }));
    }
    this.#heartbeat.soon();
  }

  /** Takes no new calls, and waits up to `waitMs` for those that it has accepted. */
  async drain(waitMs: number): Promise<void> {
    this.#isDraining = true;
    this.hold(new Set());
    const { clock } = this.#options.link.platform;
    const until = clock.monotonic() + waitMs;
    while ((this.#running.size > 0 || this.#requests > 0) && clock.monotonic() < until)
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
  }

  /** Gives up what could not be recorded, and leaves. Never rejects. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#own.drain().catch((error: unknown) => this.#options.onDefect("The cluster's subscription cannot be ended", error));
    await this.#heartbeat.stop();
  }

  #members(): ReadonlyMap<string, string> {
    const { link, keys } = this.#options;
    return new Map([...sendersOf(keys().members), [link.identity.publicKey, "this member"]]);
  }

  #onMessage(message: BusMessage, subject: string): void {
    const size = message.bytes.length;
    if (this.#requests >= MOST_REQUESTS || this.#requestBytes + size > MOST_REQUEST_BYTES) return;
    this.#requests += 1;
    this.#requestBytes += size;
    void this.#read(message, subject)
      .catch((error: unknown) => this.#options.onDefect("A message of the cluster cannot be read", error))
      .finally(() => {
        this.#requests -= 1;
        this.#requestBytes -= size;
      });
  }

  async #read(message: BusMessage, subject: string): Promise<void> {
    const { link, keys } = this.#options;
    const opened = openEnvelope(message.bytes, subject, { identities: link.identities, senders: sendersOf(keys().callers) });
    const problem = opened.ok ? clockProblem(opened.message.header, link.platform.clock.now()) : opened.reason;
    if (!opened.ok || problem !== undefined) {
      this.#tellRefusal(problem ?? "");
      // Without a valid sender, the answer names no call.
      return this.#answer(message, NO_KEY, refusal(problem ?? ""));
    }
    const { header, publicKey } = opened.message;
    const note = readNote(header);
    if (note !== undefined) {
      const call = this.#running.get(note.key);
      if (call?.publicKey !== publicKey) return;
      if (note.kind === "cancel") call.cancel();
      else call.take(note.taken);
      return;
    }
    const request = readCall(header);
    if (request === undefined)
      return this.#answer(message, NO_KEY, refusal("it cannot read the message (run the same version of bascule)"));
    const key = await sha256Hex(request.callId);
    const answer = await this.#queue.run(key, () => this.#decide(request, key, opened.message));
    this.#answer(message, key, answer);
  }

  /** Runs for one key at a time, so that no call begins twice in this process. */
  async #decide(request: CallHeader, key: string, sender: Received): Promise<Answer> {
    if (this.#over.signal.aborted) return { state: "gone" };
    const call = this.#running.get(key);
    if (call !== undefined && call.hash !== request.hash) return otherCall();
    if (call !== undefined) {
      if (call.publicKey === sender.publicKey) call.attach(request);
      return { state: "running", taken: call.taken };
    }
    try {
      return await this.#carryOut(request, key, sender);
    } catch (error) {
      if (error instanceof AlteredRecord) return refusal(error.message);
      if (!(error instanceof BusError)) throw error;
      this.#options.onDefect("The cluster's records cannot be used", error);
      return { state: "again" };
    }
  }

  async #carryOut(request: CallHeader, key: string, sender: Received): Promise<Answer> {
    // A request with arguments most likely begins the call: the first look is the attempt to create its record.
    let stored = request.hasArguments && !request.isKnown ? undefined : await this.#records.read(key);
    for (let decisions = 0; decisions < MOST_DECISIONS; decisions++) {
      const view = await this.#viewOf(stored?.header);
      const next = decideRequest(stored?.header, request.hash, view);
      if (next.move === "refuse") return otherCall();
      if (next.move === "elsewhere") return { state: "elsewhere", incarnation: next.incarnation };
      if (next.move === "answer" && stored !== undefined) return this.#resend(request, stored);
      if (next.move === "settle" && stored !== undefined) {
        const ended = await this.#settle(request, key, stored.revision);
        if (ended !== undefined) return this.#resend(request, ended);
      } else {
        const isMine = next.move === "run" ? stored : undefined;
        const begun = await this.#begin(request, {
          key,
          sender,
          isMine,
          revision: stored?.revision,
          run: next.move === "take_over" ? next.run : 1,
        });
        if (begun !== "changed") return begun;
      }
      stored = await this.#records.read(key);
    }
    return { state: "again" };
  }

  /** Accepts the call, if this member can run it, and starts it. */
  async #begin(
    request: CallHeader,
    wanted: {
      readonly key: string;
      readonly sender: Received;
      /** The record, if it is of this process already. */
      readonly isMine: StoredRecord | undefined;
      /** Revision to replace; undefined: the record is new. */
      readonly revision: number | undefined;
      readonly run: number;
    },
  ): Promise<Answer | "changed"> {
    const { link, slices, find } = this.#options;
    const { key, sender, revision, isMine } = wanted;
    const tool = find(request.digest, request.tool);
    if (tool === undefined || (this.#isDraining && isMine === undefined)) return { state: "gone" };
    if (request.isKnown && revision === undefined) {
      // The server has lost the record. The member that runs the call may be about to return, as after any outage.
      if (!this.#mayJudge()) return { state: "again" };
      if (!tool.isIdempotent) return { state: "missing" };
    }
    if (!request.hasArguments) return { state: "needed" };
    const weight = 1 + Math.floor((request.large?.bytes ?? 0) / WEIGHT_BYTES);
    if (this.#weight + weight > MOST_CALLS) return { state: "busy" };
    this.#weight += weight;
    let isBegun = false;
    try {
      const args = await readArguments(request, sender.payload, { values: link.values, slices, sha256: link.platform.sha256 });
      if (!args.ok) return { state: "refused", code: "invalid_args", message: args.problem };
      const { isIdempotent } = tool;
      const { incarnation } = this;
      const header = { kind: "record", key, state: "accepted", hash: request.hash, incarnation, isIdempotent, run: wanted.run } as const;
      const accepted =
        isMine ?? (await (revision === undefined ? this.#records.create({ header }) : this.#records.replace({ header }, revision)));
      if (accepted === undefined) return "changed";
      this.#start(request, { key, sender, args: args.value, accepted, weight });
      isBegun = true;
      return { state: "running" };
    } finally {
      if (!isBegun) this.#weight -= weight;
    }
  }

  #start(
    request: CallHeader,
    {
      key,
      sender,
      args,
      accepted,
      weight,
    }: {
      readonly key: string;
      readonly sender: Received;
      readonly args: JsonValue;
      readonly accepted: StoredRecord;
      readonly weight: number;
    },
  ): void {
    const { link, run, onDefect } = this.#options;
    const { publicKey, name: caller } = sender;
    const parts = { link, records: this.#records, request, key, publicKey, caller, args, run, onDefect };
    const call = new AcceptedCall({ ...parts, incarnation: this.incarnation, over: this.#over.signal });
    this.#running.set(key, call);
    void call.run(accepted).then((isKnown) => {
      if (isKnown && this.#running.delete(key)) this.#weight -= weight;
    });
  }

  /** Ends a call whose member died, and that may not run again. */
  async #settle({ callId, hash }: CallHeader, key: string, revision: number): Promise<StoredRecord | undefined> {
    const header = { kind: "record", key, state: "ended", hash, incarnation: this.incarnation } as const;
    return await this.#records.replace({ header, payload: { payload: lostCall(callId) } }, revision);
  }

  async #viewOf(record: CallRecord | undefined): Promise<MemberView> {
    const { incarnation } = this;
    const known = (fate: "alive" | "dead" | "unknown"): MemberView => ({ incarnation, fateOf: () => fate });
    if (record?.state !== "accepted" || record.incarnation === incarnation) return known("unknown");
    if (await this.#heartbeat.isThere(record.incarnation)) return known("alive");
    // After an outage every heartbeat is old: the others get the time to send one.
    return known(this.#mayJudge() ? "dead" : "unknown");
  }

  /** Whether every other member has had the time to send a heartbeat since the connection was made. */
  #mayJudge(): boolean {
    return (this.#options.link.connectedMs() ?? 0) > DEAD_MS;
  }

  #resend({ inbox }: CallHeader, { envelope }: StoredRecord): Answer {
    this.#options.link.bus.publish(`${inbox}.result`, envelope);
    return { state: "ended" };
  }

  #answer({ replyTo }: BusMessage, key: string, answer: Answer): void {
    const { link } = this.#options;
    // The signature does not cover it.
    if (!isInbox(replyTo)) return;
    const header: JsonObject = { kind: "ack", key, incarnation: this.incarnation, taken: 0, at: link.platform.clock.now(), ...answer };
    try {
      link.bus.publish(replyTo, sealEnvelope(link.identity, replyTo, header));
    } catch (error) {
      // The caller asks again.
      if (!(error instanceof BusError)) throw error;
    }
  }
}
