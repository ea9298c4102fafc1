/** The one form that stands for every spelling which a file system may take for the same name (SPEC C4). */

/**
 * Folds one name of a path: two names that some file system takes for one fold to the same text.
 *
 * Takes away what file systems ignore: case (full Unicode folding: `ß` is `ss`, `ſ` is `s`, the Kelvin sign is `k`), Unicode forms
 * (NFKC and NFKD too: ZFS), default ignorable characters (ext4 and f2fs), trailing dots and spaces (vfat, SMB), and a stream after
 * `:` (NTFS). Names that no file system confuses may fold alike, so equal forms are a reason to look closer.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name.toLowerCase();
  const decomposed = name.normalize("NFKD").replace(IGNORED, "");
  // Lower, upper, lower (https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt, statuses C and F): `ẞ` becomes `ß`, then `SS`, then `ss`. Each letter alone: the `Σ` at a word's end has a form of its own.
  const folded = Array.from(decomposed, (letter) => letter.toLowerCase().toUpperCase().toLowerCase()).join("");
  return withoutTail(folded.normalize("NFKD").replace(IGNORED, ""));
}

/** Folds each name of a path; `/` stays. */
export function foldPath(path: string): string {
  return PLAIN_PATH.test(path) ? path.toLowerCase() : path.split("/").map(foldName).join("/");
}

/** Only letters, digits and signs of ASCII, and no dot or space at the end: nothing but case to fold. */
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
