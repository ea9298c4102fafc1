/** Finds the headings of a Markdown file and the declarations of a source file, line by line. */

import { linesOf } from "./search.ts";

/** One heading or declaration. `line` counts from 1, `level` is 1 for the outermost. */
export interface Entry {
  line: number;
  level: number;
  text: string;
}

const DECLARATION =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|type|enum|namespace|const|let|var)\s+[\w$]+/u;

/** ATX headings (`## Title`) outside fenced code. */
export function outlineMarkdown(text: string): Entry[] {
  const entries: Entry[] = [];
  let fence: string | undefined;
  for (const [index, line] of linesOf(text).entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/u.exec(line);
    if (heading)
      entries.push({ line: index + 1, level: (heading[1] ?? "").length, text: (heading[2] ?? "").replace(/[ \t]+#+[ \t]*$/u, "").trim() });
  }
  return entries;
}

/** Declarations that begin in the first column. */
export function outlineCode(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    const declaration = DECLARATION.exec(line)?.[0];
    if (declaration !== undefined) entries.push({ line: index + 1, level: 1, text: declaration });
  }
  return entries;
}
