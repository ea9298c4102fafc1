/**
 * Replaces the only occurrence of a text in a UTF-8 file, in slices.
 *
 * The engine's own search takes time proportional to the product of both lengths: half a minute for 400 KB of `a` with one `b` in 1 MB of
 * `a`, during which the host is blocked. This one looks at each byte at most twice (Knuth, Morris, Pratt; SPEC LV1, LV2).
 */

import { hasLoneSurrogate } from "../../../manifests/mod.ts";
import { joined, piecesOf } from "../../primitives/json/json-bytes.ts";
import { textPieces } from "../../primitives/json/write-slices.ts";

/** The patched bytes, or the problem. */
export type PatchedBytes = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly problem: string };

interface Edit {
  readonly old: string;
  readonly replacement: string;
}

export function* patchBytes(bytes: Uint8Array, { old, replacement }: Edit): Generator<void, PatchedBytes> {
  if (!(yield* isUtf8(bytes))) return { ok: false, problem: "it is not UTF-8 text" };
  if (old === "") return { ok: false, problem: "the text to replace is empty" };
  const wanted = yield* encoded(old);
  // UTF-8 cannot hold a lone surrogate; the encoder would replace it with U+FFFD, which may occur.
  const places = hasLoneSurrogate(old) ? [] : yield* findTwo(bytes, wanted);
  const [first, second] = places;
  if (first === undefined) return { ok: false, problem: "the text to replace does not occur (copy it exactly from the file)" };
  if (second !== undefined) return { ok: false, problem: "the text to replace occurs more than once (take more of the lines around it)" };
  const parts = [bytes.subarray(0, first), yield* encoded(replacement), bytes.subarray(first + wanted.length)];
  return { ok: true, bytes: yield* joined(parts.flatMap((part) => [...piecesOf(part)])) };
}

function* isUtf8(bytes: Uint8Array): Generator<void, boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for (const piece of piecesOf(bytes)) {
      decoder.decode(piece, { stream: true });
      yield;
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function* encoded(text: string): Generator<void, Uint8Array> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (const piece of textPieces(text)) {
    parts.push(encoder.encode(piece));
    yield;
  }
  return yield* joined(parts);
}

/** Returns the positions of `wanted`, at most two. They may overlap. */
function* findTwo(bytes: Uint8Array, wanted: Uint8Array): Generator<void, readonly number[]> {
  /** For each prefix of `wanted`: the length of the longest shorter prefix that it ends with. */
  const shorter = new Int32Array(wanted.length + 1);
  shorter[0] = -1;
  let length = -1;
  for (let at = 0; at < wanted.length; at++) {
    while (length >= 0 && wanted[length] !== wanted[at]) length = shorter[length] ?? -1;
    shorter[at + 1] = ++length;
    if (at % STEPS === 0) yield;
  }
  const places: number[] = [];
  length = 0;
  for (let at = 0; at < bytes.length && places.length < 2; at++) {
    while (length >= 0 && wanted[length] !== bytes[at]) length = shorter[length] ?? -1;
    if (++length === wanted.length) {
      places.push(at + 1 - wanted.length);
      length = shorter[length] ?? 0;
    }
    if (at % STEPS === 0) yield;
  }
  return places;
}

/** Bytes per slice. Stepping back over matches at most doubles the steps in total. */
const STEPS = 16 * 1024;
