/** Treats a file that cannot be inspected as missing. */

import { FileError } from "./platform.ts";

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
