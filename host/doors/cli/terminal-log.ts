/** Writes the host's log, and the console output of plugins, to the terminal. */

import { isExpected } from "../../platform/error-text.ts";
import { ownerOf } from "../../platform/network/bounded-lines.ts";
import type { Log, LogLevel } from "../../platform/platform.ts";
import type { Output } from "./output.ts";
import { printable, printableLines } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** Fields that are left out: they are noise on a terminal. */
const QUIET_FIELDS: ReadonlySet<string> = new Set(["callId", "sessionId", "turnId", "digest", "traceparent", "plugin", "tool"]);

/** Options of the log. */
interface TerminalLogOptions {
  readonly output: Output;
  /** Minimum level of the host's messages. Console output of plugins is shown from `info` on. */
  readonly level: LogLevel;
  /** Clock in milliseconds since the epoch. If present, lines start with the time. */
  readonly now?: () => number;
}

/** Creates a log that writes lines to stderr. Guest text is made inert. */
export function createTerminalLog(options: TerminalLogOptions): Log {
  return logWith(options, {});
}

function logWith(options: TerminalLogOptions, bound: Readonly<Record<string, unknown>>): Log {
  return {
    write(level, message, fields = {}) {
      // Skip events: `dev` shows them in its own lines, and results contain the rest.
      if (fields["event"] !== undefined) return;
      const guest = guestText(message, fields);
      if (LEVELS.indexOf(level) < LEVELS.indexOf(guest === undefined ? options.level : "info")) return;
      const time = options.now ? `${options.output.style.dim(timeOf(options.now()))} ` : "";
      const all = { ...bound, ...fields };
      options.output.note(`${time}${lineOf(options, level, message, all)}`, ownerOf(all));
    },
    child: (fields) => logWith(options, { ...bound, ...fields }),
  };
}

/** Returns a guest's console output. It is passed in a field, so that it cannot be mistaken for a message of the host. */
function guestText(message: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  return message === "guest" && typeof fields["text"] === "string" ? fields["text"] : undefined;
}

function lineOf({ output, now }: TerminalLogOptions, level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): string {
  const { style } = output;
  const who = ["tool", "plugin"].map((name) => fields[name]).find((value) => typeof value === "string");
  const color = { debug: style.dim, info: style.dim, warn: style.yellow, error: style.red }[level];
  const guest = guestText(message, fields);
  const rest = Object.entries(fields).filter(([name]) => !QUIET_FIELDS.has(name) && !(guest !== undefined && name === "text"));
  const details = rest
    .map(
      ([name, value]) =>
        `${printable(name)}=${printable(asTyped(now === undefined ? withoutStack(fieldText(value)) : fieldText(value), output.program))}`,
    )
    .join(" ");
  const text = indented(guest ?? asTyped(message, output.program));
  // Include the stack of defects, which a bug report needs.
  const stacks =
    level === "error"
      ? rest.flatMap(([, value]) => (value instanceof Error && !isExpected(value) ? [indented(`\n${value.stack ?? ""}`)] : []))
      : [];
  return `${color(level.padEnd(8))} ${typeof who === "string" ? `${style.bold(printable(who))} ` : ""}${text}${details === "" ? "" : style.dim(` ${details}`)}${style.dim(stacks.join(""))}`;
}

/** Cuts the stack of an error that was logged as text. In a command that ends at once the message has to do. */
function withoutStack(text: string): string {
  const [message = ""] = text.split(/\n +at /u);
  return message === text ? text : message.replace(/^Error: /u, "");
}

function indented(text: string): string {
  return printableLines(text).replaceAll("\n", "\n         ");
}

function fieldText(value: unknown): string {
  if (value instanceof Error) return value.message;
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? String(value);
}

/** Formats the time at the start of a line: `19:55:36`. */
export function timeOf(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}
