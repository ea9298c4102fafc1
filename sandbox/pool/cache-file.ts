/** Files that the sandbox keeps between starts. The name is a hash of all inputs, and the contents are sealed with their own hash. */

/** SHA-256. The result is a promise if another thread computes it. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const HASH_BYTES = 32;

/** Returns the hexadecimal name of a file that depends on these parts. */
export async function cacheFileName(parts: readonly Uint8Array[], sha256: Sha256 = sha256Elsewhere): Promise<string> {
  const hashes = await Promise.all(parts.map(async (part) => await sha256(part)));
  const all = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [index, hash] of hashes.entries()) all.set(hash, index * HASH_BYTES);
  return [...(await sha256(all))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the contents, preceded by their hash. */
export async function seal(contents: Uint8Array): Promise<Uint8Array> {
  const file = new Uint8Array(HASH_BYTES + contents.length);
  file.set(await sha256Elsewhere(contents));
  file.set(contents, HASH_BYTES);
  return file;
}

/** Returns the contents; undefined if the file is not exactly as `seal` made it. */
export async function unseal(file: Uint8Array, sha256: Sha256 = sha256Elsewhere): Promise<Uint8Array | undefined> {
  if (file.length < HASH_BYTES) return undefined;
  const contents = file.subarray(HASH_BYTES);
  const hash = await sha256(contents);
  return hash.some((byte, index) => byte !== file[index]) ? undefined : contents;
}

async function sha256Elsewhere(bytes: Uint8Array): Promise<Uint8Array> {
  // `crypto.subtle` does not accept shared memory.
  const own = bytes.buffer instanceof ArrayBuffer ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : new Uint8Array(bytes);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", own));
}
