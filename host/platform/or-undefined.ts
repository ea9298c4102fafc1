/** Treats files that cannot be inspected as missing. */

import { FileError, type FileErrorCode } from "./platform.ts";

/**
 * Returns the result; undefined if the file is gone, too large or out of reach.
 *
 * @throws every other error
 */
export async function orUndefined<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

const MISSING: readonly FileErrorCode[] = ["not_found", "not_a_directory"];

/** Returns a handler of rejections that gives `instead` for a missing file, and throws every other error. */
export function unlessMissing<T>(instead: T, missing: readonly FileErrorCode[] = MISSING): (error: unknown) => T {
  return (error) => {
    if (error instanceof FileError && missing.includes(error.code)) return instead;
    throw error;
  };
}
