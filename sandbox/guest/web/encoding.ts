/** `TextEncoder` and `TextDecoder` (https://encoding.spec.whatwg.org/), on top of the worker's own codecs. */

import { askWorker, takeAnswerBytes } from "../call/channel.ts";
import { bufferOf, ownBytes, toBytes, viewBytes } from "./bytes.ts";
import { objectToJson, quoteJson } from "../language/json-text.ts";
import {
  arrayBufferByteLength,
  arrayJoin,
  bareList,
  mathMin,
  PrimordialArrayBuffer,
  PrimordialTypeError,
  PrimordialUint8Array,
  stringCharCodeAt,
  stringIncludes,
  stringSlice,
  stringToWellFormed,
  typedArrayLength,
  typedArraySet,
  typedArrayTag,
} from "../language/primordials.ts";
import { exposeInterface, requireArguments, showAs, toDictionary, toDomString } from "./webidl.ts";

/** Encodes as UTF-8; lone surrogates become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  if (text === "") return new PrimordialUint8Array(0);
  const whole = stringToWellFormed(text);
  // Raw text would be cut at U+0000 on the way to the worker.
  if (stringIncludes(whole, "\0")) askWorker("text.encodeJson", quoteJson(whole));
  else askWorker("text.encode", whole);
  return new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
}

/** Decodes like the Encoding standard's "UTF-8 decode": a byte order mark at the start is dropped. */
export function decodeUtf8Text(bytes: Uint8Array<ArrayBuffer>): string {
  if (typedArrayLength(bytes) === 0) return "";
  return `${askWorker("text.decode", DROP_MARK, bufferOf(ownBytes(bytes))) as string}`;
}

const DROP_MARK = '{"label":"utf-8","fatal":false,"ignoreBOM":false,"stream":false}';

class TextEncoder {
  #isEncoder = true;

  get encoding(): string {
    requireEncoder(this);
    return "utf-8";
  }

  encode(input: unknown = ""): Uint8Array<ArrayBuffer> {
    requireEncoder(this);
    return encodeUtf8(toDomString(input));
  }

  encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
    requireEncoder(this);
    requireArguments(arguments.length, 2, "execute 'encodeInto' on 'TextEncoder'");
    if (typeof destination !== "object" || destination === null || typedArrayTag(destination) !== "Uint8Array") {
      throw new PrimordialTypeError("Failed to execute 'encodeInto' on 'TextEncoder': the destination is not a Uint8Array");
    }
    const text = toDomString(source);
    const { read, written } = fit(text, typedArrayLength(destination));
    // A detached destination has no room; even setting an empty text on it would throw.
    if (written > 0) typedArraySet(destination as Uint8Array, encodeUtf8(stringSlice(text, 0, read)));
    return { read, written };
  }

  static isEncoder(this: void, value: object): boolean {
    return #isEncoder in value;
  }
}

const { isEncoder } = TextEncoder;

function requireEncoder(value: object): void {
  if (!isEncoder(value)) throw new PrimordialTypeError("Illegal invocation");
}

/** Returns how many whole characters of the text fit in `room` bytes. */
function fit(text: string, room: number): { read: number; written: number } {
  let written = 0;
  let read = 0;
  while (read < text.length) {
    const code = stringCharCodeAt(text, read);
    const isPair = code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text, read + 1);
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3;
    if (written + size > room) break;
    written += size;
    read += isPair ? 2 : 1;
  }
  return { read, written };
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = index < text.length ? stringCharCodeAt(text, index) : 0;
  return code >= 0xdc00 && code < 0xe000;
}

export class TextDecoder {
  #encoding: string;
  #fatal: boolean;
  #ignoreBOM: boolean;
  /** Bytes of an incomplete character at the end of the last chunk. */
  #pending = new PrimordialUint8Array(0);
  /** Whether the stream is past its beginning, where a byte order mark is dropped. */
  #isUnderWay = false;

  constructor(label: unknown = "utf-8", options: unknown = undefined) {
    this.#encoding = `${askWorker("text.label", quoteJson(toDomString(label))) as string}`;
    const { fatal, ignoreBOM } = toDictionary(options, "Failed to construct 'TextDecoder'");
    this.#fatal = !!fatal;
    this.#ignoreBOM = !!ignoreBOM;
  }

  get encoding(): string {
    return this.#encoding;
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }

  decode(input: unknown = undefined, options: unknown = undefined): string {
    const stream = !!toDictionary(options, "Failed to execute 'decode' on 'TextDecoder'")["stream"];
    const added = input === undefined ? new PrimordialUint8Array(0) : toBytes(input, "Failed to execute 'decode' on 'TextDecoder'");
    const length = typedArrayLength(added);
    if (length <= LEGACY_PIECE || (!stream && !this.#isUnderWay && this.#encoding === "utf-8")) return this.#decode(added, stream);
    const texts = bareList<string>();
    for (let at = 0; at < length; at += LEGACY_PIECE) {
      const end = mathMin(at + LEGACY_PIECE, length);
      texts[texts.length] = this.#decode(viewBytes(added, at, end), stream || end < length);
    }
    return arrayJoin(texts, "");
  }

  #decode(added: Uint8Array<ArrayBuffer>, stream: boolean): string {
    const bytes = join(this.#pending, added);
    const ignoreBOM = this.#ignoreBOM || this.#isUnderWay;
    const continued = this.#isUnderWay;
    // A stream that ended or failed always starts again from the beginning.
    this.#pending = new PrimordialUint8Array(0);
    this.#isUnderWay = false;
    if (typedArrayLength(bytes) === 0 && !stream) return "";
    const args = objectToJson({ __proto__: null, label: this.#encoding, fatal: this.#fatal, ignoreBOM, stream, continued });
    const text = `${askWorker("text.decode", args, bufferOf(ownBuffer(bytes))) as string}`;
    if (stream) {
      this.#pending = new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
      this.#isUnderWay = ignoreBOM || typedArrayLength(bytes) > typedArrayLength(this.#pending);
    }
    return text;
  }

  static isDecoder(this: void, value: object): value is TextDecoder {
    return #encoding in value;
  }
}

/** Piece size for streams and for encodings other than UTF-8; decoding in pieces lets each piece be metered. */
const LEGACY_PIECE = 64 * 1024;

/** The boundary takes whole buffers. */
function ownBuffer(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return arrayBufferByteLength(bufferOf(bytes)) === typedArrayLength(bytes) ? bytes : ownBytes(bytes);
}

function join(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const start = typedArrayLength(first);
  if (start === 0) return second;
  const joined = new PrimordialUint8Array(start + typedArrayLength(second));
  typedArraySet(joined, first);
  typedArraySet(joined, second, start);
  return joined;
}

export function installEncoding(global: object): void {
  const { isDecoder } = TextDecoder;
  Reflect.deleteProperty(TextEncoder, "isEncoder");
  Reflect.deleteProperty(TextDecoder, "isDecoder");
  exposeInterface(global, "TextEncoder", TextEncoder);
  exposeInterface(global, "TextDecoder", TextDecoder);
  showAs((value) => {
    if (isEncoder(value)) return { name: "TextEncoder", members: { encoding: "utf-8" } };
    if (!isDecoder(value)) return undefined;
    return { name: "TextDecoder", members: { encoding: value.encoding, fatal: value.fatal, ignoreBOM: value.ignoreBOM } };
  });
}
