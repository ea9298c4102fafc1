/** Reads a network body as text and decodes at most 64 KB at once (SPEC LV2). */

import { piecesOf } from "./json-bytes.ts";

/** @returns undefined if it is longer than `maxBytes`; the rest is not read */
export async function bodyText(body: ReadableStream | null, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // The runtime's type does not specify the chunk type.
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    bytes += next.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    for (const piece of piecesOf(next.value)) text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
