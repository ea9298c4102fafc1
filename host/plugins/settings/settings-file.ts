/** One plugin's settings file as it lies on the disk: its text, or why there is none (SPEC G1). */

import { FileError, type FileInfo, type Platform } from "../../platform/platform.ts";
import { type FileSign, signOf } from "../../project/file-sign.ts";

/** A missing file is one that sets nothing. */
export const NOTHING_SET = "{}";

export const MAX_SETTINGS_BYTES: number = 256 * 1024;

/** What a file holds, and what is compared to see that it changed. */
export type SettingsText = FileSign &
  ({ readonly ok: true; readonly text: string; readonly exists: boolean } | { readonly ok: false; readonly message: string });

const ABSENT: SettingsText = { ok: true, text: NOTHING_SET, exists: false, signature: "", isRacy: false };

/**
 * Reads the file, or answers `before` where it is the same file still. A link is refused: what lies behind it would be shown in
 * messages, and is not the project's.
 */
export async function readSettingsText(
  { files, clock }: Pick<Platform, "files" | "clock">,
  path: string,
  before: SettingsText | undefined,
): Promise<SettingsText> {
  let info: FileInfo | undefined;
  try {
    info = await files.lstat(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return unreadable(error.message);
  }
  if (info === undefined) return before?.signature === "" ? before : ABSENT;
  const sign = signOf(info, clock.now());
  if (before?.signature === sign.signature && !before.isRacy) return before;
  if (info.kind !== "file") return { ok: false, message: `It is a ${info.kind} (replace it by a file)`, ...sign };
  try {
    const bytes = await files.readBytes(path, MAX_SETTINGS_BYTES);
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), exists: true, ...sign };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, message: "It is not UTF-8 text", ...sign };
    if (!(error instanceof FileError)) throw error;
    const why = error.code === "too_large" ? `It is larger than ${MAX_SETTINGS_BYTES} bytes` : `Cannot read it: ${error.message}`;
    return { ok: false, message: why, ...sign };
  }
}

/** Something is there that cannot be looked at: what it says is unknown. */
export function unreadable(why: string): SettingsText {
  return { ok: false, message: `Cannot read it: ${why}`, signature: `unreadable ${why}`, isRacy: true };
}
