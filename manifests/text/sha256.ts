/** SHA-256 of a text without platform APIs (FIPS 180-4), for names that must not collide. */

const ROUNDS = 64;
const INITIAL: readonly number[] = primes(8).map((prime) => fractionBits(Math.sqrt(prime)));
const CONSTANTS: readonly number[] = primes(ROUNDS).map((prime) => fractionBits(Math.cbrt(prime)));

/** Returns the SHA-256 hash of `text` in hexadecimal. */
export function sha256Hex(text: string): string {
  return Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the 32 bytes of the SHA-256 hash of `text` in UTF-8. For short texts only: it processes about 1 MB/s. */
export function sha256(text: string): Uint8Array {
  const message = pad(new TextEncoder().encode(text));
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(ROUNDS);
  for (let offset = 0; offset < message.byteLength; offset += 64) compress(state, schedule, message, offset);

  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function compress(state: Uint32Array, schedule: Uint32Array, message: DataView, offset: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = message.getUint32(offset + i * 4);
  for (let i = 16; i < ROUNDS; i++) {
    const early = at(schedule, i - 15);
    const late = at(schedule, i - 2);
    const mixEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[i] = at(schedule, i - 16) + mixEarly + at(schedule, i - 7) + mixLate;
  }

  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (CONSTANTS[i] ?? 0) + at(schedule, i)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = at(state, index) + word));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++) {
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  }
  return found;
}

function fractionBits(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) >>> 0;
}
