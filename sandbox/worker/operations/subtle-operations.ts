/** Runs one operation of `crypto.subtle` for a call: reads and checks the arguments, calls the runtime, and encodes the result. */

import type { CallKeys } from "./call-keys.ts";
import { errorAnswer, type LocalAnswer, Refusal, valueAnswer } from "./local-answer.ts";
import { type HeldKey, type Subtle, SUBTLE_METHODS, type SubtleMethod } from "./subtle.ts";
import { checkDerivation } from "./subtle-cost.ts";
import { readArguments, type SubtleArgument } from "./subtle-request.ts";

/** An operation as the guest sent it. */
interface SubtleRequest {
  /** Controlled by the guest. */
  readonly method: string;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Prefix of the operations' names. The rest is the method. */
export const SUBTLE_PREFIX = "subtle.";

/** Runs an operation. Never rejects. */
export async function runSubtle(request: SubtleRequest, subtle: Subtle, keys: CallKeys): Promise<LocalAnswer> {
  try {
    const method = SUBTLE_METHODS.find((name) => name === request.method);
    if (method === undefined) throw new Refusal("NotSupportedError", "Unknown cryptographic operation");
    const args = readArguments(request.text, request.bytes, keys);
    checkUse(method, args, subtle);
    const made = await subtle.run(method, args);
    return writeResult(made, subtle, (key) => keys.add(key, importsKey(method) ? request.bytes.length + request.text.length : 0));
  } catch (error) {
    return refusalOf(error, request.method);
  }
}

function importsKey(method: SubtleMethod): boolean {
  return method === "importKey" || method === "unwrapKey";
}

/** By method: positions of its algorithm and key, and Deno's message for a key of another algorithm. */
const USES: Partial<Record<SubtleMethod, readonly [algorithm: number, key: number, mismatch: string]>> = {
  encrypt: [0, 1, "Encryption algorithm '{}' does not match key algorithm"],
  decrypt: [0, 1, `Decryption algorithm "{}" does not match key algorithm`],
  sign: [0, 1, "Signing algorithm '{}' does not match key algorithm"],
  verify: [0, 1, "Verifying algorithm '{}' does not match key algorithm"],
};

/** Rejects what every runtime rejects, with the same message, and what costs too much. */
function checkUse(method: SubtleMethod, args: readonly SubtleArgument[], subtle: Subtle): void {
  if (method === "deriveBits") checkDerivation(fieldsOf(args[0]), typeof args[2] === "number" ? args[2] : 0);
  if (method === "deriveKey") checkDerivation(fieldsOf(args[0]), lengthOf(args[2]));
  if (method === "exportKey") requireExtractable(args[1], subtle);
  const use = USES[method];
  if (use === undefined) return;
  const [algorithm, key, mismatch] = [fieldsOf(args[use[0]]).get("name"), args[use[1]], use[2]];
  if (!subtle.isKey(key) || typeof algorithm !== "string") return;
  const name = key.algorithm["name"];
  // The runtime decides about other spellings of the name.
  if (typeof name === "string" && name.toUpperCase() !== algorithm.toUpperCase() && isKnown(algorithm)) {
    throw new Refusal("InvalidAccessError", mismatch.replace("{}", algorithm));
  }
  if (typeof name === "string" && name.toUpperCase() === algorithm.toUpperCase() && !key.usages.includes(method)) {
    throw new Refusal("InvalidAccessError", "The requested operation is not valid for the provided key");
  }
}

/** True for algorithms that sign, verify, encrypt or decrypt in every runtime. For others the runtime must report whether it knows them. */
function isKnown(algorithm: string): boolean {
  return /^(?:RSASSA-PKCS1-v1_5|RSA-PSS|RSA-OAEP|ECDSA|HMAC|Ed25519|AES-(?:CTR|CBC|GCM))$/iu.test(algorithm);
}

function requireExtractable(key: SubtleArgument, subtle: Subtle): void {
  if (subtle.isKey(key) && !key.extractable) throw new Refusal("InvalidAccessError", "Key is not extractable");
}

/** Length of an HMAC key without a given length: the block size of its hash. */
const LONGEST_BLOCK_BITS = 1_152;

function lengthOf(derived: SubtleArgument): number {
  const length = fieldsOf(derived).get("length");
  return typeof length === "number" ? length : LONGEST_BLOCK_BITS;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : [["name", value]]);
}

/**
 * Encodes a result as JSON with bytes beside it: `{ b: [at, length] }`, `{ k: [handle, type, extractable, algorithm, usages] }`, `{ o:
 * members }`, `{ j: JWK }`, or true and false.
 */
function writeResult(made: unknown, subtle: Subtle, keep: (key: HeldKey) => string): LocalAnswer {
  const parts: Uint8Array[] = [];
  let length = 0;
  const write = (value: unknown): unknown => {
    if (value instanceof ArrayBuffer) {
      const part = new Uint8Array(value);
      parts.push(part);
      length += part.length;
      return { b: [length - part.length, part.length] };
    }
    if (!subtle.isKey(value)) throw new Refusal("OperationError", "The runtime returned an unknown value");
    return { k: [keep(value), value.type, value.extractable, writeAlgorithm(value.algorithm), value.usages] };
  };
  const json = writeShape(made, write, subtle);
  return { ...valueAnswer(json), ...(parts.length > 0 && { bytes: joined(parts, length) }) };
}

function writeShape(made: unknown, write: (value: unknown) => unknown, subtle: Subtle): unknown {
  if (typeof made === "boolean") return made;
  if (made instanceof ArrayBuffer || subtle.isKey(made) || typeof made !== "object" || made === null) return write(made);
  const members = Object.entries(made);
  // A pair of keys, or the result of an encapsulation. Other objects are JSON Web Keys.
  if (!members.some(([name]) => PARTS.has(name))) return { j: made };
  return { o: Object.fromEntries(members.map(([name, value]) => [name, write(value)])) };
}

const PARTS: ReadonlySet<string> = new Set(["publicKey", "sharedKey"]);

function writeAlgorithm(algorithm: HeldKey["algorithm"]): unknown {
  return Object.fromEntries(
    Object.entries(algorithm).map(([name, value]) => [name, value instanceof Uint8Array ? { n: [...value] } : value]),
  );
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Error names of the standard. Their messages come from the runtime, which only knows the arguments. */
const ERROR_NAMES: ReadonlySet<string> = new Set([
  ...["NotSupportedError", "SyntaxError", "InvalidAccessError", "DataError", "OperationError", "QuotaExceededError"],
]);
const MAX_MESSAGE = 300;

function refusalOf(error: unknown, method: string): LocalAnswer {
  if (error instanceof Refusal) return errorAnswer(error.refused, error.message);
  // A wrapped key that is not JSON.
  if (error instanceof SyntaxError) return errorAnswer("DataError", "Invalid key data");
  if (!(error instanceof Error)) return errorAnswer("OperationError", "The operation failed");
  const message = error.message.slice(0, MAX_MESSAGE);
  if (error instanceof TypeError) return errorAnswer("TypeError", message);
  if (!ERROR_NAMES.has(error.name)) return errorAnswer("OperationError", "The operation failed");
  return errorAnswer(error.name, error.name === "OperationError" ? (FAILURES.get(method) ?? message) : message);
}

/** Deno's messages. Other runtimes only report that the operation failed. */
const FAILURES: ReadonlyMap<string, string> = new Map([["decrypt", "Decryption failed"]]);
