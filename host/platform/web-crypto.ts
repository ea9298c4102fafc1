/** The sandbox's cryptography, by `node:crypto`, which Deno has too. */

import { createHash, webcrypto } from "node:crypto";
import type { RunningHash } from "./platform.ts";
import type { Digest, DigestName, HeldKey, Subtle, SubtleMethod, Supports } from "../../sandbox/mod.ts";

/** OpenSSL's names of the hashes. */
const HASHES: Readonly<Record<DigestName, string>> = {
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
  "SHA3-256": "sha3-256",
  "SHA3-384": "sha3-384",
  "SHA3-512": "sha3-512",
};

export const hash: Digest = (name, pieces) => {
  const made = createHash(HASHES[name]);
  for (const piece of pieces) made.update(piece);
  const { buffer, byteOffset, length } = made.digest();
  return new Uint8Array(buffer, byteOffset, length);
};

/** Hashes piece by piece; `hash` needs all pieces at once. */
export function runningHash(): RunningHash {
  const made = createHash("sha256");
  return { update: (piece) => void made.update(piece), hex: () => made.digest("hex") };
}

/** Missing in the types: Node 24.7 and Deno 2.9 have it. */
export const supports: Supports = (args) => {
  keepQuiet();
  const type: object = webcrypto.subtle.constructor;
  const found: unknown = Reflect.get(type, "supports");
  return typeof found === "function" ? Reflect.apply(found, type, args) === true : undefined;
};

export const subtle: Subtle = {
  async run(method: SubtleMethod, args: readonly unknown[]): Promise<unknown> {
    keepQuiet();
    const runtime: object = webcrypto.subtle;
    const found: unknown = Reflect.get(runtime, method);
    if (typeof found !== "function") throw new DOMException("The runtime does not support this operation", "NotSupportedError");
    return await (Reflect.apply(found, runtime, args) as Promise<unknown>);
  },
  isKey: (value): value is HeldKey => value instanceof CryptoKey,
};

let isQuiet = false;

/** Hides Node's warnings on stderr about each experimental algorithm that a plugin tries; they do not concern the operator. */
function keepQuiet(): void {
  if (isQuiet || "Deno" in globalThis) return;
  isQuiet = true;
  const shown = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") for (const show of shown) show(warning);
  });
}
