/** A unified diff of two texts; nothing for what is no text or too large to compare in reasonable time. */

/** Of either text. Comparing takes time that grows with size and with the number of differences. */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_EDITS = 4_000;
const MAX_DIFF_LENGTH = 128 * 1024;

export interface Side {
  /** `a/path`, `b/path`, `/dev/null`. */
  readonly label: string;
  readonly bytes: Uint8Array;
}

export async function unifiedDiff(before: Side, after: Side): Promise<string | undefined> {
  const left = toText(before.bytes);
  const right = toText(after.bytes);
  if (left === undefined || right === undefined) return undefined;
  // Loaded when it is needed: most hosts never compare anything.
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch(quoted(before.label), quoted(after.label), left, right, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch === undefined || patch.length > MAX_DIFF_LENGTH ? undefined : patch;
}

/** Undefined for what is no UTF-8, or holds what texts do not. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A file's name may hold a line end: it must not make lines of its own. */
function quoted(label: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}"\\]/u.test(label) ? JSON.stringify(label) : label;
}
