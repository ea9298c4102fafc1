/** `FileReader` and `ProgressEvent` (https://w3c.github.io/FileAPI/#APIASynch): reads blobs in tasks, with events. */

import { type Blob, blobBytes, blobType, isBlob } from "./blob.ts";
import { bufferOf, ownBytes } from "./bytes.ts";
import { askWorker } from "../call/channel.ts";
import { DOMException } from "./dom-exception.ts";
import { TextDecoder } from "./encoding.ts";
import { Event } from "./event.ts";
import { eventHandler, EventTarget, fire } from "./event-target.ts";
import { parseMimeType } from "./mime-type.ts";
import { type Callable, PrimordialTypeError, reflectApply, typedArrayLength } from "../language/primordials.ts";
import { startTimer, stopTimer } from "./timers.ts";
import { constant, exposeInterface, requireArguments, showAs, toDictionary, toDomString } from "./webidl.ts";

const decode = TextDecoder.prototype.decode as unknown as Callable;

const EMPTY = 0;
const LOADING = 1;
const DONE = 2;

class ProgressEvent extends Event {
  #lengthComputable: boolean;
  #loaded: number;
  #total: number;

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const { lengthComputable, loaded, total } = toDictionary(options, "Failed to construct 'ProgressEvent'");
    this.#lengthComputable = !!lengthComputable;
    this.#loaded = loaded === undefined ? 0 : +(loaded as number);
    this.#total = total === undefined ? 0 : +(total as number);
  }

  get lengthComputable(): boolean {
    return this.#lengthComputable;
  }

  get loaded(): number {
    return this.#loaded;
  }

  get total(): number {
    return this.#total;
  }
}

type Convert = (blob: Blob) => string | ArrayBuffer;

class FileReader extends EventTarget {
  #readyState = EMPTY;
  #result: string | ArrayBuffer | null = null;
  #error: DOMException | null = null;
  #task: number | undefined;

  get readyState(): number {
    return this.#readyState;
  }

  get result(): string | ArrayBuffer | null {
    return this.#result;
  }

  get error(): DOMException | null {
    return this.#error;
  }

  abort(): void {
    if (this.#readyState !== LOADING) {
      this.#result = null;
      return;
    }
    this.#readyState = DONE;
    this.#result = null;
    if (this.#task !== undefined) stopTimer(this.#task);
    this.#error = new DOMException("The read was aborted", "AbortError");
    this.#fire("abort");
    if (this.#readyState !== LOADING) this.#fire("loadend");
  }

  readAsArrayBuffer(blob: unknown): void {
    requireArguments(arguments.length, 1, "execute 'readAsArrayBuffer' on 'FileReader'");
    this.#read(blob, (given) => bufferOf(ownBytes(blobBytes(given))));
  }

  readAsBinaryString(blob: unknown): void {
    requireArguments(arguments.length, 1, "execute 'readAsBinaryString' on 'FileReader'");
    this.#read(blob, (given) => `${askWorker("text.atobJson", `"${toBase64(given)}"`) as string}`);
  }

  readAsDataURL(blob: unknown): void {
    requireArguments(arguments.length, 1, "execute 'readAsDataURL' on 'FileReader'");
    this.#read(blob, (given) => `data:${blobType(given) || "application/octet-stream"};base64,${toBase64(given)}`);
  }

  readAsText(blob: unknown, encoding: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'readAsText' on 'FileReader'");
    const label = encoding === undefined ? undefined : toDomString(encoding);
    this.#read(blob, (given) => reflectApply(decode, decoderFor(given, label), [blobBytes(given)]) as string);
  }

  #read(blob: unknown, convert: Convert): void {
    if (typeof blob !== "object" || blob === null || !isBlob(blob)) {
      throw new PrimordialTypeError("Failed to execute 'read' on 'FileReader': Argument 1 is not a Blob");
    }
    if (this.#readyState === LOADING) throw new DOMException("The FileReader is reading already", "InvalidStateError");
    this.#readyState = LOADING;
    this.#result = null;
    this.#error = null;
    const size = typedArrayLength(blobBytes(blob));
    // Each event is its own task: code that awaits one event runs before the next.
    this.#later(() => {
      this.#fire("loadstart", 0, size);
      this.#go(() => {
        if (size > 0) this.#fire("progress", size, size);
        this.#go(() => {
          this.#readyState = DONE;
          this.#result = convert(blob);
          this.#fire("load", size, size);
          this.#task = undefined;
          startTimer(() => {
            if (this.#readyState === DONE && this.#task === undefined) this.#fire("loadend", size, size);
          }, 0);
        });
      });
    });
  }

  /** Runs the task unless the read was aborted in the meantime. */
  #go(task: () => void): void {
    if (this.#readyState === LOADING) this.#later(task);
  }

  #later(task: () => void): void {
    this.#task = startTimer(task, 0);
  }

  /** An event without a total belongs to an aborted read. */
  #fire(type: string, loaded = 0, total?: number): void {
    fire(this, new ProgressEvent(type, { __proto__: null, lengthComputable: total !== undefined, loaded, total: total ?? 0 }));
  }

  static isReader(this: void, value: object): value is FileReader {
    return #readyState in value;
  }
}

function toBase64(blob: Blob): string {
  return `${askWorker("base64.encode", "{}", bufferOf(ownBytes(blobBytes(blob)))) as string}`;
}

/** Chooses by byte order mark, then the given label, then the charset of the blob's type, then UTF-8. */
function decoderFor(blob: Blob, label: string | undefined): TextDecoder {
  const [first, second] = [blobBytes(blob)[0], blobBytes(blob)[1]];
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be");
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
  return knownDecoder(label) ?? knownDecoder(parseMimeType(blobType(blob))?.parameters["charset"]) ?? new TextDecoder();
}

function knownDecoder(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label);
  } catch {
    // An unknown label is ignored (https://w3c.github.io/FileAPI/#packaging-data).
    return undefined;
  }
}

export function installFileReader(global: object): void {
  const { isReader } = FileReader;
  Reflect.deleteProperty(FileReader, "isReader");
  for (const [name, value] of [
    ["EMPTY", EMPTY],
    ["LOADING", LOADING],
    ["DONE", DONE],
  ] as const) {
    constant(FileReader, name, value);
    constant(FileReader.prototype, name, value);
  }
  exposeInterface(global, "ProgressEvent", ProgressEvent);
  exposeInterface(global, "FileReader", FileReader);
  for (const type of ["error", "loadstart", "load", "loadend", "progress", "abort"]) eventHandler(FileReader.prototype, type);
  showAs((value) => {
    if (!isReader(value)) return undefined;
    const { error, readyState, result } = value;
    return { name: "FileReader", members: { error, readyState, result } };
  });
}
