/**
 * Writes text to a stream or a file in order.
 *
 * Node writes to files and terminals synchronously, and Deno to pipes too, so a slow or unread stream would block the host (SPEC LV1). This
 * writer writes one piece at a time, asynchronously, and queues the rest.
 */

import { fstatSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { Writable } from "node:stream";

/** Destination of the pieces. */
interface WriteTarget {
  /** Writes all bytes; `done` is called in a later turn. */
  write(bytes: Uint8Array, done: (error?: unknown) => void): void;
  /** Writes what the system accepts without blocking, at the end of the process. */
  writeLast(bytes: Uint8Array): void;
}

/** Characters per piece: the capacity of a pipe on Linux. */
export const PIECE_LENGTH = 65_536;
/** Maximum length of waiting lines that may be dropped, in characters. */
const MAX_LINES_LENGTH: number = 1024 * 1024;

const LOOK_EVERY_MS = 5;

interface Waiting {
  readonly text: string;
  /** Position up to which the text is written. */
  from: number;
  readonly owner: string | undefined;
}

export class StreamWriter {
  readonly #target: WriteTarget;
  #queue: Waiting[] = [];
  #isWriting = false;
  #isOver = false;
  #length = 0;
  /** Number of pieces written. */
  #pieces = 0;
  readonly #held: Map<string, number> = new Map();
  readonly #waiters: Set<{ readonly most: number; readonly resolve: () => void }> = new Set();
  #onFailure: (error: unknown) => void = () => {};

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  /** Characters that were accepted and are not written yet. */
  get length(): number {
    return this.#length;
  }

  /** Whether nothing is being written or waiting. */
  get isIdle(): boolean {
    return !this.#isWriting;
  }

  /** Registers a listener for write errors. After an error that `isGone`, nothing more is written. */
  onFailure(listener: (error: unknown) => void): void {
    this.#onFailure = listener;
  }

  /** Queues all of the text. Await `drained` when writing more than a few results. */
  write(text: string): void {
    this.#add({ text, from: 0, owner: undefined });
  }

  /**
   * Queues a line that may be dropped, if there is room. A plugin's lines may take as much room as is still free: a plugin that floods gets
   * half and leaves half to the others. Only the host's own lines may take all of it.
   *
   * @param owner the plugin of the line
   */
  offer(text: string, owner?: string): boolean {
    const free = MAX_LINES_LENGTH - this.#length;
    if (text.length + (owner === undefined ? 0 : (this.#held.get(owner) ?? 0)) > free) return false;
    this.#add({ text, from: 0, owner });
    return true;
  }

  /** Resolves when at most `most` characters are waiting, when writing has ended, or when the signal fires. */
  async drained(most: number, signal?: AbortSignal): Promise<void> {
    if (this.#length <= most || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        this.#waiters.delete(waiter);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const waiter = { most, resolve: end };
      this.#waiters.add(waiter);
      signal?.addEventListener("abort", end);
    });
  }

  /** Resolves when everything is written, or after `timeoutMs` without progress. */
  async settled(timeoutMs: number): Promise<void> {
    let pieces = this.#pieces;
    for (let waitedMs = 0; this.#isWriting && waitedMs < timeoutMs; waitedMs += LOOK_EVERY_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      if (this.#pieces !== pieces) waitedMs = 0;
      pieces = this.#pieces;
    }
  }

  /** Calls the listener once when there is room for lines again. */
  onRoom(listener: () => void): void {
    this.#waiters.add({ most: MAX_LINES_LENGTH / 2, resolve: listener });
  }

  #add(waiting: Waiting): void {
    if (this.#isOver || waiting.text === "") return;
    this.#queue.push(waiting);
    this.#hold(waiting.owner, waiting.text.length);
    watchEnd();
    UNWRITTEN.add(this);
    if (!this.#isWriting) this.#writeNext();
  }

  #hold(owner: string | undefined, length: number): void {
    this.#length += length;
    if (owner === undefined) return;
    const held = (this.#held.get(owner) ?? 0) + length;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
  }

  readonly #writeNext = (): void => {
    const piece = this.#take(PIECE_LENGTH);
    this.#isWriting = piece !== "";
    if (piece === "") return void UNWRITTEN.delete(this);
    this.#target.write(UTF8.encode(piece), (error) => {
      this.#pieces += 1;
      if (error !== undefined && error !== null) this.#fail(error);
      for (const waiter of this.#waiters) if (this.#length <= waiter.most && this.#waiters.delete(waiter)) waiter.resolve();
      // Lets other work run between two pieces.
      setImmediate(this.#writeNext);
    });
  };

  #fail(error: unknown): void {
    if (isGone(error)) {
      this.#isOver = true;
      this.#take(Infinity);
    }
    this.#onFailure(error);
  }

  /** Takes text for one piece from the queue, without splitting a surrogate pair at its end. */
  #take(length: number): string {
    let piece = "";
    let taken = 0;
    for (const waiting of this.#queue) {
      if (piece.length >= length) break;
      const { text, from } = waiting;
      let to = Math.min(text.length, from + length - piece.length);
      if (to < text.length && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to++;
      piece += text.slice(from, to);
      waiting.from = to;
      this.#hold(waiting.owner, from - to);
      if (to === text.length) taken++;
    }
    this.#queue = this.#queue.slice(taken);
    return piece;
  }

  /** Writes the rest at the end of the process, without waiting. */
  writeLast(): void {
    const rest = this.#take(Infinity);
    if (rest !== "") this.#target.writeLast(UTF8.encode(rest));
  }
}

const UTF8 = new TextEncoder();

/** Whether an error means that the reader is gone (`bascule list | head`). */
export function isGone(error: unknown): boolean {
  return ["EPIPE", "ERR_STREAM_DESTROYED"].includes(String(Reflect.get(Object(error), "code")));
}

/** Writers with unwritten text. */
const UNWRITTEN = new Set<StreamWriter>();
let isWatching = false;

function watchEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const writer of UNWRITTEN) writer.writeLast();
  });
}

const STANDARD = new Map<1 | 2, StreamWriter>();

/** Returns the only writer of the process's standard output (1) or standard error (2). */
export function standardWriter(descriptor: 1 | 2): StreamWriter {
  const known = STANDARD.get(descriptor);
  if (known !== undefined) return known;
  const writer = new StreamWriter(standardTarget(descriptor));
  STANDARD.set(descriptor, writer);
  return writer;
}

/** Wraps the writer as a stream, which accepts the next piece when the last one is about to be written. */
export function toWritable(writer: StreamWriter): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writer.write(String(chunk));
      void writer.drained(PIECE_LENGTH).then(() => done());
    },
  });
}

/** Deno's object for a file or a stream. */
interface DenoFile {
  write(bytes: Uint8Array): Promise<number>;
  writeSync(bytes: Uint8Array): number;
}
interface DenoFiles {
  readonly stdout: DenoFile;
  readonly stderr: DenoFile;
  openSync(path: string, options: { readonly append: true; readonly create: true; readonly mode: number }): DenoFile;
}

/** Returns Deno's files; undefined on Node. */
export function denoFiles(): DenoFiles | undefined {
  return (globalThis as { readonly Deno?: DenoFiles }).Deno;
}

function standardTarget(descriptor: 1 | 2): WriteTarget {
  const isFile = fstatSync(descriptor).isFile();
  const deno = denoFiles();
  if (deno !== undefined) return denoTarget(descriptor === 1 ? deno.stdout : deno.stderr, isFile);
  const stream = descriptor === 1 ? process.stdout : process.stderr;
  const handle = handleOf(stream);
  return handle === undefined ? fileTarget(descriptor) : streamTarget(stream, handle, isatty(descriptor));
}

/** Creates the target of a Deno file. @param isFile whether its rest may be written synchronously at the end: a pipe could block forever */
export function denoTarget(file: DenoFile, isFile: boolean): WriteTarget {
  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
  }
  return {
    write: (bytes, done) => void writeAll(bytes).then(() => done(), done),
    writeLast(bytes) {
      for (let at = 0; isFile && at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    },
  };
}

/** Creates the target of a file, or a device other than a terminal, which the runtime's file threads write. */
export function fileTarget(descriptor: number): WriteTarget {
  return {
    write(bytes, done) {
      const next = (at: number): void =>
        write(descriptor, bytes, at, bytes.length - at, null, (error, written) => {
          if (error !== null) done(error);
          else if (at + written < bytes.length) next(at + written);
          else done();
        });
      next(0);
    },
    writeLast: (bytes) => writeWithoutWait(descriptor, bytes),
  };
}

/** Internal handle of Node's streams of pipes, sockets and terminals; missing in their types. */
interface StreamHandle {
  readonly fd?: number;
  readonly writeQueueSize?: number;
  setBlocking?(on: boolean): number;
}

function handleOf(stream: object): StreamHandle | undefined {
  return Reflect.get(stream, "_handle") as StreamHandle | undefined;
}

/**
 * Creates the target of a stream. Pipes and sockets do not block (as opened by Node, except on Windows). A terminal is set to non-blocking,
 * because Ctrl-S would stop the host.
 */
function streamTarget(stream: Writable, handle: StreamHandle, isTerminal: boolean): WriteTarget {
  if (isTerminal) handle.setBlocking?.(false);
  // `done` reports the error too.
  stream.on("error", () => {});
  return {
    write: (bytes, done) => void stream.write(bytes, done),
    writeLast(bytes) {
      // After half a piece the rest would not be a valid line.
      if (handle.writeQueueSize === 0 && handle.fd !== undefined && handle.fd >= 0) writeWithoutWait(handle.fd, bytes);
    },
  };
}

/** Writes as much as possible without waiting. */
function writeWithoutWait(descriptor: number, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
  } catch {
    // A full pipe or disk. The process is ending, so the error cannot be reported.
  }
}
