/** Receives the frames and the result of one call at its caller (SPEC CL2, CL3). */

import type { JsonValue } from "../../manifests/mod.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import { BusError, type BusMessage } from "../platform/bus/bus-types.ts";
import { openEnvelope, textOf } from "./envelope.ts";
import { createFrameReader, type FrameReader } from "./frame-reader.ts";
import type { Link } from "./link.ts";
import { type CallHeader, clockProblem } from "./messages.ts";
import { openRecord } from "./records.ts";

/** A call as its caller describes it. */
export interface WantedCall extends Pick<CallHeader, "callId" | "digest" | "tool" | "owner" | "timeoutMs" | "traceparent"> {
  readonly args: JsonValue;
  /** The arguments as JSON. */
  readonly argsBytes: Uint8Array;
  /** Aborted at the deadline and on cancellation: the member is told, and the call ends here at once. */
  readonly signal: AbortSignal;
  /** Maximum bytes of the result. */
  readonly resultBytes: number;
  readonly onProgress: (value: JsonValue) => void;
  /** Resolves when the value is taken; with an error if there are too many of them. */
  readonly onYield: (value: JsonValue, bytes: number) => Promise<ToolErrorData | undefined>;
}

interface InboxOptions {
  readonly link: Link;
  /** Names of the members, by public key. */
  readonly senders: () => ReadonlyMap<string, string>;
  readonly key: string;
  readonly hash: string;
  readonly wanted: Pick<WantedCall, "onProgress" | "onYield" | "resultBytes">;
  /** A member has sent something. */
  readonly onHeard: () => void;
  /** This many frames were taken, and more may come. */
  readonly onTaken: (taken: number) => void;
  /** Frames are missing. */
  readonly onGap: () => void;
  /** The result has arrived, and every frame before it was taken. */
  readonly onText: (text: string) => void;
  readonly onError: (error: ToolErrorData) => void;
  readonly onUnusable: (reason: string) => void;
}

export interface CallInbox {
  /** Members send frames and the result to subjects below it. */
  readonly subject: string;
  readonly frames: FrameReader;
  /** Returns why the newest result was refused. */
  problem(): string | undefined;
  /** @throws {BusError} */
  close(): Promise<void>;
}

/** The result has more bytes than the caller takes; the call has ended. */
function tooLargeResult(message: string): ToolErrorData {
  return toolError("resource_exhausted", message, { details: { tooLarge: true } });
}

export function openCallInbox(options: InboxOptions): CallInbox {
  const { link, senders, key, hash, wanted, onHeard, onUnusable } = options;
  const subject = link.bus.newInbox();
  const frames = createFrameReader({ ...options, ...wanted, values: link.values });
  let problem: string | undefined;
  let reading: Promise<void> | undefined;

  function onFrame({ bytes }: BusMessage): void {
    const opened = openEnvelope(bytes, `${subject}.frame`, { identities: link.identities, senders: senders() });
    if (!opened.ok || clockProblem(opened.message.header, link.platform.clock.now()) !== undefined) return;
    onHeard();
    frames.add(opened.message);
  }

  /** The result is a record: whichever member sends it, it is the one that the cluster keeps. */
  async function readResult({ bytes }: BusMessage): Promise<void> {
    const opened = openRecord(link, key, bytes, senders());
    if (typeof opened === "string") {
      // Anything may send to the subject, so the call goes on until a member's result arrives.
      problem = opened;
      return;
    }
    const { header, payload } = opened;
    // A record of another call, or of an earlier state: not the result.
    if (header.state !== "ended" || header.hash !== hash) return;
    const result = await link.values.fetch({ payload, ...(header.large && { large: header.large }) }, wanted.resultBytes);
    const text = textOf(result);
    if (text === undefined) return onUnusable("its result is not UTF-8");
    await frames.idle();
    options.onText(text);
  }

  function onResult(message: BusMessage): void {
    reading ??= readResult(message)
      .catch((error: unknown) => {
        if (!(error instanceof BusError)) throw error;
        if (error.code === "too_large") options.onError(tooLargeResult(error.message));
        else onUnusable(error.message);
      })
      .finally(() => {
        reading = undefined;
      });
  }

  const subscriptions = [
    link.bus.subscribe(`${subject}.frame`, { onMessage: onFrame }),
    link.bus.subscribe(`${subject}.result`, { onMessage: onResult }),
  ];
  return {
    subject,
    frames,
    problem: () => problem,
    async close() {
      await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    },
  };
}
