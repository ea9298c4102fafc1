import { blake3 } from "@noble/hashes/blake3.js";
import { hmac } from "@noble/hashes/hmac.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const text = utf8ToBytes("bascule");

export const digests = () => [sha256, sha512, keccak_256, blake3].map((hash) => bytesToHex(hash(text)));
export const keys = () => [bytesToHex(hmac(sha256, text, text)), bytesToHex(pbkdf2(sha256, text, text, { c: 10, dkLen: 16 }))];
