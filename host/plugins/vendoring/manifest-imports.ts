/** Adds imports to the text of a manifest, and keeps everything else as it is written. */

import { type MemberSpan, membersAt } from "../code/json-spans.ts";

/** @param text a valid manifest @param added specifiers by imported name; a name that is there gets the new one */
export function withImports(text: string, added: Readonly<Record<string, string>>): string {
  const names = Object.entries(added);
  const members = membersAt(text, text.indexOf("{"));
  const imports = members.find(({ key }) => key === "imports");
  if (imports === undefined) return withNew(text, members, names);
  return names.reduce((changed, [name, target]) => withOne(changed, imports.value.start, name, target), text);
}

/** Writes `imports` before the tools, which may be many, else at the end. */
function withNew(text: string, members: readonly MemberSpan[], names: readonly (readonly [string, string])[]): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^([ \t]+)"/mu.exec(text)?.[1] ?? "  ";
  const lines = names.map(([name, target]) => `${newline}${unit}${unit}${memberText(name, target)}`);
  const written = `"imports": {${lines.join(",")}${newline}${unit}}`;
  const tools = members.find(({ key }) => key === "tools");
  if (tools !== undefined) return `${text.slice(0, tools.start)}${written},${newline}${unit}${text.slice(tools.start)}`;
  const end = members.at(-1)?.end ?? text.indexOf("{") + 1;
  return `${text.slice(0, end)}${members.length === 0 ? "" : ","}${newline}${unit}${written}${text.slice(end)}`;
}

/** @param start offset of the object `imports` */
function withOne(text: string, start: number, name: string, target: string): string {
  const members = membersAt(text, start);
  const present = members.find(({ key }) => key === name);
  if (present !== undefined) return `${text.slice(0, present.value.start)}${JSON.stringify(target)}${text.slice(present.end)}`;
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined)
    return `${text.slice(0, start + 1)} ${memberText(name, target)} ${text.slice(text.indexOf("}", start))}`;
  // The space before the first member is that of the others, on one line or on several.
  return `${text.slice(0, last.end)},${text.slice(start + 1, first.start)}${memberText(name, target)}${text.slice(last.end)}`;
}

function memberText(name: string, target: string): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(target)}`;
}
