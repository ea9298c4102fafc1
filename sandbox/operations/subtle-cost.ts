/**
 * What one operation of cryptography may cost.
 *
 * The work is done on threads that the whole process shares, and it cannot be stopped once it has begun, so it is bounded
 * before: the most that passes here takes a second or two.
 */

import { type Fields, Refusal } from "./local-answer.ts";

/** Blocks times iterations: 600,000 iterations of 256 bits are in common use. */
const MAX_PBKDF2_ROUNDS = 5_000_000;
const MAX_ARGON2_KIB = 65_536;
/** Passes times memory. */
const MAX_ARGON2_WORK = 4 * MAX_ARGON2_KIB;
const MAX_ARGON2_LANES = 8;
const MAX_RSA_BITS = 4_096;
/** Bits of a key to make, and of what is derived or hashed to. */
const MAX_LENGTH_BITS = 8 * 1024 * 1024;

/** The limits that hold for each parameter by itself. */
const LIMITS: Readonly<Record<string, number>> = {
  iterations: MAX_PBKDF2_ROUNDS,
  memory: MAX_ARGON2_KIB,
  passes: MAX_ARGON2_WORK,
  parallelism: MAX_ARGON2_LANES,
  modulusLength: MAX_RSA_BITS,
  length: MAX_LENGTH_BITS,
  outputLength: MAX_LENGTH_BITS,
};

/** @throws {Refusal} if the parameters, whatever algorithm they are for, ask for too much. */
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

/** @param lengthBits what is derived. @throws {Refusal} if it takes too many rounds. */
export function checkDerivation(parameters: Fields, lengthBits: number): void {
  if (lengthBits > MAX_LENGTH_BITS) throw tooMuch(`a length of ${lengthBits} bits`, String(MAX_LENGTH_BITS));
  const rounds = numberOf(parameters, "iterations") * Math.max(1, Math.ceil(lengthBits / hashBits(parameters.get("hash"))));
  if (rounds > MAX_PBKDF2_ROUNDS) throw tooMuch(`${rounds} rounds (iterations times blocks)`, String(MAX_PBKDF2_ROUNDS));
}

function tooMuch(wanted: string, allowed: string): Refusal {
  return new Refusal("OperationError", `The operation asks for ${wanted}; a plugin may use at most ${allowed}`);
}

function numberOf(parameters: Fields, name: string): number {
  const value = parameters.get(name);
  return typeof value === "number" ? value : 0;
}

/** Digits of the hash's name; the shortest hash where it cannot be told. */
function hashBits(hash: unknown): number {
  const name: unknown = typeof hash === "object" && hash !== null ? Reflect.get(hash, "name") : hash;
  const bits = typeof name === "string" ? Number(/(256|384|512)$/u.exec(name)?.[1] ?? 160) : 160;
  return bits;
}

/** Others make no key for longer than anybody waits. */
function isCommonExponent(bytes: Uint8Array): boolean {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return /^(?:00)*(?:03|010001)$/u.test(digits);
}
