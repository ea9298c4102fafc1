/** Blobs, files, forms and message channels, as a plugin sees them. */

import type { ApiGroup } from "./api-group.ts";

const BLOBS = `
type BlobPart = ArrayBufferView<ArrayBufferLike> | ArrayBufferLike | Blob | string;
interface BlobPropertyBag {
  endings?: "native" | "transparent";
  type?: string;
}
interface FilePropertyBag extends BlobPropertyBag {
  lastModified?: number;
}
declare class Blob {
  constructor(blobParts?: Iterable<BlobPart>, options?: BlobPropertyBag);
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  slice(start?: number, end?: number, contentType?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
  textStream(): ReadableStream<string>;
}
declare class File extends Blob {
  constructor(fileBits: Iterable<BlobPart>, fileName: string, options?: FilePropertyBag);
  readonly lastModified: number;
  readonly name: string;
}
type FormDataEntryValue = File | string;
declare class FormData {
  constructor();
  append(name: string, value: string | Blob, fileName?: string): void;
  delete(name: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, fileName?: string): void;
  entries(): IterableIterator<[string, FormDataEntryValue]>;
  forEach(callback: (value: FormDataEntryValue, key: string, parent: FormData) => void, thisArg?: any): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<FormDataEntryValue>;
  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]>;
}
`;

const HANDLERS = ["error", "loadstart", "load", "loadend", "progress", "abort"];

const READER = `
interface ProgressEventInit extends EventInit {
  lengthComputable?: boolean;
  loaded?: number;
  total?: number;
}
declare class ProgressEvent extends Event {
  constructor(type: string, options?: ProgressEventInit);
  readonly lengthComputable: boolean;
  readonly loaded: number;
  readonly total: number;
}
declare class FileReader extends EventTarget {
  static readonly EMPTY: 0;
  static readonly LOADING: 1;
  static readonly DONE: 2;
  readonly EMPTY: 0;
  readonly LOADING: 1;
  readonly DONE: 2;
  readonly error: DOMException | null;
  readonly readyState: number;
  readonly result: string | ArrayBuffer | null;
${HANDLERS.map((name) => `  on${name}: ((this: FileReader, event: ProgressEvent) => any) | null;`).join("\n")}
  abort(): void;
  readAsArrayBuffer(blob: Blob): void;
  readAsBinaryString(blob: Blob): void;
  readAsDataURL(blob: Blob): void;
  readAsText(blob: Blob, encoding?: string): void;
}
`;

const MESSAGES = `
declare class MessagePort extends EventTarget {
  private constructor();
  onclose: ((this: MessagePort, event: Event) => any) | null;
  onmessage: ((this: MessagePort, event: MessageEvent) => any) | null;
  onmessageerror: ((this: MessagePort, event: MessageEvent) => any) | null;
  close(): void;
  hasRef(): boolean;
  postMessage(message: any, transfer: (ArrayBuffer | MessagePort)[]): void;
  postMessage(message: any, options?: { transfer?: (ArrayBuffer | MessagePort)[] }): void;
  ref(): void;
  start(): void;
  unref(): void;
}
declare class MessageChannel {
  readonly port1: MessagePort;
  readonly port2: MessagePort;
}
`;

/** Available to every plugin. */
export const FILE_API: readonly ApiGroup[] = [{ text: BLOBS }, { text: READER }, { text: MESSAGES }];
