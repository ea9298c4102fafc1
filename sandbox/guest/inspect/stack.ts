/** Error stacks for a plugin's author: without the frames of the prelude. */

import {
  arrayJoin,
  bareList,
  cleanStacksBy,
  define,
  PrimordialError,
  splitText,
  stringEndsWith,
  stringIncludes,
  stringIndexOf,
  stringSlice,
} from "../language/primordials.ts";

/** The common prefix of all prelude modules, taken from a stack of this module: `    at f (bascule:prelude/stack.ts:12:3)`. */
const ownFile = fileOf(new PrimordialError("").stack ?? "");

function fileOf(stack: string): string {
  const opened = stringIndexOf(stack, "(");
  const line = stringIndexOf(stack, ":", opened);
  return opened === -1 || line === -1 ? "" : stringSlice(stack, opened, line + 1);
}

/** Drops the prelude's frames, and those of built-ins that the prelude called. */
export function cleanStack(stack: string): string {
  if (ownFile === "" || !stringIncludes(stack, ownFile)) return stack;
  const lines = splitText(stack, "\n");
  // Starts at the outermost frame, because several built-ins may stand between the prelude and the function that it called.
  let isOurs = false;
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? "";
    isOurs = stringIncludes(line, ownFile) || (isOurs && stringEndsWith(line, " (native)"));
    if (isOurs) lines[index] = OURS;
  }
  const kept = bareList<string>();
  for (let index = 0; index < lines.length; index++) if (lines[index] !== OURS) kept[kept.length] = lines[index] ?? "";
  return arrayJoin(kept, "\n");
}

/** A value that is never a line of a stack. */
const OURS = "\n";

cleanStacksBy(cleanStack);

/** Creates a plain error without the prelude's frames. */
export function plainError(message?: string): Error {
  const error = new PrimordialError(message);
  define(error, "stack", currentStack());
  return error;
}

/** Returns the plugin's current stack. */
export function currentStack(): string {
  return cleanStack(new PrimordialError("").stack ?? "");
}
