/**
 * The cryptography keys of one call. They stay in the worker; the guest has handles.
 *
 * A handle names its call and is only found in that call's table. So a forged handle leads at most to another of the guest's own keys,
 * and a handle kept from an earlier call of a session is invalid.
 */

import { Refusal } from "./local-answer.ts";
import type { HeldKey } from "./subtle.ts";

/** Maximum keys of one call, and bytes imported for them. */
const MAX_KEYS = 1_024;
const MAX_KEY_BYTES = 4 * 1024 * 1024;
/** Bytes counted for a key that the runtime generates. */
const MADE_KEY_BYTES = 2_048;
/** One operation with a longer key could take seconds. */
const MAX_MODULUS_BITS = 8_192;

export class CallKeys {
  readonly #call: number;
  readonly #keys: Map<string, HeldKey> = new Map();
  #bytes = 0;

  /** @param call a number that is unique in the sandbox */
  constructor(call: number) {
    this.#call = call;
  }

  /**
   * Keeps a key until the call ends and returns its handle.
   *
   * @param importedBytes size of the imported key data
   * @throws {Refusal} if the call has too many keys, or if the key is too large
   */
  add(key: HeldKey, importedBytes: number): string {
    const { modulusLength } = key.algorithm;
    if (typeof modulusLength === "number" && modulusLength > MAX_MODULUS_BITS) {
      throw new Refusal("NotSupportedError", `The key has ${modulusLength} bits; a plugin may use RSA keys of at most ${MAX_MODULUS_BITS}`);
    }
    this.#bytes += Math.max(importedBytes, MADE_KEY_BYTES);
    if (this.#keys.size >= MAX_KEYS || this.#bytes > MAX_KEY_BYTES) {
      throw new Refusal(
        "QuotaExceededError",
        `A call may hold ${MAX_KEYS} keys and ${MAX_KEY_BYTES} bytes of key data, and these are used up`,
      );
    }
    const handle = `${this.#call}.${this.#keys.size + 1}`;
    this.#keys.set(handle, key);
    return handle;
  }

  /** @throws {Refusal} if the handle is not a key of this call */
  find(handle: unknown): HeldKey {
    const key = typeof handle === "string" ? this.#keys.get(handle) : undefined;
    if (key !== undefined) return key;
    throw new Refusal("InvalidAccessError", "Key not found: keys end with the call that made them (make or import it in this call)");
  }

  clear(): void {
    this.#keys.clear();
  }
}
