/** `CryptoKey`: the description of a key. The worker holds the key material until the call that created it ends. */

import {
  bareObject,
  define,
  objectHasOwn,
  PrimordialTypeError,
  PrimordialUint8Array,
  reflectDefineProperty,
  reflectOwnKeys,
} from "../language/primordials.ts";
import { cloneAs } from "../web/serializable.ts";
import { exposeInterface, showAs } from "../web/webidl.ts";

/** Facts as the worker sends them. */
interface KeyFacts {
  readonly handle: string;
  readonly type: string;
  readonly extractable: boolean;
  /** A program may change these objects; nothing reads them back. */
  readonly algorithm: object;
  readonly usages: readonly string[];
}

const secret = {};

class CryptoKey {
  #facts: KeyFacts;

  constructor(key?: unknown, facts?: KeyFacts) {
    if (key !== secret || facts === undefined) throw new PrimordialTypeError("Illegal constructor");
    this.#facts = facts;
  }

  get type(): string {
    return this.#facts.type;
  }

  get extractable(): boolean {
    return this.#facts.extractable;
  }

  get usages(): readonly string[] {
    return this.#facts.usages;
  }

  get algorithm(): object {
    return this.#facts.algorithm;
  }

  /** Returns undefined if the value is not a key. */
  static factsOf(this: void, value: unknown): KeyFacts | undefined {
    return typeof value === "object" && value !== null && #facts in value ? value.#facts : undefined;
  }
}

const { factsOf } = CryptoKey;

/** Returns the worker's handle of a key, or undefined if the value is not a key. */
export function handleOf(value: unknown): string | undefined {
  return factsOf(value)?.handle;
}

/** @param parts handle, type, extractable, algorithm and usages from the worker */
export function toKey(parts: readonly unknown[]): CryptoKey {
  // The worker writes these five.
  const [handle, type, extractable, algorithm, usages] = parts as readonly [string, string, boolean, object, readonly string[]];
  return new CryptoKey(secret, { handle, type, extractable, algorithm: toAlgorithm(algorithm), usages });
}

/** `{ n: […] }` stands for bytes. */
function toAlgorithm(parts: object): object {
  const algorithm = {};
  const keys = reflectOwnKeys(parts);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    const value: unknown = (parts as Readonly<Record<PropertyKey, unknown>>)[key];
    const isBytes = typeof value === "object" && value !== null && objectHasOwn(value, "n");
    define(algorithm, key, isBytes ? new PrimordialUint8Array((value as { readonly n: number[] }).n) : value, true);
  }
  return algorithm;
}

export function installCryptoKey(global: object): void {
  Reflect.deleteProperty(CryptoKey, "factsOf");
  reflectDefineProperty(CryptoKey, "length", { value: 0, configurable: true });
  exposeInterface(global, "CryptoKey", CryptoKey);
  cloneAs((value) => {
    const facts = factsOf(value);
    return facts === undefined ? undefined : new CryptoKey(secret, facts);
  });
  showAs((value) => {
    const facts = factsOf(value);
    if (facts === undefined) return undefined;
    const members = bareObject<unknown>();
    for (const name of ["type", "extractable", "algorithm", "usages"] as const) define(members, name, facts[name], true);
    return { name: "CryptoKey", members };
  });
}
