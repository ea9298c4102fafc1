/** Tools for the text files of a workspace. Plain Deno code: each tool is an exported async function. */

import type { GrepArgs, GrepOutput, OutlineArgs, OutlineOutput, WordCountArgs, WordCountOutput } from "./bascule.d.ts";
import { linesOf, matcherOf, type Match, searchText } from "./search.ts";
import { filesBelow, nameFromHere } from "./files.ts";
import { outlineCode, outlineMarkdown } from "./outline.ts";

const DEFAULT_MATCHES = 100;

/** Counts lines, words and characters of a text file: lines as `wc -l` would with a final newline, words between white space. */
export async function word_count(args: WordCountArgs): Promise<WordCountOutput> {
  const bytes = await Deno.readFile(args.path);
  const text = new TextDecoder().decode(bytes);
  return {
    lines: linesOf(text).length,
    words: text.match(/\S+/gu)?.length ?? 0,
    characters: [...text].length,
    bytes: bytes.length,
  };
}

/** Finds lines in a file or below a folder, in the order of the file names. */
export async function grep(args: GrepArgs): Promise<GrepOutput> {
  const matcher = matcherOf(args.pattern, args.regex ?? false, args.ignoreCase ?? false);
  const wanted = args.maxMatches ?? DEFAULT_MATCHES;
  const matches: Match[] = [];
  const files = await filesBelow(args.path);
  let filesSearched = 0;
  for (const path of files.paths) {
    const text = await Deno.readTextFile(path);
    // A NUL usually marks a binary file.
    if (text.includes("\0")) {
      files.skipped += 1;
      continue;
    }
    filesSearched += 1;
    // Requests one more match than wanted, to know whether there are more.
    matches.push(...searchText(text, matcher, nameFromHere(path), wanted + 1 - matches.length));
    if (matches.length > wanted) return { matches: matches.slice(0, wanted), filesSearched, filesSkipped: files.skipped, complete: false };
  }
  return { matches, filesSearched, filesSkipped: files.skipped, complete: files.complete };
}

/** Lists the structure of a file: Markdown headings or top-level declarations. */
export async function outline(args: OutlineArgs): Promise<OutlineOutput> {
  const text = await Deno.readTextFile(args.path);
  if (/\.(md|markdown)$/iu.test(args.path)) return { entries: outlineMarkdown(text) };
  if (/\.(ts|tsx|js|jsx|mjs)$/iu.test(args.path)) return { entries: outlineCode(text) };
  throw new Error(
    `Cannot outline "${nameFromHere(args.path)}": not a Markdown, TypeScript or JavaScript file (give a .md, .ts, .js or .mjs file)`,
  );
}
