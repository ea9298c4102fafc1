/** Comments of generated declarations: sanitizes text from a manifest. */

import { showHidden } from "../../../manifests/mod.ts";

const MAX_CHARACTERS = 300;
const LINE = 110;

/**
 * Formats a JSDoc comment; empty for empty text.
 *
 * The text cannot end the comment, begin a tag or a directive (`@ts-ignore`), or hide characters; it is cut at 300 characters.
 */
export function docComment(text: string, indent: string): readonly string[] {
  const words = inert(text)
    .split(" ")
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length === 1) return [`${indent}/** ${lines.join("")} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function inert(text: string): string {
  const characters = [...showHidden(text).replace(/\s+/gu, " ").trim()];
  const cut = characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join("")}…` : characters.join("");
  // Escapes with a backslash, as TSDoc does: a zero-width character would be invisible.
  return cut.replaceAll("*/", "*\\/").replaceAll("@", "\\@");
}
