/**
 * The base image as a file, so that starting a host is reading it instead of running the prelude.
 *
 * The name says what the image depends on (engine, prelude, layout, time zone); the contents carry their own hash.
 * Whatever is wrong with a file, the image is made anew.
 */

import type { Image } from "./image.ts";
import { PRELUDE } from "./prelude.gen.ts";

/** Changes whenever the meaning of an image's parts does. */
const LAYOUT = "2";
const HASH_BYTES = 32;
const encoder = new TextEncoder();

/** The file's name for this engine; hexadecimal. */
export async function imageFileName(engine: Uint8Array): Promise<string> {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const parts = [await sha256(engine), await sha256(encoder.encode(JSON.stringify(PRELUDE))), encoder.encode(`${LAYOUT} ${zone}`)];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return [...(await sha256(all))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Hash, length of the head, head (JSON), bytes. */
export async function writeImageFile(image: Image): Promise<Uint8Array> {
  const { bytes, ...head } = image;
  const headBytes = encoder.encode(JSON.stringify(head));
  const file = new Uint8Array(HASH_BYTES + 4 + headBytes.length + bytes.byteLength);
  new DataView(file.buffer).setUint32(HASH_BYTES, headBytes.length);
  file.set(headBytes, HASH_BYTES + 4);
  file.set(new Uint8Array(bytes), HASH_BYTES + 4 + headBytes.length);
  file.set(await sha256(file.subarray(HASH_BYTES)));
  return file;
}

/** Undefined if the file is not exactly what `writeImageFile` wrote. */
export async function readImageFile(file: Uint8Array): Promise<Image | undefined> {
  if (file.length < HASH_BYTES + 4) return undefined;
  const hash = await sha256(file.subarray(HASH_BYTES));
  if (hash.some((byte, index) => byte !== file[index])) return undefined;
  const headEnd = HASH_BYTES + 4 + new DataView(file.buffer, file.byteOffset).getUint32(HASH_BYTES);
  // The hash says that these are our own words.
  const head = JSON.parse(new TextDecoder().decode(file.subarray(HASH_BYTES + 4, headEnd))) as Omit<Image, "bytes">;
  const bytes = new SharedArrayBuffer(file.length - headEnd);
  new Uint8Array(bytes).set(file.subarray(headEnd));
  return { ...head, bytes };
}

async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  // A copy where the bytes are shared or a view: the API takes neither kind everywhere.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}
