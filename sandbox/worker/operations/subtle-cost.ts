/**
 * Bounds the cost of one cryptography operation.
 *
 * The work runs on threads that the whole process shares and cannot be stopped, so it is bounded beforehand: the longest allowed
 * operation takes a second or two.
 */

import { type Fields, Refusal } from "./local-answer.ts";

/** Maximum of blocks times iterations. 600,000 iterations for 256 bits are common. */
const MAX_PBKDF2_ROUNDS = 5_000_000;
const MAX_ARGON2_KIB = 65_536;
/** Maximum of passes times memory. */
const MAX_ARGON2_WORK = 4 * MAX_ARGON2_KIB;
const MAX_ARGON2_LANES = 8;
const MAX_RSA_BITS = 4_096;
/** Maximum bits of a generated key, a derived value or a hash. */
const MAX_LENGTH_BITS = 8 * 1024 * 1024;

/** Limits of each parameter. */
const LIMITS: Readonly<Record<string, number>> = {
  iterations: MAX_PBKDF2_ROUNDS,
  memory: MAX_ARGON2_KIB,
  passes: MAX_ARGON2_WORK,
  parallelism: MAX_ARGON2_LANES,
  modulusLength: MAX_RSA_BITS,
  length: MAX_LENGTH_BITS,
  outputLength: MAX_LENGTH_BITS,
};

/** @throws {Refusal} if the parameters of any algorithm exceed a limit */
export function checkParameters(parameters: Fields): void {
  for (const [name, maximum] of Object.entries(LIMITS)) {
    const value = parameters.get(name);
    if (typeof value === "number" && value > maximum) throw tooMuch(`${name} ${value}`, String(maximum));
  }
  const work = numberOf(parameters, "passes") * numberOf(parameters, "memory");
  if (work > MAX_ARGON2_WORK) throw tooMuch(`${work} KiB in all passes together`, String(MAX_ARGON2_WORK));
  const exponent = parameters.get("publicExponent");
  if (exponent instanceof Uint8Array && !isCommonExponent(exponent)) {
    throw new Refusal("OperationError", "The publicExponent is neither 3 nor 65537");
  }
}

/** @param lengthBits length of the derived value @throws {Refusal} if it takes too many rounds */
export function checkDerivation(parameters: Fields, lengthBits: number): void {
  if (lengthBits > MAX_LENGTH_BITS) throw tooMuch(`a length of ${lengthBits} bits`, String(MAX_LENGTH_BITS));
  const rounds = numberOf(parameters, "iterations") * Math.max(1, Math.ceil(lengthBits / hashBits(parameters.get("hash"))));
  if (rounds > MAX_PBKDF2_ROUNDS) throw tooMuch(`${rounds} rounds (iterations times blocks)`, String(MAX_PBKDF2_ROUNDS));
}

function tooMuch(wanted: string, allowed: string): Refusal {
  return new Refusal("OperationError", `The operation requires ${wanted}; a plugin may use at most ${allowed}`);
}

function numberOf(parameters: Fields, name: string): number {
  const value = parameters.get(name);
  return typeof value === "number" ? value : 0;
}

/** Returns the bits in the hash's name; those of the shortest hash if unknown. */
function hashBits(hash: unknown): number {
  const name: unknown = typeof hash === "object" && hash !== null ? Reflect.get(hash, "name") : hash;
  const bits = typeof name === "string" ? Number(/(256|384|512)$/u.exec(name)?.[1] ?? 160) : 160;
  return bits;
}

/** Other exponents make key generation take far too long. */
function isCommonExponent(bytes: Uint8Array): boolean {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return /^(?:00)*(?:03|010001)$/u.test(digits);
}
