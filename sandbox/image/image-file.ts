/**
 * The base image as a file, so that starting a host is reading it instead of running the prelude.
 *
 * The name says what the image depends on: engine, prelude, layout, and the language of the host, which Emscripten puts
 * into the memory of every instance (`LANG`). The contents carry their own hash.
 * Whatever is wrong with a file, the image is made anew.
 */

import { cacheFileName, seal, unseal } from "./cache-file.ts";
import type { BaseImage } from "./image.ts";
import { PRELUDE } from "../prelude.gen.ts";

/** Changes whenever the meaning of an image's parts does. */
const LAYOUT = "3";
const encoder = new TextEncoder();

/** The file's name for this engine; hexadecimal. */
export async function imageFileName(engine: Uint8Array, language: string): Promise<string> {
  const prelude = Object.entries(PRELUDE).flatMap((module) => module.map((text) => encoder.encode(text)));
  return cacheFileName([engine, ...prelude, encoder.encode(`${LAYOUT} ${language}`)]);
}

/** Sealed: length of the head, head (JSON), bytes. */
export async function writeImageFile(image: BaseImage): Promise<Uint8Array> {
  const { bytes, ...head } = image;
  const headBytes = encoder.encode(JSON.stringify(head));
  const contents = new Uint8Array(4 + headBytes.length + bytes.byteLength);
  new DataView(contents.buffer).setUint32(0, headBytes.length);
  contents.set(headBytes, 4);
  contents.set(new Uint8Array(bytes), 4 + headBytes.length);
  return seal(contents);
}

/** Undefined if the file is not exactly what `writeImageFile` wrote. */
export async function readImageFile(file: Uint8Array): Promise<BaseImage | undefined> {
  const contents = await unseal(file);
  if (contents === undefined) return undefined;
  const headEnd = 4 + new DataView(contents.buffer, contents.byteOffset).getUint32(0);
  // The seal says that these are our own words.
  const head = JSON.parse(new TextDecoder().decode(contents.subarray(4, headEnd))) as Omit<BaseImage, "bytes">;
  const bytes = new SharedArrayBuffer(contents.length - headEnd);
  new Uint8Array(bytes).set(contents.subarray(headEnd));
  return { ...head, bytes };
}
