/**
 * Calls a tool on a cluster: asks until a member has accepted the call, takes its frames, and returns its one result (SPEC CL2, CL3).
 *
 * Asking is safe at any time: a member accepts a call once, and answers a repeat with the call's state. So whatever is lost on the way, a
 * message, a member or the server, the remedy is to ask again.
 */

import type { JsonObject } from "../../manifests/mod.ts";
import { type ErrorCode, type ToolErrorData, toolError, unavailable } from "../call/errors.ts";
import { BusError, type BusMessage } from "../platform/bus/bus-types.ts";
import type { Slices } from "../platform/platform.ts";
import { sha256Hex } from "../primitives/digest.ts";
import { pause } from "../primitives/until-aborted.ts";
import { callHash } from "./call-arguments.ts";
import { type CallInbox, openCallInbox, type WantedCall } from "./call-inbox.ts";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import { type KeyList, type Link, sendersOf } from "./link.ts";
import { lostError } from "./lost-call.ts";
import { refusedCall, unansweredCall, unusableCall } from "./call-errors.ts";
import { type AckHeader, clockProblem, NO_KEY, readAck } from "./messages.ts";
import { callSubject, memberSubject } from "./names.ts";
import type { Carried } from "./values.ts";

/** The text of the result, or why there is none. */
export type CallEnd = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: ToolErrorData };

interface CallerOptions {
  readonly link: Link;
  readonly slices: Slices;
  /** Current `cluster.members` of `bascule.json`. */
  readonly members: () => KeyList;
  readonly onDefect: (message: string, error: unknown) => void;
}

/** Time for an answer, and between questions while nothing arrives. */
const ASK_MS = 2_000;
const AGAIN_MS = 100;
/** After this time without a sign of any member the call ends: the others notice a dead one before. */
const PATIENCE_MS = 20_000;
/** A round of asking and waiting counts as this at most: what arrived while this process was stopped is read first. */
const ROUND_MS = 2 * ASK_MS;
const MOST_BUSY = 20;
const MOST_ENDED = 4;

/** Makes one call. Rejects only with defects. */
export async function callOnCluster(wanted: WantedCall, options: CallerOptions): Promise<CallEnd> {
  const call = await openCall(wanted, options);
  try {
    return await call.ended();
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return { ok: false, error: unavailable(wanted.tool, error.message) };
  } finally {
    // A cancelled call ends at once for its caller.
    void call.close().catch((error: unknown) => options.onDefect("A call on the cluster cannot be closed", error));
  }
}

async function openCall(wanted: WantedCall, options: CallerOptions): Promise<OpenCall> {
  const { slices, link } = options;
  const hash = await callHash(wanted, wanted.args, { slices, sha256: link.platform.sha256 });
  return new OpenCall(wanted, { ...options, hash, key: await sha256Hex(wanted.callId) });
}

class OpenCall {
  readonly #wanted: WantedCall;
  readonly #options: CallerOptions & { readonly key: string; readonly hash: string };
  readonly #inbox: CallInbox;
  readonly #stopped: Promise<void>;
  /** Wakes the loop: something arrived. */
  #wake: () => void = () => undefined;
  #end: CallEnd | undefined;
  #arguments: Carried | undefined;
  /** Process that runs the call, as far as this caller knows. */
  #holder: string | undefined;
  /** The holder did not answer in time, so the others are asked about it. */
  #isHolderSilent = false;
  /** Whether the holder has answered that it runs the call. */
  #isAccepted = false;
  /** Whether it may have begun. */
  #isUncertain = false;
  /** Whether a member has told of a record of the call. */
  #isKnown = false;
  #silentMs = 0;
  #busy = 0;
  #ended = 0;
  /** The answer to a question that a cancellation did not wait for. */
  #late: Promise<void> | undefined;

  constructor(wanted: WantedCall, options: CallerOptions & { readonly key: string; readonly hash: string }) {
    const { link, members } = options;
    this.#wanted = wanted;
    this.#options = options;
    this.#inbox = openCallInbox({
      ...{ link, senders: () => sendersOf(members()), key: options.key, hash: options.hash, wanted },
      onHeard: () => void (this.#silentMs = 0),
      onTaken: (taken) => this.#note({ kind: "taken", taken }),
      onGap: () => this.#wake(),
      onText: (text) => this.#finish({ ok: true, text }),
      onError: (error) => this.#finish({ ok: false, error }),
      onUnusable: (reason) => this.#finish({ ok: false, error: this.#unusable(reason) }),
    });
    this.#stopped = new Promise((resolve) => wanted.signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  async close(): Promise<void> {
    const { link } = this.#options;
    await this.#late;
    try {
      await this.#inbox.close();
    } catch (error) {
      // The connection is lost or closed, and its subscriptions with it.
      if (!(error instanceof BusError)) throw error;
    }
    if (this.#arguments !== undefined) await link.values.drop(this.#arguments);
  }

  /** Asks until the call has ended. */
  async ended(): Promise<CallEnd> {
    const { signal } = this.#wanted;
    const { clock } = this.#options.link.platform;
    while (this.#end === undefined) {
      if (signal.aborted) {
        this.#note({ kind: "cancel" });
        return { ok: false, error: toolError("cancelled", "The call was cancelled") };
      }
      if (this.#silentMs > PATIENCE_MS) return { ok: false, error: this.#noMember() };
      const began = clock.monotonic();
      const waitMs = await this.#ask();
      if (this.#end === undefined && waitMs > 0) await this.#arrival(waitMs);
      this.#silentMs += Math.min(clock.monotonic() - began, ROUND_MS);
    }
    return this.#end;
  }

  /** Asks once. Returns how long to wait for what follows. */
  async #ask(): Promise<number> {
    const { link } = this.#options;
    // Nothing was sent, so nothing may have happened yet.
    if (link.connectedMs() === undefined) return AGAIN_MS;
    const subject = this.#subject();
    let answer: BusMessage;
    try {
      // A member that runs the call knows its arguments.
      const sealing = this.#request(subject, !this.#isAccepted);
      const bytes = await Promise.race([sealing, this.#stopped]);
      if (bytes === undefined) return this.#endAfter(sealing);
      const asked = link.bus.request(subject, bytes, { timeoutMs: ASK_MS });
      const first = await Promise.race([asked, this.#stopped]);
      if (first === undefined) return this.#cancelWhenKnown(asked);
      answer = first;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return this.#unanswered(error);
    }
    const ack = this.#readAck(answer);
    if (ack === undefined) return AGAIN_MS;
    this.#silentMs = 0;
    this.#isHolderSilent = false;
    return this.#follow(ack);
  }

  /** Large arguments are under way while the call is cancelled. */
  #endAfter(sealing: Promise<Uint8Array>): number {
    this.#late = sealing.then(
      () => undefined,
      (error: unknown) => {
        // The call was not sent.
        if (!(error instanceof BusError)) throw error;
      },
    );
    return 0;
  }

  /** The member that accepts a call that was cancelled meanwhile is told when it answers. */
  #cancelWhenKnown(asked: Promise<BusMessage>): number {
    this.#late = asked.then(
      (answer) => {
        const ack = this.#readAck(answer);
        if (ack?.state === "running" || ack?.state === "elsewhere") this.#holder = ack.incarnation;
        this.#note({ kind: "cancel" });
      },
      (error: unknown) => {
        // No member has answered, so none is told.
        if (!(error instanceof BusError)) throw error;
      },
    );
    return 0;
  }

  #subject(): string {
    const { link } = this.#options;
    const holder = this.#isHolderSilent ? undefined : this.#holder;
    return holder === undefined ? callSubject(link.cluster, this.#wanted.digest) : memberSubject(link.cluster, holder);
  }

  #unanswered({ code, message }: BusError): number {
    if (this.#wanted.signal.aborted) return 0;
    if (code === "too_large") {
      this.#finish({ ok: false, error: unavailable(this.#wanted.tool, message) });
      return 0;
    }
    if (code !== "no_responders") {
      // The request may have arrived, and its answer may be lost.
      this.#isUncertain = true;
      // The server may not have noticed yet that the member is cut off or stopped; the others know by its heartbeats.
      this.#isHolderSilent = code === "timeout";
      return AGAIN_MS;
    }
    if (this.#isHolderSilent) {
      // No other member holds the plugin: only the holder is left to ask.
      this.#isHolderSilent = false;
      return AGAIN_MS;
    }
    if (this.#holder !== undefined) {
      // Its member is gone. The others count it as dead when its heartbeat has expired.
      const isNews = this.#isAccepted;
      this.#holder = undefined;
      this.#isAccepted = false;
      return isNews ? 0 : AGAIN_MS * 5;
    }
    if (this.#isUncertain) return AGAIN_MS * 5;
    this.#finish({ ok: false, error: this.#noMember() });
    return 0;
  }

  #follow(ack: AckHeader): number {
    if (ack.state === "refused") {
      this.#finish({ ok: false, error: this.#refused(ack.code, ack.message) });
      return 0;
    }
    this.#isKnown ||= ack.state === "elsewhere" || ack.state === "running" || ack.state === "ended";
    if (ack.state === "elsewhere") {
      const isNew = this.#holder !== ack.incarnation;
      this.#holder = ack.incarnation;
      this.#isUncertain = true;
      this.#isAccepted = false;
      return isNew ? 0 : AGAIN_MS * 5;
    }
    if (ack.state === "running") {
      this.#holder = ack.incarnation;
      this.#isAccepted = true;
      this.#isUncertain = true;
      this.#inbox.frames.from(ack.taken);
      return ASK_MS;
    }
    if (ack.state === "ended") {
      // The result is sent with each such answer.
      if ((this.#ended += 1) > MOST_ENDED)
        this.#finish({ ok: false, error: this.#unusable(`its result cannot be used: ${this.#inbox.problem() ?? "it does not arrive"}`) });
      return ASK_MS;
    }
    if (ack.state === "missing") {
      this.#finish({ ok: false, error: lostError(this.#wanted.callId, "the server of the cluster has lost its record") });
      return 0;
    }
    if (ack.state === "needed") this.#isAccepted = false;
    else this.#holder = undefined;
    if (ack.state === "again") this.#isUncertain = true;
    if ((ack.state === "busy" || ack.state === "gone") && (this.#busy += 1) > MOST_BUSY)
      this.#finish({
        ok: false,
        error: this.#refused("overloaded", "Every member of the cluster that was asked is busy (call again later)"),
      });
    return ack.state === "needed" ? 0 : AGAIN_MS;
  }

  #refused(code: ErrorCode, message: string): ToolErrorData {
    return refusedCall(this.#wanted, this.#isUncertain, { code, message });
  }

  #noMember(): ToolErrorData {
    return unansweredCall(this.#wanted, this.#isUncertain, this.#options.link);
  }

  async #request(subject: string, withArguments: boolean): Promise<Uint8Array> {
    const { link, key, hash } = this.#options;
    const { callId, digest, tool, owner, timeoutMs, traceparent, argsBytes } = this.#wanted;
    if (withArguments) this.#arguments ??= await link.values.carry(`${key}.args.${link.platform.random.uuidv7()}`, argsBytes);
    const carried = withArguments ? this.#arguments : undefined;
    const header: JsonObject = {
      ...{ kind: "call", at: link.platform.clock.now(), callId, hash, digest, tool, owner, timeoutMs },
      ...{ inbox: this.#inbox.subject, taken: this.#inbox.frames.taken(), hasArguments: withArguments, isKnown: this.#isKnown },
      ...(traceparent !== undefined && { traceparent }),
      ...(carried?.large && { large: { ...carried.large } }),
    };
    return sealEnvelope(link.identity, subject, header, carried?.payload);
  }

  #readAck(answer: BusMessage): AckHeader | undefined {
    const { link, key } = this.#options;
    const opened = openEnvelope(answer.bytes, answer.subject, { identities: link.identities, senders: sendersOf(this.#options.members()) });
    const problem = opened.ok ? clockProblem(opened.message.header, link.platform.clock.now()) : opened.reason;
    if (!opened.ok || problem !== undefined) {
      // A member that this caller does not list may have accepted the call.
      this.#isUncertain ||= !opened.ok || readAck(opened.message.header)?.state !== "refused";
      this.#finish({ ok: false, error: this.#unusable(`the answer of a member cannot be used: ${problem ?? ""}`) });
      return undefined;
    }
    const ack = readAck(opened.message.header);
    // Without a call it is the refusal of a message that the member could not read.
    return ack?.key === key || (ack?.state === "refused" && ack.key === NO_KEY) ? ack : undefined;
  }

  #unusable(reason: string): ToolErrorData {
    return unusableCall(this.#wanted, this.#isUncertain, reason);
  }

  /** The first end counts. */
  #finish(end: CallEnd): void {
    this.#end ??= end;
    this.#wake();
  }

  #note(note: { readonly kind: "cancel" } | { readonly kind: "taken"; readonly taken: number }): void {
    const { link, key } = this.#options;
    if (this.#holder === undefined) return;
    const subject = memberSubject(link.cluster, this.#holder);
    try {
      link.bus.publish(subject, sealEnvelope(link.identity, subject, { ...note, key, at: link.platform.clock.now() }));
    } catch (error) {
      // The next question says how many frames were taken; a call that cannot be cancelled ends at its deadline.
      if (!(error instanceof BusError)) throw error;
    }
  }

  /** Waits until something arrives. */
  async #arrival(waitMs: number): Promise<void> {
    const stop = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#end === undefined) await Promise.race([woken, this.#stopped, pause(this.#options.link.platform.clock, waitMs, stop.signal)]);
    stop.abort();
  }
}
