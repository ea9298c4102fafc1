/** How an error is shown: name and message as in Deno, the plugin's own frames, and what else it carries. */

import type { Inspection, Shape } from "./inspection.ts";
import {
  reflectGet,
  splitText,
  stringEndsWith,
  stringIncludes,
  stringIndexOf,
  stringRepeat,
  stringStartsWith,
  stringTrim,
  arrayJoin,
} from "./primordials.ts";
import { isDomException } from "./dom-exception.ts";
import { cleanStack } from "./stack.ts";

/** Shown though they are not enumerable. */
const HIDDEN = ["cause", "errors"];

/** Reads of an error what its own getters let it; what they throw counts as absent. */
export function readText(error: object, key: string): string | undefined {
  try {
    const value = reflectGet(error, key);
    return typeof value === "string" ? value : undefined;
  } catch {
    // A throwing getter must not turn the report of one error into another.
    return undefined;
  }
}

/** `Name: message`, with the class's name where the error has no name of its own. */
export function errorHeader(error: object, className: string | undefined): string {
  const ownName = readText(error, "name") ?? "Error";
  const name = className === undefined || isDomException(error) ? ownName : withClass(ownName, className);
  const message = readText(error, "message") ?? "";
  if (name === "") return message;
  return message === "" ? name : `${name}: ${message}`;
}

/** `FooError` for `Error`, `Foo [Error]` where the class's name does not say that it is one. */
function withClass(name: string, className: string): string {
  if (className === name || !stringEndsWith(name, "Error")) return name;
  return stringIncludes(className, name) ? className : `${className} [${name}]`;
}

export function showError(error: Error, className: string | undefined, shape: Shape): Shape {
  const header = errorHeader(error, className);
  const stack = cleanStack(readText(error, "stack") ?? "");
  const frames = framesOf(stack);
  const text = frames === "" ? `[${stringTrim(stack) === "" ? header : stack}]` : `${header}\n${frames}`;
  return {
    ...shape,
    base: text,
    hidden: HIDDEN,
    omitted: ["name", "message", "stack"],
  };
}

/** The engine's stacks are frames only; a stack that a program wrote may begin with a header. */
function framesOf(stack: string): string {
  const at = stringStartsWith(stack, "    at ") ? 0 : stringIndexOf(stack, "\n    at ") + 1;
  if (at === 0 && !stringStartsWith(stack, "    at ")) return "";
  const lines = splitText(stack, "\n");
  let text = "";
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (stringStartsWith(stringTrim(line), "at ")) text += text === "" ? line : `\n${line}`;
  }
  return text;
}

/** Moves the lines below the first one in, as deep as the error stands. */
export function indentLines(text: string, inspection: Inspection): string {
  if (inspection.indentation === 0 || !stringIncludes(text, "\n")) return text;
  return arrayJoin(splitText(text, "\n"), `\n${stringRepeat(" ", inspection.indentation)}`);
}
