/** Writes log lines to a stream. Lines that do not fit because the stream is slow are dropped and counted. */

import { droppedText } from "../../../sandbox/mod.ts";
import type { StreamWriter } from "../stream-writer.ts";

export class BoundedLines {
  readonly #writer: StreamWriter;
  readonly #toLine: (text: string) => string;
  #lines = 0;
  #dropped = 0;

  /** @param toLine makes the line that reports dropped lines */
  constructor(writer: StreamWriter, toLine: (text: string) => string) {
    this.#writer = writer;
    this.#toLine = toLine;
  }

  /** Writes a line or drops it. @param owner the plugin that the line is from or about */
  add(line: string, owner: string | undefined): void {
    if (this.#writer.isIdle && this.#dropped === 0) this.#lines = 0;
    this.#lines++;
    if (this.#writer.offer(line, owner)) return;
    this.#dropped++;
    if (this.#dropped === 1) this.#writer.onRoom(() => this.#tell());
  }

  #tell(): void {
    const text = droppedText(this.#lines, this.#dropped);
    this.#lines = 0;
    this.#dropped = 0;
    this.#writer.offer(this.#toLine(text));
  }
}

/** Returns the plugin named by a line's fields, or by the fields of the event in it. */
export function ownerOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const named: unknown = fields["plugin"] ?? Reflect.get(Object(fields["event"]), "plugin");
  return typeof named === "string" ? named : undefined;
}
