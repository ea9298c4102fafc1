/** Converts tapes for the transfer between host and process: JSON with bytes as text. */

import { decodeHexText, encodeHexText } from "../worker/operations/byte-text.ts";
import type { CallConditions } from "../wire/tape.ts";
import { type KeptTape, type Tape, TAPE_BOUNDS } from "../wire/tape.ts";
import { isKeptTape } from "../wire/messages.ts";

const encoder = new TextEncoder();

/** A tape with bytes in hexadecimal. Unchecked. */
export type TapeText = "too_long" | (Omit<Tape, "crypto"> & { readonly crypto: readonly object[] });
export type ConditionsText = Omit<CallConditions, "tape"> & { readonly tape?: TapeText };

export function toTapeText(tape: KeptTape): TapeText {
  if (tape === "too_long") return tape;
  return {
    ...tape,
    crypto: tape.crypto.map(({ bytes, ...rest }) => (bytes === undefined ? rest : { ...rest, hex: encodeHexText(bytes) })),
  };
}

/** Parses a tape. Returns undefined if it is invalid or exceeds its bounds. */
export function fromTapeText(text: unknown): KeptTape | undefined {
  if (typeof text !== "object" || text === null) return isKeptTape(text) ? text : undefined;
  const { crypto } = text as { readonly crypto?: unknown };
  if (!Array.isArray(crypto) || crypto.length > TAPE_BOUNDS.entries) return undefined;
  const tape: unknown = { ...text, crypto: crypto.map(withBytes) };
  return isKeptTape(tape) ? tape : undefined;
}

function withBytes(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  const { hex, ...rest } = answer as { readonly hex?: unknown };
  return typeof hex === "string"
    ? { ...rest, bytes: decodeHexText(encoder.encode(hex), { maximumBytes: TAPE_BOUNDS.cryptoBytes }).bytes }
    : rest;
}

export function toConditionsText({ tape, ...env }: CallConditions): ConditionsText {
  return { ...env, ...(tape !== undefined && { tape: toTapeText(tape) }) };
}

/** @throws {Error} if the tape is invalid, which the host never sends */
export function fromConditionsText({ tape: text, ...env }: ConditionsText): CallConditions {
  if (text === undefined) return env;
  const tape = fromTapeText(text);
  if (tape === undefined || tape === "too_long") throw new Error("The host sent an invalid tape");
  return { ...env, tape };
}
