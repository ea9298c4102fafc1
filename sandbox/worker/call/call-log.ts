/** The log of one call: counts the cost of each line, enforces the call's limit, and sends lines to the host in batches. */

import { droppedText, LOG_LINE_BYTES } from "../../wire/log-lines.ts";
import type { LogState } from "../../wire/resting-call.ts";
import { readLogLine } from "../../wire/status.ts";
import type { LogCredit } from "./log-credit.ts";
import type { LogLine } from "../../wire/invocation.ts";
import type { WorkerMessage } from "../../wire/protocol.ts";
import type { Limits } from "../../../manifests/mod.ts";

/** Batch size. At most 64 lines, which the host's thread takes in without a pause. */
const PART_BYTES = 16_384;
/** Maximum milliseconds that a line waits for its batch while the guest computes. */
const PART_MS = 50;

const NOTHING_LOGGED: LogState = { bytes: 0, lines: 0, dropped: 0 };

/** The parts of its worker that a log needs. */
export interface LogEnvironment {
  now(): number;
  readonly logCredit: LogCredit;
  post(message: WorkerMessage): void;
}

interface LoggedCall {
  readonly number: number;
  /** Hash of the plugin, which has a share of the log bytes in flight. */
  readonly digest: string;
  readonly limits: Pick<Limits, "logBytes">;
}

export class CallLog {
  readonly #call: LoggedCall;
  readonly #env: LogEnvironment;
  #bytes: number;
  #lines: number;
  #dropped: number;
  #unsentBytes = 0;
  #unsentSince = 0;
  #unsent: LogLine[] = [];

  constructor(call: LoggedCall, env: LogEnvironment, from: LogState = NOTHING_LOGGED) {
    this.#call = call;
    this.#env = env;
    this.#bytes = from.bytes;
    this.#lines = from.lines;
    this.#dropped = from.dropped;
  }

  /** State of the log. Call `flush` first. */
  get state(): LogState {
    return { bytes: this.#bytes, lines: this.#lines, dropped: this.#dropped };
  }

  /** Cost in bytes of all lines so far, including dropped ones. Deterministic for the same call. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a line, and keeps it if the call is within its limit. */
  add(text: string): void {
    const line = readLogLine(text);
    const bytes = costOf(line[1]);
    this.#lines++;
    this.#bytes += bytes;
    if (this.#bytes > this.#call.limits.logBytes) return void this.#dropped++;
    if (this.#unsentBytes + bytes > PART_BYTES) this.flush();
    if (this.#unsent.length === 0) this.#unsentSince = this.#env.now();
    this.#unsent.push(line);
    this.#unsentBytes += bytes;
  }

  /** Sends the batch if its oldest line has waited for `PART_MS`. */
  flushOld(): void {
    if (this.#unsent.length > 0 && this.#env.now() - this.#unsentSince >= PART_MS) this.flush();
  }

  flush(): void {
    const lines = this.#take();
    if (lines.length === 0) return;
    const { number, digest } = this.#call;
    if (this.#env.logCredit.take(digest, lines.bytes)) this.#env.post({ type: "logs", number, lines: lines.all });
    else this.#dropped += lines.length;
  }

  /** Returns the unsent lines for the call's last message, with a final line that counts the dropped ones. */
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

/** Upper bound of a line's size when written: UTF-8, with `\uXXXX` for characters that JSON escapes or that are invisible. */
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
