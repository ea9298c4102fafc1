/** Shows an error: name and message as in Deno, the plugin's own frames, and further members. */

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
} from "../language/primordials.ts";
import { isDomException } from "../web/dom-exception.ts";
import { cleanStack } from "./stack.ts";

/** Shown although they are not enumerable. */
const HIDDEN = ["cause", "errors"];

/** Reads a text member of an error; a getter that throws counts as absent. */
export function readText(error: object, key: string): string | undefined {
  try {
    const value = reflectGet(error, key);
    return typeof value === "string" ? value : undefined;
  } catch {
    // A throwing getter must not replace the error that is reported.
    return undefined;
  }
}

/** Returns `Name: message`, with the class's name if the error has no name of its own. */
export function errorHeader(error: object, className: string | undefined): string {
  const ownName = readText(error, "name") ?? "Error";
  const name = className === undefined || isDomException(error) ? ownName : withClass(ownName, className);
  const message = readText(error, "message") ?? "";
  if (name === "") return message;
  return message === "" ? name : `${name}: ${message}`;
}

/** Returns the class name, with the error name in brackets if the class name does not contain it: `FooError`, `Foo [Error]`. */
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

/** The engine's stacks hold frames only; a stack that a program assigned may begin with a header. */
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

/** Indents all lines but the first to the depth of the error. */
export function indentLines(text: string, inspection: Inspection): string {
  if (inspection.indentation === 0 || !stringIncludes(text, "\n")) return text;
  return arrayJoin(splitText(text, "\n"), `\n${stringRepeat(" ", inspection.indentation)}`);
}
