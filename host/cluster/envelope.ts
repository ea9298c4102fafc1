/**
 * Signed messages of a cluster (SPEC CL6). An envelope is a version byte, the sender's public key, a signature, the length of the header,
 * the header as JSON, and a payload. The signature covers the subject, the header and the payload.
 *
 * Envelopes come from outside: sizes are checked first, then the sender, then the signature, and only then anything is parsed.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { Identities, Identity } from "../platform/bus/identity-types.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { INLINE_BYTES } from "./names.ts";

/** Contents of an envelope. */
export interface Message {
  readonly header: JsonObject;
  readonly payload: Uint8Array;
}

/** A message whose sender is known. */
export interface Received extends Message {
  /** The sender's name in `bascule.json`. */
  readonly name: string;
  readonly publicKey: string;
}

type Opened = { readonly ok: true; readonly message: Received } | { readonly ok: false; readonly reason: string };

interface OpenOptions {
  readonly identities: Pick<Identities, "isSigned">;
  /** Names of the accepted senders, by public key. */
  readonly senders: ReadonlyMap<string, string>;
}

const VERSION = 1;
const KEY_CHARACTERS = 56;
const SIGNATURE_BYTES = 64;
const LENGTH_AT = 1 + KEY_CHARACTERS + SIGNATURE_BYTES;
const HEADER_AT = LENGTH_AT + 4;
const HEADER_BOUNDS = { maxBytes: 16 * 1024, maxDepth: 4 };
const MAX_BYTES = HEADER_AT + HEADER_BOUNDS.maxBytes + INLINE_BYTES;
/** Keeps signatures apart from those of other uses of the key. */
const CONTEXT = `bascule cluster ${VERSION}\n`;

const encoder = new TextEncoder();
const EMPTY = new Uint8Array();

/** @throws {RangeError} if header or payload are too large */
export function sealEnvelope(identity: Identity, subject: string, header: JsonObject, payload: Uint8Array = EMPTY): Uint8Array {
  const head = encoder.encode(JSON.stringify(header));
  if (head.length > HEADER_BOUNDS.maxBytes) throw new RangeError(`A header of ${head.length} bytes is too large for the cluster`);
  if (payload.length > INLINE_BYTES) throw new RangeError(`A payload of ${payload.length} bytes is too large for a message`);
  const bytes = new Uint8Array(HEADER_AT + head.length + payload.length);
  bytes[0] = VERSION;
  bytes.set(encoder.encode(identity.publicKey), 1);
  new DataView(bytes.buffer).setUint32(LENGTH_AT, head.length);
  bytes.set(head, HEADER_AT);
  bytes.set(payload, HEADER_AT + head.length);
  bytes.set(identity.sign(signedBytes(subject, bytes)), 1 + KEY_CHARACTERS);
  return bytes;
}

/** Never throws because of the bytes. */
export function openEnvelope(bytes: Uint8Array, subject: string, { identities, senders }: OpenOptions): Opened {
  if (bytes.length < HEADER_AT || bytes.length > MAX_BYTES) return refused(`it has ${bytes.length} bytes`);
  if (bytes[0] !== VERSION) return refused(`its version is ${String(bytes[0])}, not ${VERSION}`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(LENGTH_AT);
  if (length > HEADER_BOUNDS.maxBytes || HEADER_AT + length > bytes.length) return refused("its header is too large");
  if (bytes.length - HEADER_AT - length > INLINE_BYTES) return refused("its payload is too large");
  const publicKey = String.fromCharCode(...bytes.subarray(1, 1 + KEY_CHARACTERS));
  const name = senders.get(publicKey);
  if (name === undefined) return refused(`its sender ${shownKey(publicKey)} is not listed`);
  const signature = bytes.slice(1 + KEY_CHARACTERS, LENGTH_AT);
  if (!identities.isSigned(publicKey, signedBytes(subject, bytes), signature)) return refused(`the signature of "${name}" is wrong`);
  const header = readHeader(bytes.subarray(HEADER_AT, HEADER_AT + length));
  if (header === undefined) return refused("its header is not a JSON object");
  return { ok: true, message: { header, payload: bytes.subarray(HEADER_AT + length), name, publicKey } };
}

/** Returns text from a payload; undefined if it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are not UTF-8 are an answer, not a failure.
    return undefined;
  }
}

/** Copies the bytes from the length of the header on, after the subject: the signature does not cover itself. */
function signedBytes(subject: string, bytes: Uint8Array): Uint8Array {
  const about = encoder.encode(`${CONTEXT}${subject}\n`);
  const signed = new Uint8Array(about.length + 1 + KEY_CHARACTERS + bytes.length - LENGTH_AT);
  signed.set(about);
  signed.set(bytes.subarray(0, 1 + KEY_CHARACTERS), about.length);
  signed.set(bytes.subarray(LENGTH_AT), about.length + 1 + KEY_CHARACTERS);
  return signed;
}

function readHeader(bytes: Uint8Array): JsonObject | undefined {
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  const read = readJsonText(text, HEADER_BOUNDS);
  // Parsed text is JSON.
  const value = read.ok ? (read.value as JsonValue) : undefined;
  return value !== undefined && isJsonObject(value) ? value : undefined;
}

function refused(reason: string): Opened {
  return { ok: false, reason };
}

/** Shows a key that may be any bytes. */
function shownKey(key: string): string {
  return /^U[A-Z2-7]{55}$/.test(key) ? key : "(not a public key)";
}
