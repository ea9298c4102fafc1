/** Error stacks as a plugin's author should see them: without the frames of the prelude. */

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
} from "./primordials.ts";

/** What the names of all modules of the prelude begin with, taken from a stack of our own: `    at f (bascule:prelude/stack.ts:12:3)`. */
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
  // From the outermost: several built-ins may stand between the prelude and what it called.
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

/** No line of a stack. */
const OURS = "\n";

cleanStacksBy(cleanStack);

/** A plain error of ours, without our frames. */
export function plainError(message?: string): Error {
  const error = new PrimordialError(message);
  define(error, "stack", currentStack());
  return error;
}

/** Where the plugin is now, as a stack. */
export function currentStack(): string {
  return cleanStack(new PrimordialError("").stack ?? "");
}
