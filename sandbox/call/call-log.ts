/** What one call logs: counted at what it costs, kept within the call's limit, and sent to the host in parts. */

import type { LogState } from "./resting-call.ts";
import { readLogLine } from "./status.ts";
import type { LogCredit } from "./log-credit.ts";
import type { LogLine } from "../invocation.ts";
import type { WorkerMessage } from "../worker/protocol.ts";
import type { Limits } from "../../manifests/mod.ts";

/** What a line costs besides its text: it is written with its time, its level and the ids of its call. */
export const LOG_LINE_BYTES = 256;
/** The line that says how many were dropped comes on top of a call's limit. */
export const LAST_LINE_BYTES: number = LOG_LINE_BYTES + 64;

/** 64 lines at most: the host's thread takes a part in without a pause. */
const PART_BYTES = 16_384;
/** A line waits no longer for the next ones while the guest computes. */
const PART_MS = 50;

const NOTHING_LOGGED: LogState = { bytes: 0, lines: 0, dropped: 0 };

/** What a log needs of its worker. */
export interface LogEnvironment {
  now(): number;
  readonly logCredit: LogCredit;
  post(message: WorkerMessage): void;
}

interface LoggedCall {
  readonly number: number;
  /** Of the plugin, which has a share of what may be on its way. */
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

  /** After `flush`. */
  get state(): LogState {
    return { bytes: this.#bytes, lines: this.#lines, dropped: this.#dropped };
  }

  /** What all lines so far cost, dropped ones included: the same whenever the call runs again. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a line, and keeps it if it is within the limit. */
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

  /** Sends what has waited for long. */
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
