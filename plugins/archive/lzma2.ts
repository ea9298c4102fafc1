/** Unpacks LZMA2: chunks of LZMA or stored bytes, each of which states what it keeps from earlier chunks. */

import { damaged } from "./bytes.ts";
import { LzmaDecoder } from "./lzma.ts";

const LAST = 0;
const STORED_AFRESH = 1;
const STORED = 2;
const PACKED = 0x80;

/** @throws {Error} if the data is damaged. */
export function unpackLzma2(data: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  const decoder = new LzmaDecoder(output);
  let [needsDictionary, needsProperties] = [true, true];
  let at = 0;
  for (;;) {
    const control = data[at++];
    if (control === undefined) throw damaged();
    if (control === LAST) break;
    // The low bits state what the chunk keeps: 0 everything, 1 everything but the state, 2 the dictionary, 3 nothing.
    const afresh = control >= PACKED ? (control >>> 5) & 3 : control === STORED_AFRESH ? 3 : 0;
    if (afresh === 3) {
      decoder.resetDictionary();
      [needsDictionary, needsProperties] = [false, true];
    }
    if (needsDictionary || (control > STORED && control < PACKED)) throw damaged();
    if (control < PACKED) {
      const length = uint16(data, at) + 1;
      at += 2;
      decoder.copy(data.subarray(at, at + length), length);
      at += length;
      continue;
    }
    const length = ((control & 0x1f) << 16) + uint16(data, at) + 1;
    const packed = uint16(data, at + 2) + 1;
    at += 4;
    if (afresh >= 2) {
      decoder.reset(data[at++] ?? 0xff);
      needsProperties = false;
    } else if (needsProperties) throw damaged();
    else if (afresh === 1) decoder.resetState();
    if (at + packed > data.length) throw damaged();
    decoder.begin(data.subarray(at, at + packed));
    if (decoder.decode(length) !== length) throw damaged();
    at += packed;
  }
  if (decoder.written !== size) throw damaged();
  return output;
}

function uint16(data: Uint8Array, at: number): number {
  const [high, low] = [data[at], data[at + 1]];
  if (high === undefined || low === undefined) throw damaged();
  return high * 256 + low;
}
