/** Fills in the first argument of `console.log` as a format (https://console.spec.whatwg.org/#formatter), like Deno. */

import { inspect } from "./inspect.ts";
import { DEFAULT_INSPECT, type InspectOptions } from "./inspection.ts";
import {
  argumentAt,
  bareList,
  jsonStringify,
  arrayJoin,
  mathTrunc,
  parseFloatText,
  parseIntText,
  PrimordialString,
  PrimordialTypeError,
  stringAt,
  stringIncludes,
  stringIndexOf,
  stringSlice,
} from "../language/primordials.ts";

export function formatMessage(values: readonly unknown[], options: InspectOptions = DEFAULT_INSPECT): string {
  const parts = bareList<string>();
  const format = argumentAt(values, 0);
  let used = 0;
  if (typeof format === "string") {
    used = 1;
    parts[0] = format;
    if (values.length > 1 && stringIncludes(format, "%")) {
      const filled = fillIn(format, values);
      parts[0] = filled.text;
      ({ used } = filled);
    }
  }
  for (let index = used; index < values.length; index++) {
    const value = values[index];
    parts[parts.length] = typeof value === "string" ? value : inspectSafely(value, options);
  }
  return arrayJoin(parts, " ");
}

/** Logging never fails: if showing a value throws, the error is shown in its place. */
function inspectSafely(value: unknown, options: InspectOptions = DEFAULT_INSPECT): string {
  try {
    return inspect(value, options);
  } catch (error) {
    return `[Cannot be shown: ${describeFailure(error)}]`;
  }
}

function describeFailure(error: unknown): string {
  try {
    return typeof error === "object" && error !== null && "message" in error ? `${error.message as string}` : PrimordialString(error);
  } catch {
    // An error whose own message throws is shown without one.
    return "it throws";
  }
}

function fillIn(format: string, values: readonly unknown[]): { readonly text: string; readonly used: number } {
  let text = "";
  let used = 1;
  let from = 0;
  for (;;) {
    const at = stringIndexOf(format, "%", from);
    if (at === -1 || at === format.length - 1) return { text: text + stringSlice(format, from), used };
    const directive = stringAt(format, at + 1);
    const isKnown = stringIncludes("sdifjoOc%", directive);
    text += stringSlice(format, from, at);
    from = at + 2;
    if (directive === "%") text += "%";
    else if (!isKnown || used >= values.length) text += `%${directive}`;
    else text += fillOne(directive, values[used++]);
  }
}

function fillOne(directive: string, value: unknown): string {
  try {
    return directiveText(directive, value);
  } catch (error) {
    return `[Cannot be shown: ${describeFailure(error)}]`;
  }
}

function directiveText(directive: string, value: unknown): string {
  switch (directive) {
    case "s":
      return toStringText(value);
    case "d":
    case "i":
      return toNumberText(
        value,
        (number) => mathTrunc(number),
        (text) => parseIntText(text),
      );
    case "f":
      return toNumberText(value, (number) => number, parseFloatText);
    case "j":
      return toJsonText(value);
    case "c":
      // `%c` is a style, which plain text does not have.
      return "";
    case "o":
      return inspect(value, DEFAULT_INSPECT);
    default:
      return inspect(value, DEFAULT_INSPECT);
  }
}

function toStringText(value: unknown): string {
  return typeof value === "bigint" ? `${value}n` : PrimordialString(value);
}

function toNumberText(value: unknown, ofNumber: (value: number) => number, ofText: (text: string) => number): string {
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "number") return `${ofNumber(value)}`;
  if (typeof value === "string") return `${ofText(value)}`;
  return "NaN";
}

/** Node's text for values without a JSON form. */
function toJsonText(value: unknown): string {
  try {
    return jsonStringify(value) ?? "undefined";
  } catch (error) {
    if (error instanceof PrimordialTypeError && error.message === "circular reference") return "[Circular]";
    throw error;
  }
}
