/** Error stacks as a plugin's author should see them: without the frames of the prelude. */

import {
  arrayJoin,
  bareList,
  PrimordialError,
  splitText,
  stringIncludes,
  stringIndexOf,
  stringSlice,
} from "./primordials.ts";

/** The name under which the engine runs the prelude, taken from a stack of our own: `    at f (name:12:3)`. */
const ownFile = fileOf(new PrimordialError("").stack ?? "");

function fileOf(stack: string): string {
  const opened = stringIndexOf(stack, "(");
  const line = stringIndexOf(stack, ":", opened);
  return opened === -1 || line === -1 ? "" : stringSlice(stack, opened, line + 1);
}

/** Drops the prelude's frames. */
export function cleanStack(stack: string): string {
  if (ownFile === "" || !stringIncludes(stack, ownFile)) return stack;
  const kept = bareList<string>();
  const lines = splitText(stack, "\n");
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    if (!stringIncludes(line, ownFile)) kept[kept.length] = line;
  }
  return arrayJoin(kept, "\n");
}

/** Where the plugin is now, as a stack. */
export function currentStack(): string {
  return cleanStack(new PrimordialError("").stack ?? "");
}
