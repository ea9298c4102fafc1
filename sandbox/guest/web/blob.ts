/** `Blob` and `File` (https://w3c.github.io/FileAPI/). Their bytes are held in the guest from the start. */

import { bufferOf, concatBytes, ownBytes, toBytes, viewBytes } from "./bytes.ts";
import { decodeUtf8Text, encodeUtf8 } from "./encoding.ts";
import {
  answers,
  arrayBufferByteLength,
  arrayBufferIsView,
  bareList,
  dateNow,
  mathFloor,
  mathMax,
  mathMin,
  mathTrunc,
  PrimordialTypeError,
  replaceText,
  sharedArrayBufferByteLength,
  stringCharCodeAt,
  stringToLowerCase,
  typedArrayLength,
} from "../language/primordials.ts";
import { cloneAs } from "./serializable.ts";
import { createTextDecoderEnds } from "../streams/text-streams.ts";
import { closeBytes, createReadable, enqueueBytes, pipeThrough, type Stream } from "../streams/web-streams.ts";
import { exposeInterface, forEachItem, requireArguments, showAs, toDictionary, toDomString, toUsvString } from "./webidl.ts";

/** Chunk size of Deno's blob streams. */
const CHUNK_BYTES = 64 * 1024;

export class Blob {
  #bytes: Uint8Array<ArrayBuffer>;
  #type: string;

  constructor(parts: unknown = undefined, options: unknown = undefined) {
    if (given !== undefined) {
      this.#bytes = given.bytes;
      this.#type = given.type;
      return;
    }
    const read = parts === undefined ? bareList<object | string>() : readParts(parts);
    const { endings, type } = readOptions(options, "Blob");
    this.#bytes = joinParts(read, endings === "native");
    this.#type = type;
  }

  get size(): number {
    return typedArrayLength(this.#bytes);
  }

  get type(): string {
    return this.#type;
  }

  slice(start: unknown = undefined, end: unknown = undefined, contentType: unknown = undefined): Blob {
    const { length } = this.#bytes;
    const from = place(start, 0, length);
    const to = mathMax(from, place(end, length, length));
    return createBlob(viewBytes(this.#bytes, from, to), contentType === undefined ? "" : toType(toDomString(contentType)));
  }

  stream(): Stream {
    return streamBytes(this.#bytes);
  }

  textStream(): Stream {
    return pipeThrough(streamBytes(this.#bytes), createTextDecoderEnds());
  }

  async text(): Promise<string> {
    return decodeUtf8Text(this.#bytes);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return bufferOf(ownBytes(this.#bytes));
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return ownBytes(this.#bytes);
  }

  /** Access to blobs for the prelude, removed from the class at boot. */
  static access = {
    isBlob: (value: object): value is Blob => #bytes in value,
    bytesOf: (blob: Blob): Uint8Array<ArrayBuffer> => blob.#bytes,
    typeOf: (blob: Blob): string => blob.#type,
  };
}

const access = Blob.access;
export const isBlob: (value: object) => value is Blob = access.isBlob;
/** Returns the bytes of a blob, which the caller must not change. */
export const blobBytes: (blob: Blob) => Uint8Array<ArrayBuffer> = access.bytesOf;
export const blobType: (blob: Blob) => string = access.typeOf;

/** The prelude passes this instead of parts. */
let given: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string } | undefined;

/** Creates a blob that owns the bytes. `type` must be normalised already. */
export function createBlob(bytes: Uint8Array<ArrayBuffer>, type: string): Blob {
  given = { bytes, type };
  try {
    return new Blob();
  } finally {
    given = undefined;
  }
}

export function createFile(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  options: { readonly type: string; readonly lastModified?: number },
): File {
  const { type, lastModified = dateNow() } = options;
  given = { bytes, type };
  try {
    return new File(undefined, name, { __proto__: null, lastModified });
  } finally {
    given = undefined;
  }
}

export class File extends Blob {
  #name: string;
  #lastModified: number;

  constructor(parts: unknown, name: unknown, options: unknown = undefined) {
    requireArguments(arguments.length, 2, "construct 'File'");
    const inner = given;
    // The standard reads the sequence before the name, and the name before the options.
    const read = inner === undefined ? readParts(parts, "File") : undefined;
    const text = toUsvString(name);
    const dictionary = toDictionary(options, "Failed to construct 'File'");
    const { endings, type } = inner === undefined ? readOptions(options, "File") : { endings: "transparent", type: inner.type };
    const { lastModified } = dictionary;
    given = { bytes: inner?.bytes ?? joinParts(read ?? bareList(), endings === "native"), type };
    try {
      super();
    } finally {
      given = undefined;
    }
    this.#name = text;
    this.#lastModified = lastModified === undefined ? dateNow() : toLongLong(lastModified);
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  static isFile(this: void, value: object): value is File {
    return #name in value;
  }
}

export const isFile: (value: object) => value is File = File.isFile;

/** Objects stay as they are until every part is converted. */
function readParts(parts: unknown, what = "Blob"): (object | string)[] {
  const read = bareList<object | string>();
  forEachItem(parts, `Failed to construct '${what}': Argument 1 can not be converted to sequence.`, (part) => {
    read[read.length] = isBytesPart(part) ? part : toUsvString(part);
  });
  return read;
}

function isBytesPart(part: unknown): part is object {
  if (typeof part !== "object" || part === null) return false;
  return isBlob(part) || arrayBufferIsView(part) || answers(arrayBufferByteLength, part) || answers(sharedArrayBufferByteLength, part);
}

function joinParts(parts: readonly (object | string)[], isNative: boolean): Uint8Array<ArrayBuffer> {
  const list = bareList<Uint8Array>();
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? "";
    if (typeof part === "string") list[index] = encodeUtf8(isNative ? toNativeEndings(part) : part);
    else list[index] = isBlob(part) ? blobBytes(part) : toBytes(part, "Failed to construct 'Blob'");
  }
  return concatBytes(list);
}

/** Converts line endings to those of the operating system that a guest sees. */
function toNativeEndings(text: string): string {
  return replaceText(replaceText(text, "\r\n", "\n"), "\r", "\n");
}

function readOptions(options: unknown, what: string): { readonly endings: string; readonly type: string } {
  const dictionary = toDictionary(options, `Failed to construct '${what}'`);
  const endings = dictionary["endings"] === undefined ? "transparent" : toDomString(dictionary["endings"]);
  if (endings !== "transparent" && endings !== "native") {
    throw new PrimordialTypeError(
      `Failed to construct '${what}': The provided value '${endings}' is not a valid enum value of type EndingType`,
    );
  }
  return { endings, type: dictionary["type"] === undefined ? "" : toType(toDomString(dictionary["type"])) };
}

/** Returns the type in lower case, or "" if it has a character outside U+0020 to U+007E. */
export function toType(text: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = stringCharCodeAt(text, index);
    if (code < 0x20 || code > 0x7e) return "";
  }
  return stringToLowerCase(text);
}

/** Returns an offset from the start; negative values count from the end. Clamped as `[Clamp] long long`. */
function place(value: unknown, absent: number, length: number): number {
  if (value === undefined) return absent;
  const whole = toNearest(+(value as number));
  return whole < 0 ? mathMax(length + whole, 0) : mathMin(whole, length);
}

/** Rounds halves to even and NaN to 0 (https://webidl.spec.whatwg.org/#abstract-opdef-converttoint). */
function toNearest(number: number): number {
  if (number !== number) return 0;
  const below = mathFloor(number);
  const rest = number - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below;
}

function toLongLong(value: unknown): number {
  const number = mathTrunc(+(value as number));
  return number === number && number - number === 0 ? number + 0 : 0;
}

/** Creates a stream of copied byte chunks. */
export function streamBytes(bytes: Uint8Array<ArrayBuffer>): Stream {
  const { length } = bytes;
  let at = 0;
  const source = {
    __proto__: null,
    type: "bytes",
    start: (controller: Stream) => {
      if (length === 0) closeBytes(controller);
    },
    pull: (controller: Stream) => {
      const end = mathMin(at + CHUNK_BYTES, length);
      enqueueBytes(controller, ownBytes(viewBytes(bytes, at, end)));
      at = end;
      if (at === length) closeBytes(controller);
    },
  };
  return createReadable(source, { __proto__: null, highWaterMark: 0 });
}

export function installBlob(global: object): void {
  Reflect.deleteProperty(Blob, "access");
  Reflect.deleteProperty(File, "isFile");
  exposeInterface(global, "Blob", Blob);
  exposeInterface(global, "File", File);
  Reflect.defineProperty(Blob, "length", { value: 0, configurable: true });
  cloneAs((value) => {
    if (!isBlob(value)) return undefined;
    const [bytes, type] = [blobBytes(value), blobType(value)];
    return isFile(value) ? createFile(bytes, value.name, { type, lastModified: value.lastModified }) : createBlob(bytes, type);
  });
  showAs((value) => {
    if (!isBlob(value)) return undefined;
    const [size, type] = [typedArrayLength(blobBytes(value)), blobType(value)];
    return isFile(value) ? { name: "File", members: { name: value.name, size, type } } : { name: "Blob", members: { size, type } };
  });
}
