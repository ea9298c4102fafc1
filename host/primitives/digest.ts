/** Hashes: a plugin's identity (SPEC M11), and names made of hashes. */

import { joinBytes, toHex } from "../platform/bytes.ts";
import { hash } from "../platform/web-crypto.ts";

const encoder = new TextEncoder();

/**
 * Returns the SHA-256, in hex, over the files sorted by path: for each its path, a NUL, its length in decimal, a NUL, its bytes.
 *
 * Paths cannot contain NUL, so two different folders never have the same input. Sorting is by UTF-16 code unit, because it must not depend
 * on the machine's locale.
 */
export async function digestFiles(files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for (const path of [...files.keys()].toSorted(compareText)) {
    const bytes = files.get(path) ?? new Uint8Array();
    parts.push(encoder.encode(`${path}\0${String(bytes.length)}\0`), bytes);
  }
  return await sha256Hex(joinBytes(parts));
}

/** Up to this size, hashing here is as fast as on another thread. */
const SMALL_BYTES = 64 * 1024;

/** Returns the SHA-256 in hex; of a text, that of its UTF-8. */
export async function sha256Hex(contents: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof contents === "string" ? encoder.encode(contents) : contents;
  const small = bytes.length <= SMALL_BYTES ? hash("SHA-256", [bytes]) : undefined;
  const hashed = small ?? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return toHex(hashed);
}

/** Compares text the same way on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the id for the name of a file. Callers choose call ids freely, so an id that is not a plain name is replaced by its hash, which
 * no plain name equals.
 */
export async function toFileName(id: string): Promise<string> {
  return /^[0-9a-z][0-9a-z-]{0,62}$/.test(id) ? id : `-${(await sha256Hex(id)).slice(0, 60)}`;
}
