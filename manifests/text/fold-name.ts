/** One canonical form for all spellings that a file system may treat as the same name (SPEC C4). */

/**
 * Folds one name of a path: names that some file system treats as equal fold to the same text.
 *
 * Removes what file systems ignore: case (full Unicode folding: `ß` is `ss`, `ſ` is `s`, the Kelvin sign is `k`), Unicode forms
 * (NFKC and NFKD too: ZFS), default ignorable characters (ext4 and f2fs), trailing dots and spaces (vfat, SMB), and a stream
 * after `:` (NTFS). Names that no file system confuses may fold alike, so equal forms only mean that a closer look is needed.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  const decomposed = name.normalize("NFKD").replace(IGNORED, "");
  // Lower, upper, lower (https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt, statuses C and F): `ẞ` becomes `ß`, then
  // `SS`, then `ss`. Letter by letter, because a `Σ` at the end of a word has a form of its own.
  const folded = Array.from(decomposed, (letter) => letter.toLowerCase().toUpperCase().toLowerCase()).join("");
  return withoutTail(folded.normalize("NFKD").replace(IGNORED, ""));
}

/** Folds each name of a path and keeps `/`. */
export function foldPath(path: string): string {
  return PLAIN_PATH.test(path) ? path.toLowerCase() : path.split("/").map(foldName).join("/");
}

/** Printable ASCII without a trailing dot or space, which needs only case folding. */
const PLAIN = /^[!-9;-~]*[!-\-0-9;-~]$/;
const PLAIN_PATH = /^(?:\/(?:[!-.0-9;-~]*[!-\-0-9;-~])?)+$/;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

function withoutTail(name: string): string {
  const stream = name.indexOf(":", 1);
  const bare = stream === -1 ? name : name.slice(0, stream);
  let end = bare.length;
  while (end > 0 && (bare[end - 1] === "." || bare[end - 1] === " ")) end--;
  return end === 0 ? name : bare.slice(0, end);
}
