/** Frames of a call at its caller: passed on in order, one after the other, each once (SPEC CL3). */

import type { JsonValue } from "../../manifests/mod.ts";
import type { ToolErrorData } from "../call/errors.ts";
import { resourceExhausted } from "../call/errors.ts";
import { BusError } from "../platform/bus/bus-types.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { type Message, textOf } from "./envelope.ts";
import { readFrame } from "./messages.ts";
import type { ClusterValues } from "./values.ts";

interface FrameReaderOptions {
  readonly key: string;
  readonly values: ClusterValues;
  readonly onProgress: (value: JsonValue) => void;
  readonly onYield: (value: JsonValue, bytes: number) => Promise<ToolErrorData | undefined>;
  /** The caller has taken this many frames, and waits for more. */
  readonly onTaken: (taken: number) => void;
  /** Frames are missing: the member has to send them again. */
  readonly onGap: () => void;
  readonly onError: (error: ToolErrorData) => void;
  /** A value cannot be fetched, so the frames after it cannot be passed on either. */
  readonly onUnusable: (reason: string) => void;
}

export interface FrameReader {
  /** Number of frames that were passed on. */
  taken(): number;
  /** The member says how many frames were taken before: by an earlier caller of this call, for example. */
  from(taken: number): void;
  add(message: Message): void;
  /** Resolves when every frame that has arrived was passed on. */
  idle(): Promise<void>;
}

const VALUE_BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 512 };
/** More than a member sends without an answer. */
const MOST_WAITING = 64;
/** Frames after which a reader that is behind says how far it is. */
const TELL_EVERY = 8;

export function createFrameReader(options: FrameReaderOptions): FrameReader {
  const { key, values, onTaken, onGap, onError, onUnusable } = options;
  let taken = 0;
  let arrived = 0;
  let told = 0;
  let work: Promise<void> = Promise.resolve();

  async function pass(message: Message, number: number): Promise<void> {
    const frame = readFrame(message.header);
    if (frame === undefined) return;
    const bytes = await values.fetch({ payload: message.payload, ...(frame.large && { large: frame.large }) }, VALUE_BOUNDS.maxBytes);
    const read = readJsonText(textOf(bytes) ?? "", VALUE_BOUNDS);
    // Parsed text is JSON. A member sends only JSON.
    if (read.ok && frame.kind === "progress") options.onProgress(read.value as JsonValue);
    const excess = read.ok && frame.kind === "yield" ? await options.onYield(read.value as JsonValue, bytes.length) : undefined;
    if (excess !== undefined) onError(excess);
    taken = number;
    if (taken === arrived || taken - told >= TELL_EVERY) {
      told = taken;
      onTaken(taken);
    }
  }

  return {
    taken: () => taken,
    from(known) {
      if (known <= arrived) return;
      taken = known;
      arrived = known;
      told = known;
    },
    add(message) {
      const frame = readFrame(message.header);
      if (frame === undefined || frame.key !== key || frame.number <= arrived) return;
      if (frame.number > arrived + 1) return onGap();
      if (frame.number - taken > MOST_WAITING) return onError(resourceExhausted("frames", MOST_WAITING));
      arrived = frame.number;
      work = work
        .then(() => pass(message, frame.number))
        .catch((error: unknown) => {
          if (!(error instanceof BusError)) throw error;
          if (error.code === "too_large") onError(resourceExhausted("frames", VALUE_BOUNDS.maxBytes));
          else onUnusable(error.message);
        });
    },
    idle: () => work,
  };
}
