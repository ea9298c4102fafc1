/** The host's log, and what plugins write to `console`, on a person's terminal. */

import { ownerOf } from "../../platform/network/bounded-lines.ts";
import type { Log, LogLevel } from "../../platform/platform.ts";
import type { Output } from "./output.ts";
import { timeOf } from "./live-lines.ts";
import { printable, printableLines } from "../../primitives/text.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** Fields that lines do not repeat: they are noise to a reader. */
const QUIET_FIELDS: ReadonlySet<string> = new Set(["callId", "sessionId", "turnId", "digest", "traceparent", "plugin", "tool"]);

/** What is shown. */
export interface TerminalLogOptions {
  readonly output: Output;
  /** The host's own lines from this level on; what plugins write is shown from `info` on. */
  readonly level: LogLevel;
  /** Milliseconds since the epoch, where lines begin with the time. */
  readonly now?: () => number;
}

/** Lines on stderr. Guest text is made inert. */
export function createTerminalLog(options: TerminalLogOptions): Log {
  return logWith(options, {});
}

function logWith(options: TerminalLogOptions, bound: Readonly<Record<string, unknown>>): Log {
  return {
    write(level, message, fields = {}) {
      // Events have lines of their own in `dev`, and results say the rest.
      if (fields["event"] !== undefined) return;
      const guest = guestText(message, fields);
      if (LEVELS.indexOf(level) < LEVELS.indexOf(guest === undefined ? options.level : "info")) return;
      const time = options.now ? `${options.output.style.dim(timeOf(options.now()))} ` : "";
      const all = { ...bound, ...fields };
      options.output.note(`${time}${lineOf(options.output, level, message, all)}`, ownerOf(all));
    },
    child: (fields) => logWith(options, { ...bound, ...fields }),
  };
}

/** What a guest wrote to `console` comes in a field, so that it can be nothing else than text. */
function guestText(message: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  return message === "guest" && typeof fields["text"] === "string" ? fields["text"] : undefined;
}

function lineOf(output: Output, level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): string {
  const { style } = output;
  const who = ["tool", "plugin"].map((name) => fields[name]).find((value) => typeof value === "string");
  const color = { debug: style.dim, info: style.dim, warn: style.yellow, error: style.red }[level];
  const guest = guestText(message, fields);
  const rest = Object.entries(fields).filter(([name]) => !QUIET_FIELDS.has(name) && !(guest !== undefined && name === "text"));
  const details = rest.map(([name, value]) => `${printable(name)}=${printable(fieldText(value))}`).join(" ");
  const text = indented(guest ?? message);
  // A defect's stack is what its report needs.
  const stacks = level === "error" ? rest.flatMap(([, value]) => (value instanceof Error ? [indented(`\n${value.stack ?? ""}`)] : [])) : [];
  return `${color(level.padEnd(8))} ${typeof who === "string" ? `${style.bold(printable(who))} ` : ""}${text}${details === "" ? "" : style.dim(` ${details}`)}${style.dim(stacks.join(""))}`;
}

function indented(text: string): string {
  return printableLines(text).replaceAll("\n", "\n         ");
}

function fieldText(value: unknown): string {
  if (value instanceof Error) return value.message;
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? String(value);
}
