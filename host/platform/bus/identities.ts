/** NKeys with the runtime's own Ed25519: the library's is in JavaScript and takes milliseconds (SPEC CL6). */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { createUser, fromPublic, fromSeed, type KeyPair } from "@nats-io/nkeys";
import type { Identities, Identity } from "./identity-types.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const KEY_BYTES = 32;
/** Public keys whose form for the runtime is kept. */
const MOST_KEYS = 1_000;

export function createIdentities(): Identities {
  const known = new Map<string, KeyObject>();

  function publicKeyOf(text: string): KeyObject {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: base64url(rawPublic(text)) }, format: "jwk" });
    if (known.size >= MOST_KEYS) known.clear();
    known.set(text, key);
    return key;
  }

  return {
    create: () => toIdentity(createUser()),
    open(seed) {
      try {
        const pair = fromSeed(new TextEncoder().encode(seed));
        if (pair.getPublicKey().startsWith("U")) return toIdentity(pair);
      } catch {
        // The library's message may repeat a part of the seed.
      }
      throw new TypeError("The key of the cluster is not the seed of a user's NKey");
    },
    isSigned(publicKey, bytes, signature) {
      try {
        return verify(null, bytes, publicKeyOf(publicKey), signature);
      } catch {
        // A malformed key has signed nothing.
        return false;
      }
    },
  };
}

function toIdentity(pair: KeyPair): Identity {
  const publicKey = pair.getPublicKey();
  const seed = new TextDecoder().decode(pair.getSeed());
  // Two bytes of prefix, the key, two bytes of checksum.
  const d = base64url(base32(seed).subarray(2, 2 + KEY_BYTES));
  const key = createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", d, x: base64url(rawPublic(publicKey)) }, format: "jwk" });
  return {
    publicKey,
    seed,
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  };
}

/** @throws {Error} if the prefix or the checksum is wrong */
function rawPublic(text: string): Uint8Array {
  fromPublic(text);
  // One byte of prefix, the key, two bytes of checksum.
  return base32(text).subarray(1, 1 + KEY_BYTES);
}

function base32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const character of text) {
    value = ((value << 5) | ALPHABET.indexOf(character)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (value >> bits) & 0xff;
  }
  return bytes;
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
