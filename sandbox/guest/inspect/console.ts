/** `console` (https://console.spec.whatwg.org/), formatted as in Deno; every line goes to the call's logger. */

import { askWorker } from "../call/channel.ts";
import { formatMessage } from "./console-format.ts";
import { showTable } from "./console-table.ts";
import { inspect } from "./inspect.ts";
import { DEFAULT_INSPECT } from "./inspection.ts";
import { toInspectOptions } from "./inspect-options.ts";
import { objectToJson } from "../language/json-text.ts";
import { monotonicMs } from "../call/call-time.ts";
import {
  argumentAt,
  bareList,
  define,
  mapDelete,
  mapGet,
  mapSet,
  mapSize,
  mathMax,
  mathRound,
  PrimordialMap,
  replaceText,
  stringRepeat,
  stringSlice,
} from "../language/primordials.ts";
import { currentStack } from "./stack.ts";
import { nameFunction, tag, toDomString } from "../web/webidl.ts";

type LogLevel = "debug" | "info" | "warn" | "error";

/** Length of one line. With the note on cut characters it stays below `LOG_TEXT_LENGTH`; the host bounds the call's whole log. */
const MAX_TEXT = 32 * 1024 - 64;
const MAX_GROUPS = 40;
/** Maximum number of labels kept for `count` and `time`. */
const MAX_LABELS = 1_000;

let groups = 0;
const counts = new PrimordialMap<string, number>();
const timers = new PrimordialMap<string, number>();

/** Sends one message to the call's logger. */
function log(level: LogLevel, text: string): void {
  const margin = stringRepeat("  ", groups < MAX_GROUPS ? groups : MAX_GROUPS);
  const whole = margin === "" ? text : margin + replaceText(text, "\n", `\n${margin}`);
  const cut = whole.length > MAX_TEXT ? `${stringSlice(whole, 0, MAX_TEXT)}… (${whole.length - MAX_TEXT} more characters)` : whole;
  askWorker("log", objectToJson({ __proto__: null, level, text: cut }));
}

/** Formats values like `console.log` and sends the line. */
export function logAll(level: LogLevel, values: readonly unknown[]): void {
  log(level, formatMessage(values));
}

function printer(level: LogLevel): (...values: unknown[]) => void {
  return (...values) => logAll(level, values);
}

/** Creates the methods in Deno's order. */
function createConsole(): Record<string, unknown> {
  return {
    log: printer("info"),
    debug: printer("debug"),
    info: printer("info"),
    dir: (value: unknown = undefined, options?: unknown) => log("info", inspect(value, toInspectOptions(options))),
    dirxml: printer("info"),
    warn: printer("warn"),
    error: printer("error"),
    assert: (condition: unknown = false, ...values: unknown[]) => assert(condition, values),
    count: (label: unknown = "default") => count(toDomString(label)),
    countReset: (label: unknown = "default") => resetCount(toDomString(label)),
    table: (data: unknown = undefined, columns?: unknown) => {
      const text = showTable(data, columns);
      if (text === undefined) logAll("info", [data]);
      else log("info", text);
    },
    time: (label: unknown = "default") => startTimer(toDomString(label)),
    timeLog: (label: unknown = "default", ...values: unknown[]) => showTimer(toDomString(label), values),
    timeEnd: (label: unknown = "default") => {
      if (showTimer(toDomString(label), [])) mapDelete(timers, toDomString(label));
    },
    group: (...values: unknown[]) => openGroup(values),
    groupCollapsed: (...values: unknown[]) => openGroup(values),
    groupEnd: () => {
      groups = mathMax(groups - 1, 0);
    },
    clear: () => {
      groups = 0;
    },
    trace: (...values: unknown[]) => trace(values),
    profile: () => {},
    profileEnd: () => {},
    timeStamp: () => {},
  };
}

function assert(condition: unknown, values: unknown[]): void {
  if (condition) return;
  const message = bareList<unknown>();
  const first = argumentAt(values, 0);
  const hasText = typeof first === "string";
  message[0] = hasText ? `Assertion failed: ${first}` : values.length === 0 ? "Assertion failed" : "Assertion failed:";
  for (let index = hasText ? 1 : 0; index < values.length; index++) message[message.length] = values[index];
  logAll("error", message);
}

function count(label: string): void {
  const next = (mapGet(counts, label) ?? 0) + 1;
  remember(counts, label, next);
  log("info", `${label}: ${next}`);
}

function resetCount(label: string): void {
  if (!mapDelete(counts, label)) log("warn", `Count for '${label}' does not exist`);
}

function startTimer(label: string): void {
  if (mapGet(timers, label) !== undefined) log("warn", `Timer '${label}' already exists`);
  else remember(timers, label, monotonicMs());
}

function showTimer(label: string, values: unknown[]): boolean {
  const started = mapGet(timers, label);
  if (started === undefined) {
    log("warn", `Timer '${label}' does not exist`);
    return false;
  }
  const elapsed = `${label}: ${mathRound((monotonicMs() - started) * 1000) / 1000}ms`;
  log("info", values.length === 0 ? elapsed : `${elapsed} ${formatMessage(values)}`);
  return true;
}

function remember(map: Map<string, number>, label: string, value: number): void {
  if (mapSize(map) >= MAX_LABELS && mapGet(map, label) === undefined) return;
  mapSet(map, label, value);
}

function openGroup(values: unknown[]): void {
  if (values.length > 0) logAll("info", values);
  groups++;
}

function trace(values: unknown[]): void {
  const message = values.length === 0 ? "Trace" : `Trace: ${formatMessage(values)}`;
  log("error", `${message}\n${currentStack()}`);
}

export function installConsole(global: object): void {
  const methods = createConsole();
  for (const [name, method] of Object.entries(methods)) nameFunction(method as object, name);
  tag(methods, "console");
  // A namespace object: https://console.spec.whatwg.org/#console-namespace
  Reflect.setPrototypeOf(methods, {});
  define(global, "console", methods);
}

/** `Deno.inspect`. */
export function denoInspect(value: unknown, options?: unknown): string {
  return options === undefined ? inspect(value, DEFAULT_INSPECT) : inspect(value, toInspectOptions(options));
}

/** Returns the text that `console.log` would print. */
export function inspectArgs(values: unknown, options?: unknown): string {
  return formatMessage(values as readonly unknown[], options === undefined ? DEFAULT_INSPECT : toInspectOptions(options));
}
