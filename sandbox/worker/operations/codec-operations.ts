/** Byte operations that the worker answers itself: compression, base64 and hex. */

import type { CompressionFormat } from "./codec.ts";
import { decodeBase64Text, decodeHexText, encodeBase64Text, encodeHexText } from "./byte-text.ts";
import {
  errorAnswer,
  type Fields,
  goOn,
  type LocalAnswer,
  type LocalEnvironment,
  type LocalOperation,
  MAX_BYTES,
  NO_BYTES,
  piecesOf,
  rawAnswer,
  readObject,
  Refusal,
  valueAnswer,
} from "./local-answer.ts";

/** Maximum bytes that one stream may decompress to. A zip bomb fails before it fills the guest. */
const MAX_DECOMPRESSED_BYTES = 32 * 1024 * 1024;

/** Operations by name. Part of `LOCAL_OPERATIONS`. */
export const CODEC_OPERATIONS: Readonly<Record<string, LocalOperation>> = {
  "zlib.compress": (text, bytes, env) => compress(readObject(text), bytes ?? NO_BYTES, env),
  "zlib.decompress": (text, bytes, env) => decompress(readObject(text), bytes ?? NO_BYTES, env),
  "base64.encode": (text, bytes, env) => encode(readObject(text), bytes ?? NO_BYTES, env),
  /** The bytes are the text in UTF-8. Valid base64 has one byte per character. */
  "base64.decode": (text, bytes, env) => decode(readObject(text), bytes ?? NO_BYTES, env),
  "hex.encode": (_text, bytes, env) => rawAnswer(joined(piecesOf(bytes ?? NO_BYTES, env), encodeHexText)),
  "hex.decode": (text, bytes, env) =>
    decoded(decodeHexText(bytes ?? NO_BYTES, { maximumBytes: readMaximum(readObject(text)), goOn: () => goOn(env) })),
};

function readFormat(fields: Fields): CompressionFormat {
  const format = fields.get("format");
  if (format === "gzip" || format === "deflate" || format === "deflate-raw") return format;
  throw new Refusal("TypeError", "Unknown compression format");
}

function compress(fields: Fields, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const format = readFormat(fields);
  const { codec } = env;
  if (codec === undefined) return noCodec();
  return { answer: "v", bytes: codec.compress(format, piecesOf(bytes, env)) };
}

/** Returns the decompressed bytes after the first `skip`. */
function decompress(fields: Fields, bytes: Uint8Array, { codec }: LocalEnvironment): LocalAnswer {
  const format = readFormat(fields);
  const skip = fields.get("skip");
  if (typeof skip !== "number" || !Number.isInteger(skip) || skip < 0)
    throw new Refusal("TypeError", '"skip" must be a whole number from 0');
  if (codec === undefined) return noCodec();
  const outcome = codec.decompress(format, bytes, { final: fields.get("final") === true, maximumBytes: MAX_DECOMPRESSED_BYTES });
  if (outcome.ok) return { answer: "v", bytes: outcome.bytes.slice(skip) };
  if (outcome.why === "too-large")
    return errorAnswer("RangeError", `Cannot decompress more than ${MAX_DECOMPRESSED_BYTES} bytes (split the data)`);
  return errorAnswer("TypeError", `corrupt ${format} stream`);
}

function noCodec(): LocalAnswer {
  return errorAnswer("NotSupported", "Cannot compress: this runtime has no codec");
}

function encode(fields: Fields, bytes: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const options = { isUrl: fields.get("isUrl") === true, omitPadding: fields.get("omitPadding") === true };
  // A piece is a multiple of three bytes, so that only the last one is padded.
  return rawAnswer(joined(piecesOf(bytes, env), (piece) => encodeBase64Text(piece, options)));
}

function joined(pieces: Iterable<Uint8Array>, encodePiece: (piece: Uint8Array) => string): string {
  let text = "";
  for (const piece of pieces) text += encodePiece(piece);
  return text;
}

function decode(fields: Fields, text: Uint8Array, env: LocalEnvironment): LocalAnswer {
  const last = fields.get("last");
  if (last !== "loose" && last !== "strict" && last !== "stop-before-partial")
    throw new Refusal("TypeError", "Unknown handling of the last chunk");
  const isUrl = fields.get("isUrl") === true;
  return decoded(decodeBase64Text(text, { isUrl, last, maximumBytes: readMaximum(fields), goOn: () => goOn(env) }));
}

function decoded({ read, bytes, error }: ReturnType<typeof decodeHexText>): LocalAnswer {
  return { ...valueAnswer({ read, ...(error !== undefined && { error }) }), bytes };
}

/** Returns the maximum number of bytes. Default: all. */
function readMaximum(fields: Fields): number {
  const maximum = fields.get("maximum");
  return typeof maximum === "number" && maximum >= 0 ? maximum : MAX_BYTES;
}
