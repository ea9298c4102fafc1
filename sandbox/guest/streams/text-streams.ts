/** `TextEncoderStream` and `TextDecoderStream` (https://encoding.spec.whatwg.org/#interface-textdecoderstream). */

import { encodeUtf8, TextDecoder } from "../web/encoding.ts";
import {
  type Callable,
  PrimordialTypeError,
  reflectApply,
  stringCharCodeAt,
  stringSlice,
  typedArrayLength,
} from "../language/primordials.ts";
import { createTransform, endsOf, enqueueTransformed, type Stream } from "./web-streams.ts";
import { exposeInterface, showAs, toDomString } from "../web/webidl.ts";

/** Captured before any plugin runs, so that later changes of the class have no effect on streams. */
const decode = TextDecoder.prototype.decode as unknown as Callable;

export class TextEncoderStream {
  /** A high surrogate at the end of the last chunk, which may continue in the next. */
  #pending = "";
  #ends = endsOf(
    createTransform({
      __proto__: null,
      transform: (chunk: unknown, controller: Stream) => this.#encode(toDomString(chunk), controller),
      flush: (controller: Stream) => {
        if (this.#pending !== "") enqueueTransformed(controller, encodeUtf8(this.#pending));
      },
    }),
  );

  get encoding(): string {
    void this.#ends;
    return "utf-8";
  }

  get readable(): Stream {
    return this.#ends.readable;
  }

  get writable(): Stream {
    return this.#ends.writable;
  }

  #encode(chunk: string, controller: Stream): void {
    const text = this.#pending + chunk;
    const isCut = text !== "" && isHighSurrogate(stringCharCodeAt(text, text.length - 1));
    this.#pending = isCut ? stringSlice(text, text.length - 1) : "";
    const bytes = encodeUtf8(isCut ? stringSlice(text, 0, text.length - 1) : text);
    if (typedArrayLength(bytes) > 0) enqueueTransformed(controller, bytes);
  }

  static isEncoderStream(this: void, value: object): value is TextEncoderStream {
    return #ends in value;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

class TextDecoderStream {
  #decoder: TextDecoder;
  #ends: ReturnType<typeof endsOf>;

  constructor(label: unknown = "utf-8", options: unknown = undefined) {
    this.#decoder = new TextDecoder(label, options);
    this.#ends = endsOf(
      createTransform({
        __proto__: null,
        transform: (chunk: unknown, controller: Stream) => {
          if (chunk === undefined) throw new PrimordialTypeError("The chunk is not an ArrayBuffer or a view of one");
          this.#decode(controller, [chunk, STREAMING]);
        },
        flush: (controller: Stream) => this.#decode(controller, []),
      }),
    );
  }

  get encoding(): string {
    return this.#decoder.encoding;
  }

  get fatal(): boolean {
    return this.#decoder.fatal;
  }

  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }

  get readable(): Stream {
    return this.#ends.readable;
  }

  get writable(): Stream {
    return this.#ends.writable;
  }

  #decode(controller: Stream, args: readonly unknown[]): void {
    const text = reflectApply(decode, this.#decoder, args);
    if (text !== "") enqueueTransformed(controller, text);
  }

  static ends(this: void, stream: TextDecoderStream): ReturnType<typeof endsOf> {
    return stream.#ends;
  }

  static isDecoderStream(this: void, value: object): value is TextDecoderStream {
    return #decoder in value;
  }
}

const STREAMING = { __proto__: null, stream: true };

/** Creates the ends of a new decoder, because a plugin may have changed the getters of the class. */
export function createTextDecoderEnds(): ReturnType<typeof endsOf> {
  return decoderEnds(new TextDecoderStream());
}

const decoderEnds = TextDecoderStream.ends;

export function installTextStreams(global: object): void {
  const { isEncoderStream } = TextEncoderStream;
  const { isDecoderStream } = TextDecoderStream;
  Reflect.deleteProperty(TextEncoderStream, "isEncoderStream");
  Reflect.deleteProperty(TextDecoderStream, "isDecoderStream");
  Reflect.deleteProperty(TextDecoderStream, "ends");
  exposeInterface(global, "TextEncoderStream", TextEncoderStream);
  exposeInterface(global, "TextDecoderStream", TextDecoderStream);
  showAs((value) => {
    if (isEncoderStream(value)) {
      const { encoding, readable, writable } = value;
      return { name: "TextEncoderStream", members: { encoding, readable, writable } };
    }
    if (!isDecoderStream(value)) return undefined;
    const { encoding, fatal, ignoreBOM, readable, writable } = value;
    return { name: "TextDecoderStream", members: { encoding, fatal, ignoreBOM, readable, writable } };
  });
}
