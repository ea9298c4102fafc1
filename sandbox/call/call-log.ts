/** What one call logs: counted at what it costs, kept within the call's limit, and sent to the host in parts. */

import { readLogLine } from "./status.ts";
import type { LogCredit } from "./log-credit.ts";
import type { LogLine } from "../invocation.ts";

/** What a line costs besides its text: it is written with its time, its level and the ids of its call. */
export const LOG_LINE_BYTES = 256;
/** The line that says how many were dropped comes on top of a call's limit. */
export const LAST_LINE_BYTES: number = LOG_LINE_BYTES + 64;

/** 64 lines at most: the host's thread takes a part in without a pause. */
const PART_BYTES = 16_384;
/** A line waits no longer for the next ones while the guest computes. */
const PART_MS = 50;

export interface CallLogOptions {
  readonly maximumBytes: number;
  readonly now: () => number;
  readonly credit: LogCredit;
  /** The plugin that the host's attention is shared by. */
  readonly owner: string;
  readonly post: (lines: readonly LogLine[]) => void;
}

export class CallLog {
  readonly #options: CallLogOptions;
  #bytes = 0;
  #lines = 0;
  #dropped = 0;
  #unsentBytes = 0;
  #unsentSince = 0;
  #unsent: LogLine[] = [];

  constructor(options: CallLogOptions) {
    this.#options = options;
  }

  /** What all lines so far cost, dropped ones included: the same whenever the call runs again. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a line, and keeps it if it is within the limit. */
  add(text: string): void {
    const { maximumBytes, now } = this.#options;
    const line = readLogLine(text);
    const bytes = costOf(line[1]);
    this.#lines++;
    this.#bytes += bytes;
    if (this.#bytes > maximumBytes) return void this.#dropped++;
    if (this.#unsentBytes + bytes > PART_BYTES) this.flush();
    if (this.#unsent.length === 0) this.#unsentSince = now();
    this.#unsent.push(line);
    this.#unsentBytes += bytes;
  }

  /** Sends what has waited for long. */
  flushOld(): void {
    if (this.#unsent.length > 0 && this.#options.now() - this.#unsentSince >= PART_MS) this.flush();
  }

  flush(): void {
    const lines = this.#take();
    if (lines.length === 0) return;
    const { credit, owner, post } = this.#options;
    if (credit.take(owner, lines.bytes)) post(lines.all);
    else this.#dropped += lines.length;
  }

  /** For the call's last message: what was not sent yet, and a line of the host's on what was dropped. */
  close(): readonly LogLine[] {
    const { all } = this.#take();
    return this.#dropped === 0 ? all : [...all, ["warn", droppedText(this.#lines, this.#dropped)]];
  }

  #take(): { readonly all: readonly LogLine[]; readonly length: number; readonly bytes: number } {
    const all = this.#unsent;
    const bytes = this.#unsentBytes;
    this.#unsent = [];
    this.#unsentBytes = 0;
    return { all, length: all.length, bytes };
  }
}

/** How a log says that lines are missing: "1,000,000 lines, 999,000 dropped". */
export function droppedText(lines: number, dropped: number): string {
  return `${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}, ${dropped.toLocaleString("en-US")} dropped`;
}

/** As it is written: in UTF-8, and what JSON escapes or a reader would not see as `\uXXXX`. At most that. */
function costOf(text: string): number {
  let bytes = LOG_LINE_BYTES;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x20 && unit < 0x7f) bytes += unit === 0x22 || unit === 0x5c ? 2 : 1;
    else if (unit < 0xa0 || (unit >= 0x2000 && unit < 0x2070) || (unit >= 0xd800 && unit < 0xe000)) bytes += ESCAPED_BYTES;
    else bytes += 3;
  }
  return bytes;
}

const ESCAPED_BYTES = 6;
