/** What to do about a place where JSON cannot be read: the usual slips of people who write it by hand. */

/** What has to be there, where only one thing can. */
export type MissingMark = "," | ":" | "end";

/** @param offset in UTF-16 units, at most the text's length. */
export function jsonAdvice(text: string, offset: number, missing?: MissingMark): string {
  if (text.trim() === "") return "write a JSON object: { … }";
  if (offset >= text.length) return 'it ends too early: close what is open, with " or } or ]';
  const char = text[offset] ?? "";
  const before = lastMark(text, offset);
  if (char === "#" || /^\/[/*]/.test(text.slice(offset, offset + 2))) return "remove the comment: JSON has none";
  if (char === "'") return "write \" instead of '";
  if (char < " ") return 'close the text with " on its line; a line break in a text is \\n';
  if (text[offset - 1] === "\\") return "write \\\\ for a backslash";
  if ((char === "}" || char === "]") && before === ",") return `remove the "," before the "${char}"`;
  if (char === "," && before === ",") return 'remove one ","';
  if (missing === "end") return "remove what follows: the document has ended";
  if (missing !== undefined && !"}]".includes(char)) return `add a "${missing}" before it`;
  if ("}]".includes(char)) return `it closes what is not open here: is a bracket missing, or one too many?`;
  if (/[\w$]/.test(char) && (before === "{" || before === ",")) return 'write " around names and texts';
  return 'write a text in ", a number, true, false, null, [ … ] or { … }';
}

function lastMark(text: string, offset: number): string | undefined {
  for (let at = offset - 1; at >= 0; at--) {
    const char = text[at];
    if (char !== " " && char !== "\n" && char !== "\r" && char !== "\t") return char;
  }
  return undefined;
}
