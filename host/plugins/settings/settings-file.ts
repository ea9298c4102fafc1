/** Reads a plugin's settings file: its text, or why it is not readable (SPEC G1). */

import { FileError, type FileInfo, type Platform } from "../../platform/platform.ts";
import { type FileSign, signOf } from "../../project/file-sign.ts";

/** A missing file sets nothing. */
export const NOTHING_SET = "{}";

export const MAX_SETTINGS_BYTES: number = 256 * 1024;

/** The content of a file, and its signature to detect changes. */
export type SettingsText = FileSign &
  ({ readonly ok: true; readonly text: string; readonly exists: boolean } | { readonly ok: false; readonly message: string });

const ABSENT: SettingsText = { ok: true, text: NOTHING_SET, exists: false, signature: "", isRacy: false };

/**
 * Reads the file, or returns `before` if it is unchanged. Links are refused: messages would show the content of their targets, which are
 * not part of the project.
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
  if (info.kind !== "file") return { ok: false, message: `Not a file but a ${info.kind} (replace it by a file)`, ...sign };
  try {
    const bytes = await files.readBytes(path, MAX_SETTINGS_BYTES);
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), exists: true, ...sign };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, message: "Not UTF-8 text", ...sign };
    if (!(error instanceof FileError)) throw error;
    const why = error.code === "too_large" ? `Larger than ${MAX_SETTINGS_BYTES} bytes` : `Cannot read the file: ${error.message}`;
    return { ok: false, message: why, ...sign };
  }
}

/** Describes a file that exists but cannot be read, so its settings are unknown. */
export function unreadable(why: string): SettingsText {
  return { ok: false, message: `Cannot read the file: ${why}`, signature: `unreadable ${why}`, isRacy: true };
}
