/**
 * `CompressionStream` and `DecompressionStream` (https://compression.spec.whatwg.org/).
 *
 * The worker's zlib does the work and keeps no state between two operations. The guest holds the input of a stream, so that it is
 * part of an image and ends with the call. Compressed bytes therefore arrive at the end, decompressed bytes as the input arrives.
 */

import { concatBytes, isBufferSource, toBytes } from "../web/bytes.ts";
import { askWorker, takeAnswerBytes } from "../call/channel.ts";
import { objectToJson } from "../language/json-text.ts";
import {
  bareList,
  PrimordialArrayBuffer,
  PrimordialTypeError,
  PrimordialUint8Array,
  typedArrayBuffer,
  typedArrayLength,
} from "../language/primordials.ts";
import { createTransform, endsOf, enqueueTransformed, type Stream } from "./web-streams.ts";
import { exposeInterface, requireArguments, showAs, toDomString } from "../web/webidl.ts";

/** Up to this size the stream decompresses every chunk when it arrives. */
const SMALL_BYTES = 64 * 1024;
/**
 * Above that size the stream decompresses when the input has grown by this factor. The whole input is read again each time, so
 * the total cost stays linear.
 */
const GROWTH = 1.25;

/** Bytes written so far. */
class Input {
  #parts = bareList<Uint8Array>();
  length = 0;

  add(chunk: unknown, what: string): void {
    if (!isBufferSource(chunk))
      throw new PrimordialTypeError(`Failed to construct '${what}': chunk is not an ArrayBuffer or a view on one`);
    const bytes = toBytes(chunk, what);
    this.#parts[this.#parts.length] = bytes;
    this.length += typedArrayLength(bytes);
  }

  all(): Uint8Array<ArrayBuffer> {
    const joined = concatBytes(this.#parts);
    this.#parts.length = 0;
    this.#parts[0] = joined;
    return joined;
  }
}

class CompressionStream {
  #ends: ReturnType<typeof endsOf>;

  constructor(format: unknown) {
    requireArguments(arguments.length, 1, "construct 'CompressionStream'");
    const known = toFormat(format, "CompressionStream");
    const input = new Input();
    this.#ends = endsOf(
      createTransform({
        __proto__: null,
        transform: (chunk: unknown) => input.add(chunk, "CompressionStream"),
        flush: (controller: Stream) => {
          askWorker("zlib.compress", objectToJson({ __proto__: null, format: known }), typedArrayBuffer(input.all()));
          enqueueAnswer(controller);
        },
      }),
    );
  }

  get readable(): Stream {
    return this.#ends.readable;
  }

  get writable(): Stream {
    return this.#ends.writable;
  }

  static isCompression(this: void, value: object): value is CompressionStream {
    return #ends in value;
  }
}

class DecompressionStream {
  #ends: ReturnType<typeof endsOf>;

  constructor(format: unknown) {
    requireArguments(arguments.length, 1, "construct 'DecompressionStream'");
    const known = toFormat(format, "DecompressionStream");
    const input = new Input();
    let given = 0;
    let nextAt = 0;
    const decompress = (controller: Stream, final: boolean): void => {
      const args = objectToJson({ __proto__: null, format: known, final, skip: given });
      askWorker("zlib.decompress", args, typedArrayBuffer(input.all()));
      given += enqueueAnswer(controller);
    };
    this.#ends = endsOf(
      createTransform({
        __proto__: null,
        transform: (chunk: unknown, controller: Stream) => {
          input.add(chunk, "DecompressionStream");
          if (input.length < nextAt) return;
          if (input.length > SMALL_BYTES) nextAt = input.length * GROWTH;
          decompress(controller, false);
        },
        flush: (controller: Stream) => decompress(controller, true),
      }),
    );
  }

  get readable(): Stream {
    return this.#ends.readable;
  }

  get writable(): Stream {
    return this.#ends.writable;
  }

  static isDecompression(this: void, value: object): value is DecompressionStream {
    return #ends in value;
  }
}

function toFormat(value: unknown, what: string): string {
  const format = toDomString(value);
  if (format === "gzip" || format === "deflate" || format === "deflate-raw") return format;
  throw new PrimordialTypeError(
    `Failed to construct '${what}': The provided value '${format}' is not a valid enum value of type CompressionFormat`,
  );
}

/** @returns number of bytes in the answer */
function enqueueAnswer(controller: Stream): number {
  const bytes = new PrimordialUint8Array(takeAnswerBytes() ?? new PrimordialArrayBuffer(0));
  const length = typedArrayLength(bytes);
  if (length > 0) enqueueTransformed(controller, bytes);
  return length;
}

export function installCompressionStreams(global: object): void {
  const { isCompression } = CompressionStream;
  const { isDecompression } = DecompressionStream;
  Reflect.deleteProperty(CompressionStream, "isCompression");
  Reflect.deleteProperty(DecompressionStream, "isDecompression");
  exposeInterface(global, "CompressionStream", CompressionStream);
  exposeInterface(global, "DecompressionStream", DecompressionStream);
  showAs((value) => {
    if (!isCompression(value) && !isDecompression(value)) return undefined;
    const { readable, writable } = value;
    return { name: isCompression(value) ? "CompressionStream" : "DecompressionStream", members: { readable, writable } };
  });
}
