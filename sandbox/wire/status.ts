/** Parses what the guest's prelude reports. The text is hostile: anything malformed is ignored. */

import type { Fault, GuestToolError } from "./fault.ts";
import { nestsWithin } from "./marshal.ts";
import type { LogLine } from "./invocation.ts";
import { LOG_TEXT_LENGTH, MAXIMUM_LIST } from "./protocol.ts";

/** Status of a call (`Entry.poll` in `guest/call/protocol.ts`). */
type Status =
  | {
      readonly kind: "waiting";
      /** Milliseconds until the next timer. */ readonly timerMs: number | undefined;
      /** Peak number of waiting timers. */ readonly timers: number;
    }
  | { readonly kind: "done"; readonly output: string }
  | { readonly kind: "error"; readonly unhandled: boolean; readonly error: ErrorStatus }
  | { readonly kind: "fault"; readonly fault: Fault };

export interface ErrorStatus {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly toolError?: GuestToolError;
}

const STATUS_DEPTH = 32;
/** Maximum characters of an error with every character escaped. */
const MOST_SAID = 256 * 1024;
const LOG_LEVELS: ReadonlySet<string> = new Set(["debug", "info", "warn", "error"]);

export function readStatus(status: string): Status {
  // Only outputs may be longer. The prelude bounds everything else, and a guest that has replaced its prelude must not get more across.
  const text = status[0] === "d" || status.length <= MOST_SAID ? status.slice(1) : "";
  switch (status[0]) {
    case "w": {
      const [ms = "", timers = ""] = text.split(",", 2);
      return { kind: "waiting", timerMs: ms === "" ? undefined : Math.max(0, Number(ms) || 0), timers: Math.max(0, Number(timers) || 0) };
    }
    case "d":
      return { kind: "done", output: text };
    case "t":
    case "r":
      return { kind: "error", unhandled: status[0] === "r", error: readError(text) };
    case "n":
      return { kind: "fault", fault: { kind: "not_json", message: text } };
    case "x":
      return { kind: "fault", fault: { kind: "no_export", module: "", export: "", available: readList(text) } };
    case "u":
      return { kind: "fault", fault: { kind: "unfinished", operations: readList(text) } };
    case "l":
      return { kind: "fault", fault: { kind: "exhausted", limit: "timers", allowed: readNumber(text, "allowed") } };
    default:
      return { kind: "fault", fault: { kind: "trap", message: "Invalid guest status" } };
  }
}

/** True if the text of an output may hide a value that has no JSON form (`guest/call/lost-values.ts`). */
export function mayHideLost(status: string): boolean {
  return status.includes("{}") || status.includes('{"0":');
}

/** Parses one line of the guest's log. Guest text can only select one of the four levels. */
export function readLogLine(text: string): LogLine {
  const value = parse(text);
  const level = field(value, "level");
  const line = field(value, "text");
  const known = typeof level === "string" && LOG_LEVELS.has(level) ? (level as LogLine[0]) : "info";
  return [known, typeof line === "string" ? line.slice(0, LOG_TEXT_LENGTH) : ""];
}

function readError(text: string): ErrorStatus {
  const value = parse(text);
  if (value === undefined) return { name: "Error", message: "The tool failed without a message", stack: "" };
  const words = (of: unknown, name: string): string => {
    const entry = field(of, name);
    return typeof entry === "string" ? entry : "";
  };
  const error = { name: words(value, "name") || "Error", message: words(value, "message"), stack: words(value, "stack") };
  const toolError = field(value, "toolError");
  if (typeof toolError !== "object" || toolError === null) return error;
  const details = field(toolError, "details");
  return { ...error, toolError: { message: words(toolError, "message") || error.message, ...(details === undefined ? {} : { details }) } };
}

function readList(text: string): readonly string[] {
  const value = parse(text);
  return Array.isArray(value) ? value.slice(0, MAXIMUM_LIST).filter((item): item is string => typeof item === "string") : [];
}

function readNumber(text: string, name: string): number {
  const value = field(parse(text), name);
  return typeof value === "number" ? value : 0;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function parse(text: string): unknown {
  if (!nestsWithin(text, STATUS_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // The prelude writes JSON. Other text comes from a guest that has replaced it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
