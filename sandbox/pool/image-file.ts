/**
 * The base image as a file, so that a host starts by reading it instead of running the prelude.
 *
 * The file name is a hash of everything the image depends on: engine, prelude, layout, and the host's language, which Emscripten writes
 * into the memory of every instance (`LANG`). The contents carry their own hash. If a file is missing or damaged, the image is created
 * again.
 */

import { cacheFileName, seal, type Sha256, unseal } from "./cache-file.ts";
import type { BaseImage } from "../engine/image.ts";
import { PRELUDE_HASH } from "../image/prelude-hash.gen.ts";

/** Version of the image layout. Increment it when the meaning of an image's parts changes. */
const LAYOUT = "3";
const encoder = new TextEncoder();

/** Returns the hexadecimal file name for this engine. */
export async function imageFileName(engine: Uint8Array, language: string, sha256?: Sha256): Promise<string> {
  return cacheFileName([engine, encoder.encode(`${PRELUDE_HASH} ${LAYOUT} ${language}`)], sha256);
}

/** Returns a sealed file: length of the head, head (JSON), bytes. */
export async function writeImageFile(image: BaseImage): Promise<Uint8Array> {
  const { bytes, ...head } = image;
  const headBytes = encoder.encode(JSON.stringify(head));
  const contents = new Uint8Array(4 + headBytes.length + bytes.byteLength);
  new DataView(contents.buffer).setUint32(0, headBytes.length);
  contents.set(headBytes, 4);
  contents.set(new Uint8Array(bytes), 4 + headBytes.length);
  return seal(contents);
}

/** Parses a file. Returns undefined if it is not exactly what `writeImageFile` wrote. */
export async function readImageFile(file: Uint8Array, sha256?: Sha256): Promise<BaseImage | undefined> {
  const contents = await unseal(file, sha256);
  if (contents === undefined) return undefined;
  const headEnd = 4 + new DataView(contents.buffer, contents.byteOffset).getUint32(0);
  // The seal guarantees that this process or an earlier one wrote the head.
  const head = JSON.parse(new TextDecoder().decode(contents.subarray(4, headEnd))) as Omit<BaseImage, "bytes">;
  const bytes = new SharedArrayBuffer(contents.length - headEnd);
  new Uint8Array(bytes).set(contents.subarray(headEnd));
  return { ...head, bytes };
}
