/** What one call logged: bounded, and sent to the host in parts as it goes. */

import { readLogLine } from "./status.ts";
import type { LogLine } from "../worker/protocol.ts";

/** What is sent as one: the host's thread takes it in without a pause. */
const PART_BYTES = 16_384;
const PART_LINES = 500;

export class CallLog {
  readonly #maximumBytes: number;
  readonly #post: (lines: readonly LogLine[]) => void;
  #bytes = 0;
  #unsentBytes = 0;
  #unsent: LogLine[] = [];

  constructor(maximumBytes: number, post: (lines: readonly LogLine[]) => void) {
    this.#maximumBytes = maximumBytes;
    this.#post = post;
  }

  /** Of all lines so far, each with its end. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Lines that were not sent yet; for the call's last message. */
  get unsent(): readonly LogLine[] {
    return this.#unsent;
  }

  /** @returns false if the limit is used up: the line is not kept. */
  add(text: string): boolean {
    const line = readLogLine(text);
    // Lines without text are lines too.
    const bytes = line[1].length + 1;
    this.#bytes += bytes;
    if (this.#bytes > this.#maximumBytes) return false;
    this.#unsent.push(line);
    this.#unsentBytes += bytes;
    if (this.#unsentBytes > PART_BYTES || this.#unsent.length >= PART_LINES) this.flush();
    return true;
  }

  flush(): void {
    if (this.#unsent.length === 0) return;
    this.#post(this.#unsent);
    this.#unsent = [];
    this.#unsentBytes = 0;
  }
}
