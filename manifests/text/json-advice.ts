/** Advice for invalid JSON: the usual mistakes of hand-written files. */

/** The mark that is missing, if only one is possible. */
export type MissingMark = "," | ":" | "end";

/** @param offset in UTF-16 units, at most the text's length. */
export function jsonAdvice(text: string, offset: number, missing?: MissingMark): string {
  if (text.trim() === "") return "write a JSON object: { … }";
  if (offset >= text.length) return 'it ends too early: close the open ", } or ]';
  const char = text[offset] ?? "";
  const before = lastMark(text, offset);
  if (char === "#" || /^\/[/*]/.test(text.slice(offset, offset + 2))) return "remove the comment: JSON has none";
  if (char === "'") return "write \" instead of '";
  if (char < " ") return 'close the string with " on its line; a line break in a string is \\n';
  if (text[offset - 1] === "\\") return "write \\\\ for a backslash";
  if ((char === "}" || char === "]") && before === ",") return `remove the "," before the "${char}"`;
  if (char === "," && before === ",") return 'remove one ","';
  if (missing === "end") return "remove the text after the end of the document";
  if (missing !== undefined && !"}]".includes(char)) return `add a "${missing}" before it`;
  if ("}]".includes(char)) return `no such bracket is open: is one missing, or one too many?`;
  if (/[\w$]/.test(char) && (before === "{" || before === ",")) return 'write " around names and strings';
  return 'write a string in ", a number, true, false, null, [ … ] or { … }';
}

function lastMark(text: string, offset: number): string | undefined {
  for (let at = offset - 1; at >= 0; at--) {
    const char = text[at];
    if (char !== " " && char !== "\n" && char !== "\r" && char !== "\t") return char;
  }
  return undefined;
}
