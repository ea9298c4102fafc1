/** Error stacks as a plugin's author should see them: without the frames of the prelude. */

import {
  arrayJoin,
  bareList,
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
  const kept = bareList<string>();
  const lines = splitText(stack, "\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const next = lines[index + 1] ?? "";
    const isOurs = stringIncludes(line, ownFile) || (stringEndsWith(line, " (native)") && stringIncludes(next, ownFile));
    if (!isOurs) kept[kept.length] = line;
  }
  return arrayJoin(kept, "\n");
}

/** Where the plugin is now, as a stack. */
export function currentStack(): string {
  return cleanStack(new PrimordialError("").stack ?? "");
}
