/** Validates bytes from outside in slices, so that they never block the host's thread (SPEC LV2). */

import type { RunningHash } from "../../platform/platform.ts";
import { JsonScan, type JsonShape } from "./json-scan.ts";
import { piecesOf } from "./json-bytes.ts";
import { Large, type LargeFacts } from "./large.ts";

export interface TakeInOptions {
  readonly maxDepth: number;
  readonly sha256: () => RunningHash;
  /** Removes secrets; returns the same bytes if there are none. */
  readonly redact: (given: Pick<LargeFacts, "kind" | "bytes">) => Generator<void, Uint8Array>;
}

/** Returns undefined if the bytes should be JSON and are not, nest too deep, or have white space between tokens. */
export function* takeIn(given: Pick<LargeFacts, "kind" | "bytes">, options: TakeInOptions): Generator<void, Large | undefined> {
  const { kind } = given;
  const shape = kind === "text" ? TEXT : yield* scanned(given.bytes, options.maxDepth);
  if (shape === undefined) return undefined;
  const bytes = yield* options.redact(given);
  const hash = options.sha256();
  let escapes = 0;
  let isBase64 = kind === "text" && bytes.length % 4 === 0;
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    if (kind === "text") escapes += escapesIn(piece);
    isBase64 &&= isBase64Piece(piece, piece.byteOffset + piece.length === bytes.byteOffset + bytes.length);
    yield;
  }
  const jsonBytes = kind === "text" ? bytes.length + escapes + 2 : bytes.length;
  return new Large({ kind, bytes, shape, jsonBytes, sha256: hash.hex(), isBase64 });
}

const TEXT: JsonShape = { type: "string", count: 0, depth: 0 };

function* scanned(bytes: Uint8Array, maxDepth: number): Generator<void, JsonShape | undefined> {
  const scan = new JsonScan(maxDepth);
  for (const piece of piecesOf(bytes)) {
    if (!scan.push(piece)) return undefined;
    yield;
  }
  return scan.end();
}

/** Counts the additional bytes of a text in JSON. */
function escapesIn(piece: Uint8Array): number {
  let more = 0;
  for (let at = 0; at < piece.length; at++) more += ESCAPES[piece[at] ?? 0] ?? 0;
  return more;
}

/** Additional bytes by byte value: one for a short escape, five for `\u0000`. */
const ESCAPES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => JSON.stringify(String.fromCharCode(byte)).length - 3);

function isBase64Piece(piece: Uint8Array, isLast: boolean): boolean {
  let end = piece.length;
  for (let padding = 0; isLast && padding < 2 && piece[end - 1] === PAD; padding++) end--;
  for (let at = 0; at < end; at++) if (IN_BASE64[piece[at] ?? 0] !== 1) return false;
  return true;
}

const PAD = 0x3d;
const IN_BASE64: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => (/[A-Za-z0-9+/]/.test(String.fromCharCode(byte)) ? 1 : 0));
